"""Figures of the WEVA paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.weva import figures, records, tables
from cfrlab.reporting import plotting
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    published = tables.load_published(inputs.published)
    oracle = records.load_oracle(inputs.oracle)
    foot = footer(params.config, params.seed, params.code)
    drawn = figures.weva_figures(records.load(inputs.records), oracle, published, foot)
    plotting.write(Path(snakemake.output[0]).parent, drawn)
