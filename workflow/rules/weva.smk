"""WEVA (Li and Huang, 2026): from random boards through bucket maps to exploitability."""

WEVA = PAPERS["weva"]


localrules:
    weva,


rule weva:
    """Everything about WEVA."""
    input:
        WEVA.everything(),


rule weva_game:
    """One random instance of a game."""
    output:
        WEVA.output("game"),
    log:
        WEVA.log("game"),
    benchmark:
        WEVA.benchmark("game")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("game"),
    resources:
        mem_mb=1000,
    message:
        "generate {wildcards.game}, instance {wildcards.instance}"
    script:
        STAGE


rule weva_warmup:
    """A short run of CFR on every instance of a game."""
    input:
        unpack(WEVA.inputs("warmup")),
    output:
        WEVA.output("warmup"),
    log:
        WEVA.log("warmup"),
    benchmark:
        WEVA.benchmark("warmup")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("warmup"),
    resources:
        mem_mb=1500,
    message:
        "warm up {wildcards.game} for {wildcards.warmup} iterations"
    script:
        STAGE


rule weva_oracle:
    """A very long run of CFR on one instance, for Figure 1."""
    input:
        unpack(WEVA.inputs("oracle")),
    output:
        WEVA.output("oracle"),
    log:
        WEVA.log("oracle"),
    benchmark:
        WEVA.benchmark("oracle")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("oracle"),
    # The longest jobs, and nothing but figures waits for them: early, they leave no lonely tail.
    priority: 10
    resources:
        mem_mb=1500,
    message:
        "solve {wildcards.game}, instance {wildcards.instance}, for the oracle of Figure 1"
    script:
        STAGE


rule weva_features:
    """What a method sees in the hands of every instance of a game."""
    input:
        unpack(WEVA.inputs("features")),
    output:
        WEVA.output("features"),
    log:
        WEVA.log("features"),
    benchmark:
        WEVA.benchmark("features")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("features"),
    resources:
        mem_mb=1500,
    message:
        "features of {wildcards.method} in {wildcards.game}"
    script:
        STAGE


rule weva_buckets:
    """Bucket maps of hands, for every instance, K and k-means seed."""
    input:
        unpack(WEVA.inputs("buckets")),
    output:
        WEVA.output("buckets"),
    log:
        WEVA.log("buckets"),
    benchmark:
        WEVA.benchmark("buckets")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("buckets"),
    resources:
        mem_mb=1500,
    message:
        "cluster {wildcards.method} in {wildcards.game}"
    script:
        STAGE


rule weva_solve:
    """Strategies of the bucketed games of one method, by one solver."""
    input:
        unpack(WEVA.inputs("solve")),
    output:
        WEVA.output("solve"),
    log:
        WEVA.log("solve"),
    benchmark:
        WEVA.benchmark("solve")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("solve"),
    resources:
        mem_mb=1500,
    message:
        "solve {wildcards.method} in {wildcards.game} by {wildcards.solver}"
    script:
        STAGE


rule weva_evaluate:
    """How much those strategies lose to best responses in the full game."""
    input:
        unpack(WEVA.inputs("evaluate")),
    output:
        WEVA.output("evaluate"),
    log:
        WEVA.log("evaluate"),
    benchmark:
        WEVA.benchmark("evaluate")
    wildcard_constraints:
        **WEVA.plan.constraints(),
    params:
        job=WEVA.job("evaluate"),
    resources:
        mem_mb=1500,
    message:
        "exploitability of {wildcards.method} in {wildcards.game} by {wildcards.solver}"
    script:
        STAGE


rule weva_tables:
    """Tables 1 to 3 and those of the appendix, ours beside the published numbers."""
    input:
        unpack(WEVA.inputs("tables")),
        published=published("weva", "tables.csv"),
    output:
        WEVA.texts("tables"),
        checksums=WEVA.checksums("tables"),
    log:
        WEVA.log("tables"),
    benchmark:
        WEVA.benchmark("tables")
    params:
        job=WEVA.job("tables"),
    resources:
        mem_mb=1000,
    message:
        "tables of the WEVA paper"
    script:
        STAGE


rule weva_figures:
    """The paper's figures, with their data and captions."""
    input:
        unpack(WEVA.inputs("figures")),
        published=published("weva", "tables.csv"),
    output:
        WEVA.texts("figures"),
        checksums=WEVA.checksums("figures"),
    log:
        WEVA.log("figures"),
    benchmark:
        WEVA.benchmark("figures")
    params:
        job=WEVA.job("figures"),
    resources:
        mem_mb=1500,
    message:
        "figures of the WEVA paper"
    script:
        STAGE


rule weva_claims:
    """The paper's claims, each with a verdict computed from this run."""
    input:
        unpack(WEVA.inputs("claims")),
        published=[published("weva", "tables.csv"), published("weva", "claims.yaml")],
    output:
        WEVA.texts("claims"),
        checksums=WEVA.checksums("claims"),
    log:
        WEVA.log("claims"),
    benchmark:
        WEVA.benchmark("claims")
    params:
        job=WEVA.job("claims"),
    resources:
        mem_mb=1000,
    message:
        "claims of the WEVA paper"
    script:
        STAGE
