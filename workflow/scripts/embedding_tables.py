"""Tables of the Embedding CFR experiments, as data and as Markdown."""

from pathlib import Path

from cfrlab.experiments import tables
from cfrlab.experiments.embedding import neighbours, records
from cfrlab.experiments.embedding.tables import embedding_tables
from cfrlab.experiments.footer import footer
from cfrlab.logs import stage

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    curves, phis = records.read(inputs.curves), records.read(inputs.phis)
    near = neighbours.read(inputs.neighbours)
    made = embedding_tables(curves, phis, near, params.config["solvers"], foot)
    tables.write(Path(snakemake.output[0]).parent, made)
