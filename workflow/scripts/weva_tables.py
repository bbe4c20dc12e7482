"""Tables of the WEVA paper, as data and as Markdown."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.weva import records, tables
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    published = tables.load_published(inputs.published)
    foot = footer(params.config, params.seed, params.code)
    solves = records.load(inputs.records)
    folder = Path(snakemake.output[0]).parent
    tables.write(folder, tables.weva_tables(solves, published, foot))
    tables.write_cells(folder, solves)
