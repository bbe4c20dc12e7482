"""One static page of all papers: claims, tables, figures, and how it was run."""

from cfrlab.reporting.plan import REPORT_FILES, report_recipe

REPORT = [f"{RESULTS}/{file}" for file in REPORT_FILES]


rule report:
    """Each paper's claims, tables and figures beside the published ones."""
    input:
        [wiring.everything() for wiring in PAPERS.values()],
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    params:
        job=report_recipe(CONFIG).parameters(),
    resources:
        mem_mb=1000,
    message:
        "report: {output[0]}"
    script:
        STAGE
