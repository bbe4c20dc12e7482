"""Which hands some Phis make play alike."""

from cfrlab.experiments.embedding import neighbours, records
from cfrlab.logs import stage

with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    records.write(snakemake.output[0], neighbours.load(snakemake.input))
