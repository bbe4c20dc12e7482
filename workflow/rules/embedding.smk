"""Embedding CFR (Fu et al., 2026): from hands up to suits through Phi to curves and what they show."""

EMBEDDING = PAPERS["embedding"]


localrules:
    embedding,


rule embedding:
    """Everything about Embedding CFR."""
    input:
        EMBEDDING.everything(),


rule embedding_game:
    """A game of betting rounds, its hands up to suits."""
    output:
        EMBEDDING.output("game"),
    log:
        EMBEDDING.log("game"),
    benchmark:
        EMBEDDING.benchmark("game")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("game"),
    resources:
        mem_mb=1500,
    message:
        "hands and betting of {wildcards.game}"
    script:
        STAGE


rule embedding_values:
    """Expected values of hands under the average of a short run without abstraction."""
    input:
        unpack(EMBEDDING.inputs("values")),
    output:
        EMBEDDING.output("values"),
    log:
        EMBEDDING.log("values"),
    benchmark:
        EMBEDDING.benchmark("values")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("values"),
    priority: 10000
    resources:
        mem_mb=3000,
    message:
        "expected values of hands in {wildcards.game}"
    script:
        STAGE


rule embedding_buckets:
    """Hands grouped by a clustering."""
    input:
        unpack(EMBEDDING.inputs("buckets")),
    output:
        EMBEDDING.output("buckets"),
    log:
        EMBEDDING.log("buckets"),
    benchmark:
        EMBEDDING.benchmark("buckets")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("buckets"),
    priority: 10000
    resources:
        mem_mb=4000,
    message:
        "cluster hands of {wildcards.game} by {wildcards.clustering}, seed {wildcards.seed}"
    script:
        STAGE


rule embedding_train:
    """A network for every round but the first, and the Phi that it gives."""
    input:
        unpack(EMBEDDING.inputs("train")),
    output:
        EMBEDDING.output("train"),
        weights=[f"{RESULTS}/{path}" for path in EMBEDDING.plan.weights],
    log:
        EMBEDDING.log("train"),
    benchmark:
        EMBEDDING.benchmark("train")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("train"),
    # What waits for them takes longest.
    priority: 20000
    resources:
        mem_mb=3000,
    message:
        "train {wildcards.network} on hands of {wildcards.game}, seed {wildcards.seed}"
    script:
        STAGE


rule embedding_transform:
    """A sharper Phi from a trained one."""
    input:
        unpack(EMBEDDING.inputs("transform")),
    output:
        EMBEDDING.output("transform"),
    log:
        EMBEDDING.log("transform"),
    benchmark:
        EMBEDDING.benchmark("transform")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("transform"),
    priority: 20000
    resources:
        mem_mb=2000,
    message:
        "{wildcards.network} of {wildcards.game}, {wildcards.transform}, seed {wildcards.seed}"
    script:
        STAGE


rule embedding_curve:
    """One run of a solver under one abstraction: a line of a figure."""
    input:
        unpack(EMBEDDING.inputs("curve")),
    output:
        EMBEDDING.output("curve"),
    log:
        EMBEDDING.log("curve"),
    benchmark:
        EMBEDDING.benchmark("curve")
    wildcard_constraints:
        **EMBEDDING.plan.constraints(),
    params:
        job=EMBEDDING.job("curve"),
    # The longest first, so that they do not run alone in the end.
    priority: lambda w: EMBEDDING.plan.length(w.game, w.abstraction, w.solver, w.seed)
    resources:
        mem_mb=lambda w: EMBEDDING.plan.memory(w.abstraction),
    message:
        "solve {wildcards.game} under {wildcards.abstraction} by {wildcards.solver}, seed {wildcards.seed}"
    script:
        STAGE


rule embedding_counts:
    """Classes of hands counted, and the published counts beside."""
    input:
        unpack(EMBEDDING.inputs("counts")),
        published=published("embedding", "counts.csv"),
    output:
        EMBEDDING.texts("counts"),
        checksums=EMBEDDING.checksums("counts"),
    log:
        EMBEDDING.log("counts"),
    benchmark:
        EMBEDDING.benchmark("counts")
    params:
        job=EMBEDDING.job("counts"),
    resources:
        mem_mb=1500,
    message:
        "classes of hands counted"
    script:
        STAGE


rule embedding_records:
    """All curves and all abstractions, as two tables of data."""
    input:
        unpack(EMBEDDING.inputs("records")),
    output:
        EMBEDDING.texts("records"),
        checksums=EMBEDDING.checksums("records"),
    log:
        EMBEDDING.log("records"),
    benchmark:
        EMBEDDING.benchmark("records")
    params:
        job=EMBEDDING.job("records"),
    resources:
        mem_mb=2000,
    message:
        "curves of all abstractions in one table"
    script:
        STAGE


if EMBEDDING.plan.near:

    rule embedding_neighbours:
        """Hands that trained networks make play alike, as a table of data."""
        input:
            unpack(EMBEDDING.inputs("neighbours")),
        output:
            EMBEDDING.texts("neighbours"),
            checksums=EMBEDDING.checksums("neighbours"),
        log:
            EMBEDDING.log("neighbours"),
        benchmark:
            EMBEDDING.benchmark("neighbours")
        params:
            job=EMBEDDING.job("neighbours"),
        resources:
            mem_mb=2000,
        message:
            "hands that trained networks make play alike"
        script:
            STAGE


rule embedding_tables:
    """Where curves end, and what every Phi is like."""
    input:
        unpack(EMBEDDING.inputs("tables")),
    output:
        EMBEDDING.texts("tables"),
        checksums=EMBEDDING.checksums("tables"),
    log:
        EMBEDDING.log("tables"),
    benchmark:
        EMBEDDING.benchmark("tables")
    params:
        job=EMBEDDING.job("tables"),
    resources:
        mem_mb=2000,
    message:
        "tables of the Embedding CFR paper"
    script:
        STAGE


rule embedding_figures:
    """The paper's figures and ours, with their data and captions."""
    input:
        unpack(EMBEDDING.inputs("figures")),
    output:
        EMBEDDING.texts("figures"),
        checksums=EMBEDDING.checksums("figures"),
    log:
        EMBEDDING.log("figures"),
    benchmark:
        EMBEDDING.benchmark("figures")
    params:
        job=EMBEDDING.job("figures"),
    resources:
        mem_mb=1500,
    message:
        "figures of the Embedding CFR paper"
    script:
        STAGE


rule embedding_claims:
    """The paper's claims, each with a verdict computed from this run."""
    input:
        unpack(EMBEDDING.inputs("claims")),
        published=[published("embedding", "counts.csv"), published("embedding", "claims.yaml")],
    output:
        EMBEDDING.texts("claims"),
        checksums=EMBEDDING.checksums("claims"),
    log:
        EMBEDDING.log("claims"),
    benchmark:
        EMBEDDING.benchmark("claims")
    params:
        job=EMBEDDING.job("claims"),
    resources:
        mem_mb=1500,
    message:
        "claims of the Embedding CFR paper"
    script:
        STAGE
