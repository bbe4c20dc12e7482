"""CFR-D (Burch, Johanson and Bowling, 2014): solving by decomposition, re-solving, memory."""

CFRD = PAPERS["cfrd"]


localrules:
    cfrd,


rule cfrd:
    """Everything about CFR-D."""
    input:
        CFRD.everything(),


rule cfrd_run:
    """CFR-D with one number of subgame iterations, and what it leaves."""
    output:
        CFRD.output("run"),
    log:
        CFRD.log("run"),
    benchmark:
        CFRD.benchmark("run")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("run"),
    # The longest jobs of all, and the rest of Figure 4 waits for them.
    priority: 20
    resources:
        mem_mb=1000,
    message:
        "CFR-D ({wildcards.variant}) on {wildcards.game}, {wildcards.subgame} iterations in subgames"
    script:
        STAGE


rule cfrd_resolve_run:
    """Re-solve the subgames of what CFR-D leaves."""
    input:
        unpack(CFRD.inputs("resolve_run")),
    output:
        CFRD.output("resolve_run"),
    log:
        CFRD.log("resolve_run"),
    benchmark:
        CFRD.benchmark("resolve_run")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("resolve_run"),
    resources:
        mem_mb=1000,
    message:
        "re-solve what CFR-D ({wildcards.variant}, {wildcards.subgame}) left of {wildcards.game}"
    script:
        STAGE


rule cfrd_resolve_equilibrium:
    """Re-solve the subgames of an equilibrium: one line of Figure 3."""
    output:
        CFRD.output("resolve_equilibrium"),
    log:
        CFRD.log("resolve_equilibrium"),
    benchmark:
        CFRD.benchmark("resolve_equilibrium")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("resolve_equilibrium"),
    resources:
        mem_mb=1000,
    message:
        "{wildcards.method} re-solving of an equilibrium of {wildcards.game}, {wildcards.case}"
    script:
        STAGE


rule cfrd_improve:
    """Re-solve the subgames of an abstract equilibrium without abstraction."""
    output:
        CFRD.output("improve"),
    log:
        CFRD.log("improve"),
    benchmark:
        CFRD.benchmark("improve")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("improve"),
    resources:
        mem_mb=1000,
    message:
        "improve the abstract equilibrium {wildcards.equilibrium} of {wildcards.game}"
    script:
        STAGE


rule cfrd_measure:
    """Peak memory and time of CFR or CFR-D."""
    output:
        CFRD.output("measure"),
    log:
        CFRD.log("measure"),
    benchmark:
        CFRD.benchmark("measure")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("measure"),
    resources:
        mem_mb=2000,
    message:
        "peak memory of {wildcards.mode}"
    script:
        STAGE


rule cfrd_scaling:
    """CFR-D with some of a game's subgames apart."""
    output:
        CFRD.output("scaling"),
    log:
        CFRD.log("scaling"),
    benchmark:
        CFRD.benchmark("scaling")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("scaling"),
    resources:
        mem_mb=1000,
    message:
        "CFR-D on {wildcards.game}, {wildcards.subgames} subgames apart"
    script:
        STAGE


rule cfrd_timing:
    """Times of safe and unsafe re-solving."""
    output:
        CFRD.output("timing"),
    log:
        CFRD.log("timing"),
    benchmark:
        CFRD.benchmark("timing")
    wildcard_constraints:
        **CFRD.plan.constraints(),
    params:
        job=CFRD.job("timing"),
    resources:
        mem_mb=1000,
    message:
        "time re-solving of {wildcards.game}"
    script:
        STAGE


if CFRD.plan.figures:

    rule cfrd_figures:
        """The paper's figures, with their data and captions."""
        input:
            unpack(CFRD.inputs("figures")),
        output:
            CFRD.texts("figures"),
            checksums=CFRD.checksums("figures"),
        log:
            CFRD.log("figures"),
        benchmark:
            CFRD.benchmark("figures")
        params:
            job=CFRD.job("figures"),
        resources:
            mem_mb=1000,
        message:
            "figures of the CFR-D paper"
        script:
            STAGE


rule cfrd_claims:
    """The paper's claims, each with a verdict computed from this run."""
    input:
        unpack(CFRD.inputs("claims")),
        published=published("cfrd", "claims.yaml"),
    output:
        CFRD.texts("claims"),
        checksums=CFRD.checksums("claims"),
    log:
        CFRD.log("claims"),
    benchmark:
        CFRD.benchmark("claims")
    params:
        job=CFRD.job("claims"),
    resources:
        mem_mb=1000,
    message:
        "claims of the CFR-D paper"
    script:
        STAGE
