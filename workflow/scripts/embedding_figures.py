"""Figures of the Embedding CFR paper, with the data they show and their captions."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.embedding import figures, records
from cfrlab.papers.embedding.comparison import Results
from cfrlab.reporting import plotting, published
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    numbers = published.of("cfrlab.papers.embedding")
    results = Results(records.read(inputs.curves), params.config["solvers"], numbers)
    for name, draw in figures.FIGURES.items():
        plotting.write(Path(snakemake.output[0]).parent, name, draw(results), foot)
