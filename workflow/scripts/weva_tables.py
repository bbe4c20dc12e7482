"""Tables of the WEVA paper, as data and as Markdown."""

from pathlib import Path

from cfrlab.experiments import records, tables
from cfrlab.experiments.footer import footer
from cfrlab.logs import stage

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    published = tables.load_published(inputs.published)
    foot = footer(params.config, params.seed, params.code)
    made = tables.weva_tables(records.load(inputs.records), published, foot)
    tables.write(Path(snakemake.output[0]).parent, made)
