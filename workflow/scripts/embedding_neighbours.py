"""Which hands some Phis make play alike."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import neighbours, records

with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    records.write(snakemake.output[0], neighbours.load(snakemake.input))
