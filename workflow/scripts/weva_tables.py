"""Tables of the WEVA paper, as data and as Markdown."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.weva import records, tables
from cfrlab.reporting import markdown, published
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    foot = footer(params.config, params.seed, params.code)
    results = tables.Results(
        records.load(inputs.records),
        tables.load_published(inputs.published),
        published.of("cfrlab.papers.weva"),
    )
    folder = Path(snakemake.output[0]).parent
    for name, lay_out in tables.TABLES.items():
        table = lay_out(results)
        markdown.write(folder, name, table.data, table.text, foot)
    markdown.write_csv(folder / "weva_cells.csv", tables.all_cells(results.records))
