"""Figures of the WEVA paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.weva import figures, records, tables
from cfrlab.reporting import plotting, published
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    results = tables.Results(
        records.load(inputs.records),
        tables.load_published(inputs.published),
        published.of("cfrlab.papers.weva"),
        records.load_oracle(inputs.oracle),
    )
    for name, draw in figures.FIGURES.items():
        plotting.write(Path(snakemake.output[0]).parent, name, draw(results), foot)
