"""The workflow: the tables, figures and claims of every paper, ours beside theirs.

    snakemake --cores 8                                  # everything, as config.yaml says
    snakemake --cores 8 weva                             # one paper, by the name of its section
    snakemake --cores 8 tables                           # all tables; likewise figures, claims
    snakemake --cores 8 report                           # the page, and all that it shows
    snakemake --cores 2 --configfile tests/smoke.yaml    # every rule on small games
    snakemake -n                                         # what would run, and why

A config file given on the command line stands in the place of config.yaml; `--configfile
config.yaml mine.yaml` changes only what mine.yaml says.
"""

if not workflow.overwrite_configfiles:

    configfile: str(Path(workflow.basedir) / "config.yaml")


include: "workflow/rules/common.smk"


for paper in PAPERS:

    include: f"workflow/rules/{paper}.smk"


include: "workflow/rules/report.smk"


localrules:
    all,
    tables,
    figures,
    claims,


rule all:
    """Everything: tables, figures, claims and the report."""
    default_target: True
    input:
        rules.report.output,
        [wiring.everything() for wiring in PAPERS.values()],


rule tables:
    """The tables of all papers, and what they need."""
    input:
        [wiring.tables() for wiring in PAPERS.values()],


rule figures:
    """The figures of all papers, and what they need."""
    input:
        [wiring.figures() for wiring in PAPERS.values()],


rule claims:
    """The claims of all papers, and what they need."""
    input:
        [wiring.claims() for wiring in PAPERS.values()],
