"""Figures of the CFR-D paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.cfrd import figures, records
from cfrlab.reporting import plotting
from cfrlab.reporting.footer import footer

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    drawn = figures.cfrd_figures(records.load(snakemake.input), foot)
    plotting.write(Path(snakemake.output[0]).parent, drawn)
