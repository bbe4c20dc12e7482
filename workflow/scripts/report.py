"""One static page: claims, then tables and figures beside the paper's, then how it was run."""

from pathlib import Path

from cfrlab.logs import LOGGER, stage
from cfrlab.reporting import claims, manifest, report

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    page = Path(snakemake.output[0])
    tables = {Path(path).stem: path for path in inputs.tables if path.endswith(".md")}
    figures = {Path(path).stem: path for path in inputs.figures if path.endswith(".svg")}
    benchmarks = filter(Path.exists, map(Path, params.benchmarks))
    run = manifest.collect(params.config, params.seed, params.code, benchmarks)
    report.build(page.parent, tables, figures, claims.read(inputs.claims), run)
    LOGGER.info("open %s", page)
