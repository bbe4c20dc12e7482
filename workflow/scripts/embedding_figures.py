"""Figures of the Embedding CFR paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.embedding import figures, records
from cfrlab.reporting import plotting
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    curves = records.read(inputs.curves)
    drawn = figures.embedding_figures(curves, params.config["solvers"], foot)
    plotting.write(Path(snakemake.output[0]).parent, drawn)
