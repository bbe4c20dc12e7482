"""One static page of all papers, and their claims in one file."""

from cfrlab.reporting.plan import report_files, report_recipe

REPORT = report_recipe(CONFIG)


rule report:
    """Each paper's figures, tables and claims beside the published ones."""
    input:
        **{
            name: [f"{RESULTS}/{one.listing}" for one in writers]
            for name, writers in REPORT.inputs.items()
        },
        shown=[wiring.everything() for wiring in PAPERS.values()],
        page=[
            os.path.relpath(ROOT / "src/cfrlab/reporting" / name)
            for name in ("report.html.j2", "report.css")
        ],
    output:
        [f"{RESULTS}/{path}" for path in report_files(CONFIG)],
        checksums=f"{RESULTS}/{REPORT.listing}",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    params:
        job=REPORT.parameters(),
    resources:
        mem_mb=1000,
    message:
        "report: {output[1]}"
    script:
        STAGE
