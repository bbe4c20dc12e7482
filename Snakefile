"""The workflow: the tables, figures and claims of two papers, ours beside theirs.

WEVA (Li and Huang, 2026): abstractions from random boards to exploitability. CFR-D (Burch, Johanson
and Bowling, 2014): solving by decomposition and re-solving subgames.

    snakemake --cores 8                                  # everything, as config.yaml says
    snakemake --cores 8 tables                           # the six tables
    snakemake --cores 2 --configfile tests/smoke.yaml    # every rule on small games
    snakemake -n                                         # what would run, and why

A config file given on the command line stands in the place of config.yaml; `--configfile
config.yaml mine.yaml` changes only what mine.yaml says.
"""

if not workflow.overwrite_configfiles:

    configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/games.smk"
include: "workflow/rules/abstraction.smk"
include: "workflow/rules/solve.smk"
include: "workflow/rules/cfrd.smk"
include: "workflow/rules/weva.smk"


localrules:
    all,
    tables,
    figures,


rule all:
    """Everything: tables, figures, claims and the report."""
    default_target: True
    input:
        REPORT,
        TABLES,
        FIGURES,
        CLAIMS,


rule tables:
    """The tables, and what they need."""
    input:
        TABLES,


rule figures:
    """The figures, and what they need."""
    input:
        FIGURES,
        CFRD_FIGURES,
