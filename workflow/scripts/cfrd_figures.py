"""Figures of the CFR-D paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.cfrd import figures, records
from cfrlab.reporting import plotting, published
from cfrlab.reporting.footer import footer

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    numbers = published.of("cfrlab.papers.cfrd")
    results = figures.Results(records.load(snakemake.input), numbers)
    for name, draw in figures.FIGURES.items():
        plotting.write(Path(snakemake.output[0]).parent, name, draw(results), foot)
