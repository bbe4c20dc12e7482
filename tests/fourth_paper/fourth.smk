"""The fourth paper."""

FOURTH = PAPERS["fourth"]


localrules:
    fourth,


rule fourth:
    """Everything about the fourth paper."""
    input:
        FOURTH.everything(),


rule fourth_solve:
    """One game by CFR."""
    output:
        FOURTH.output("solve"),
    log:
        FOURTH.log("solve"),
    benchmark:
        FOURTH.benchmark("solve")
    wildcard_constraints:
        **FOURTH.plan.constraints(),
    params:
        job=FOURTH.job("solve"),
    script:
        STAGE


rule fourth_tables:
    """The values."""
    input:
        unpack(FOURTH.inputs("tables")),
    output:
        FOURTH.texts("tables"),
        checksums=FOURTH.checksums("tables"),
    log:
        FOURTH.log("tables"),
    benchmark:
        FOURTH.benchmark("tables")
    params:
        job=FOURTH.job("tables"),
    script:
        STAGE


rule fourth_figures:
    """The values, drawn."""
    input:
        unpack(FOURTH.inputs("figures")),
    output:
        FOURTH.texts("figures"),
        checksums=FOURTH.checksums("figures"),
    log:
        FOURTH.log("figures"),
    benchmark:
        FOURTH.benchmark("figures")
    params:
        job=FOURTH.job("figures"),
    script:
        STAGE


rule fourth_claims:
    """The paper's claims, judged."""
    input:
        unpack(FOURTH.inputs("claims")),
        published=published("fourth", "claims.yaml"),
    output:
        FOURTH.texts("claims"),
        checksums=FOURTH.checksums("claims"),
    log:
        FOURTH.log("claims"),
    benchmark:
        FOURTH.benchmark("claims")
    params:
        job=FOURTH.job("claims"),
    script:
        STAGE
