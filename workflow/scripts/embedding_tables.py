"""Tables of the Embedding CFR experiments, as data and as Markdown."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.embedding import neighbours, records, tables
from cfrlab.papers.embedding.comparison import Results
from cfrlab.reporting import markdown, published
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    results = Results(
        records.read(inputs.curves),
        params.config["solvers"],
        published.of("cfrlab.papers.embedding"),
        records.read(inputs.phis),
        neighbours.read(inputs.neighbours),
    )
    for name, lay_out in tables.TABLES.items():
        table = lay_out(results)
        markdown.write(Path(snakemake.output[0]).parent, name, table.data, table.text, foot)
