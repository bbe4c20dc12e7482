"""Tables of the Embedding CFR experiments, as data and as Markdown."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.embedding import neighbours, records
from cfrlab.papers.embedding.tables import embedding_tables
from cfrlab.papers.weva import tables
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    curves, phis = records.read(inputs.curves), records.read(inputs.phis)
    near = neighbours.read(inputs.neighbours)
    made = embedding_tables(curves, phis, near, params.config["solvers"], foot)
    tables.write(Path(snakemake.output[0]).parent, made)
