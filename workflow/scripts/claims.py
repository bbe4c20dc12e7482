"""The paper's claims, each with a verdict computed from this run."""

from cfrlab.experiments import claims, records, tables
from cfrlab.logs import stage

inputs = snakemake.input
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    stated = claims.load(inputs.claims, tables.load_published(inputs.published))
    oracle = records.load_oracle(inputs.oracle)
    claims.write(snakemake.output[0], claims.evaluate(stated, records.load(inputs.records), oracle))
