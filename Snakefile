"""The workflow: the tables, figures and claims of three papers, ours beside theirs.

WEVA (Li and Huang, 2026): abstractions from random boards to exploitability. CFR-D (Burch, Johanson
and Bowling, 2014): solving by decomposition and re-solving subgames. Embedding CFR (Fu, Liu, Xu and
Huang, 2026): abstraction by trained embeddings of hands.

    snakemake --cores 8                                  # everything, as config.yaml says
    snakemake --cores 8 tables                           # the WEVA tables
    snakemake --cores 8 embedding                        # Embedding CFR: its curves take hours
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
include: "workflow/rules/embedding.smk"
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
        EBD_TABLES,
        EBD_RECORDS,
        EBD_FIGURES,


rule tables:
    """The tables, and what they need."""
    input:
        TABLES,


rule figures:
    """The figures, and what they need."""
    input:
        FIGURES,
        CFRD_FIGURES,
        EBD_FIGURES,
