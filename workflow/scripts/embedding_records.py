"""All curves, and all abstractions beneath them, as two tidy tables."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import records

inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    records.write(outputs.curves, records.load(inputs.curves, params.studies))
    records.write(outputs.phis, records.load_phis(inputs.phis))
