"""Figures of the WEVA paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.experiments import figures, plotting, records, tables
from cfrlab.experiments.footer import footer
from cfrlab.logs import stage

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    published = tables.load_published(inputs.published)
    oracle = records.load_oracle(inputs.oracle)
    foot = footer(params.config, params.seed, params.code)
    drawn = figures.weva_figures(records.load(inputs.records), oracle, published, foot)
    plotting.write(Path(snakemake.output[0]).parent, drawn)
