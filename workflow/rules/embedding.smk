"""Embedding CFR: games of betting rounds, abstractions of hands, curves, and what they add up to."""

from cfrlab.papers.embedding.setting import Curve

EMBEDDING, EBD = CONFIG.embedding, CONFIG.experiments
EBD_FOLDER = f"{RESULTS}/embedding"
CLUSTERING_MODULES = "cfrlab.abstraction.clusterings"
EBD_TABLE_NAMES, EBD_FIGURE_NAMES, EBD_RECORDS = [], [], []
EBD_CURVES, EBD_PHIS, EBD_JOBS, EBD_STAGES = [], [], [], []

if EMBEDDING:
    EBD_TABLE_NAMES = ["embedding_counts", "embedding_ends", "embedding_phi"]
    EBD_FIGURE_NAMES = ["embedding_fig5", "embedding_ablation", "embedding_sharpness"]
    EBD_RECORDS = expand(
        f"{RESULTS}/tables/embedding_{{name}}.csv", name=["curves", "phis", "neighbours"]
    )
    # The games whose cards differ; stakes make no other hands.
    EBD_DECKS = sorted({EBD.first_with_cards(label) for label in EBD.games})
    EBD_CURVES = [f"{EBD_FOLDER}/curve/{curve.name}.npz" for curve in EBD.points]
    EBD_PHIS = [f"{EBD_FOLDER}/phi/{g}/{name}/s{seed}.npz" for g, name, seed in EBD.abstracted()]
    # Hands that a network makes play alike: the first seed of those in Figure 5.
    EBD_NEAR = sorted(
        {
            (EBD.made_for(c.game, EBD.abstractions[c.abstraction].source), c.abstraction, c.seed)
            for c in EBD.studies["figure5"].curves
            if EBD.abstractions[c.abstraction].network and c.seed == 0
        }
    )
    EBD_JOBS = [
        *(f"embedding_{job}" for job in EBD.jobs()),
        *(f"embedding_{name}" for name in ("counts", "records", "neighbours", "tables", "figures")),
    ]
    EBD_STAGES = [
        f"embedding_{stage}"
        for stage in ("game", "values", "buckets", "train", "transform", "curve", "records")
    ]

EBD_TABLES = expand(
    f"{RESULTS}/tables/{{name}}.{{suffix}}", name=EBD_TABLE_NAMES, suffix=["csv", "md"]
)
EBD_CLAIMED = [
    f"{RESULTS}/tables/embedding_{name}.csv" for name in ("curves", "counts") if EMBEDDING
]
EBD_FIGURES = expand(
    f"{RESULTS}/figures/{{name}}.{{suffix}}",
    name=EBD_FIGURE_NAMES,
    suffix=["svg", "png", "csv", "md"],
)


def ebd_curve(wildcards):
    return Curve(
        wildcards.ebd_game, wildcards.abstraction, wildcards.ebd_solver, int(wildcards.seed)
    )


def ebd_made_for(wildcards):
    """The game that the Phi of a curve is made for; None for the lossless game."""
    source = EBD.abstractions[wildcards.abstraction].source
    return EBD.made_for(wildcards.ebd_game, source) if source else None


def ebd_phi(wildcards):
    """The Phi of a curve; none for the lossless game."""
    game = ebd_made_for(wildcards)
    if game is None:
        return []
    return f"{EBD_FOLDER}/phi/{game}/{wildcards.abstraction}/s{wildcards.seed}.npz"


def ebd_values(source, game):
    """Expected values, for a source that needs them."""
    return f"{EBD_FOLDER}/values/{game}.npz" if source.needs_values else []


def ebd_memory(wildcards):
    """Most memory of a curve, in MB: when it is taken up again from a checkpoint.

    One number for each infoset and action of Numeral211 takes 0.5 GB, and without abstraction
    there are five: regret, strategy and three averages.
    """
    return 8000 if EBD.abstractions[wildcards.abstraction].source is None else 4000


def clustering_module(label):
    family = EBD.clusterings[label].family
    return plugins.module_name(CLUSTERING_MODULES, family, "clustering")


if EMBEDDING:

    localrules:
        embedding,

    rule embedding:
        """Everything about Embedding CFR."""
        input:
            EBD_TABLES,
            EBD_RECORDS,
            EBD_FIGURES,

    rule embedding_game:
        output:
            f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
        log:
            f"{RESULTS}/logs/embedding_game/{{ebd_game}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_game/{{ebd_game}}.tsv"
        params:
            config=lambda w: {
                "zoo": EBD.games[w.ebd_game].zoo,
                "options": EBD.games[w.ebd_game].options,
            },
            code=lambda w: code(
                "embedding_game",
                plugins.module_name(GAME_MODULES, EBD.games[w.ebd_game].zoo, "game"),
            ),
        threads: 1
        resources:
            mem_mb=1500,
        message:
            "hands and betting of {wildcards.ebd_game}"
        script:
            "../scripts/embedding_game.py"

    rule embedding_counts:
        input:
            games=expand(f"{EBD_FOLDER}/game/{{ebd_game}}.npz", ebd_game=EBD_DECKS),
            published=published("embedding", "counts.csv"),
        output:
            f"{RESULTS}/tables/embedding_counts.csv",
            f"{RESULTS}/tables/embedding_counts.md",
        log:
            f"{RESULTS}/logs/embedding_counts.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_counts.tsv"
        params:
            config={label: EMBEDDING.games[label] for label in EBD_DECKS},
            seed=CONFIG.seed,
            code=code("embedding_counts"),
        threads: 1
        resources:
            mem_mb=1500,
        message:
            "classes of hands counted"
        script:
            "../scripts/embedding_counts.py"

    rule embedding_values:
        input:
            game=f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
            jit=ancient(JIT_READY),
        output:
            f"{EBD_FOLDER}/values/{{ebd_game}}.npz",
        log:
            f"{RESULTS}/logs/embedding_values/{{ebd_game}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_values/{{ebd_game}}.tsv"
        params:
            config=EMBEDDING.warmup.model_dump(),
            code=code("embedding_values", solver_module(EMBEDDING.warmup.rule)),
        threads: 1
        priority: 10000
        resources:
            mem_mb=3000,
        message:
            "expected values of hands in {wildcards.ebd_game}"
        script:
            "../scripts/embedding_values.py"

    rule embedding_buckets:
        input:
            game=f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
            values=lambda w: ebd_values(EBD.clusterings[w.clustering], w.ebd_game),
        output:
            f"{EBD_FOLDER}/phi/{{ebd_game}}/{{clustering}}/s{{seed}}.npz",
        log:
            f"{RESULTS}/logs/embedding_buckets/{{ebd_game}}/{{clustering}}/s{{seed}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_buckets/{{ebd_game}}/{{clustering}}/s{{seed}}.tsv"
        params:
            config=lambda w: {
                "clustering": EBD.clusterings[w.clustering].family,
                "budgets": list(EBD.clusterings[w.clustering].budgets),
                "params": EBD.clusterings[w.clustering].params,
            },
            seed=CONFIG.seed,
            code=lambda w: code("embedding_buckets", clustering_module(w.clustering)),
        threads: 1
        priority: 10000
        resources:
            mem_mb=4000,
        message:
            "cluster hands of {wildcards.ebd_game} by {wildcards.clustering}, seed {wildcards.seed}"
        script:
            "../scripts/embedding_buckets.py"

    rule embedding_train:
        input:
            game=f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
            values=lambda w: ebd_values(EBD.networks[w.network], w.ebd_game),
        output:
            phi=f"{EBD_FOLDER}/phi/{{ebd_game}}/{{network}}/s{{seed}}.npz",
            weights=[
                f"{EBD_FOLDER}/network/{{ebd_game}}/{{network}}/s{{seed}}-round{r}.safetensors"
                for r in range(2, len(EMBEDDING.budgets) + 2)
            ],
        log:
            f"{RESULTS}/logs/embedding_train/{{ebd_game}}/{{network}}/s{{seed}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_train/{{ebd_game}}/{{network}}/s{{seed}}.tsv"
        params:
            config=lambda w: {
                "budgets": list(EBD.networks[w.network].budgets),
                **EBD.networks[w.network].params,
            },
            seed=CONFIG.seed,
            code=code("embedding_train"),
        threads: 1
        # What waits for them takes longest.
        priority: 20000
        resources:
            mem_mb=3000,
        message:
            "train {wildcards.network} on hands of {wildcards.ebd_game}, seed {wildcards.seed}"
        script:
            "../scripts/embedding_train.py"

    rule embedding_transform:
        input:
            game=f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
            phi=f"{EBD_FOLDER}/phi/{{ebd_game}}/{{network}}/s{{seed}}.npz",
        output:
            f"{EBD_FOLDER}/phi/{{ebd_game}}/{{network}}/{{transform}}/s{{seed}}.npz",
        log:
            f"{RESULTS}/logs/embedding_transform/{{ebd_game}}/{{network}}/{{transform}}/s{{seed}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_transform/{{ebd_game}}/{{network}}/{{transform}}/s{{seed}}.tsv"
        params:
            config=lambda w: EMBEDDING.transforms[w.transform].model_dump(),
            code=code("embedding_transform"),
        threads: 1
        priority: 20000
        resources:
            mem_mb=2000,
        message:
            "{wildcards.network} of {wildcards.ebd_game}, {wildcards.transform}, seed {wildcards.seed}"
        script:
            "../scripts/embedding_transform.py"

    rule embedding_curve:
        input:
            game=f"{EBD_FOLDER}/game/{{ebd_game}}.npz",
            phi=ebd_phi,
            jit=ancient(JIT_READY),
        output:
            f"{EBD_FOLDER}/curve/{{ebd_game}}/{{abstraction}}/{{ebd_solver}}/s{{seed}}.npz",
        log:
            f"{RESULTS}/logs/embedding_curve/{{ebd_game}}/{{abstraction}}/{{ebd_solver}}/s{{seed}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_curve/{{ebd_game}}/{{abstraction}}/{{ebd_solver}}/s{{seed}}.tsv"
        params:
            config=lambda w: {
                "solver": EMBEDDING.solvers[w.ebd_solver].model_dump(),
                "points": list(EBD.points[ebd_curve(w)]),
                "device": EBD.device(w.abstraction, EMBEDDING.device),
            },
            made_for=ebd_made_for,
            seed=lambda w: ebd_curve(w).deal_seed(CONFIG.seed),
            code=lambda w: code(
                "embedding_curve", solver_module(EMBEDDING.solvers[w.ebd_solver].rule)
            ),
        threads: 1
        # The longest first, so that they do not run alone in the end.
        priority: lambda w: EBD.length(ebd_curve(w))
        resources:
            mem_mb=ebd_memory,
        message:
            "solve {wildcards.ebd_game} under {wildcards.abstraction} by {wildcards.ebd_solver}, seed {wildcards.seed}"
        script:
            "../scripts/embedding_curve.py"

    rule embedding_records:
        input:
            curves=EBD_CURVES,
            phis=EBD_PHIS,
        output:
            curves=f"{RESULTS}/tables/embedding_curves.csv",
            phis=f"{RESULTS}/tables/embedding_phis.csv",
        log:
            f"{RESULTS}/logs/embedding_records.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_records.tsv"
        params:
            studies={
                name: {
                    "points": study.points,
                    "curves": [f"{EBD_FOLDER}/curve/{curve.name}.npz" for curve in study.curves],
                }
                for name, study in EBD.studies.items()
            },
            code=code("embedding_records"),
        threads: 1
        resources:
            mem_mb=2000,
        message:
            "curves of all abstractions in one table"
        script:
            "../scripts/embedding_records.py"

    rule embedding_neighbours:
        input:
            [f"{EBD_FOLDER}/phi/{g}/{name}/s{seed}.npz" for g, name, seed in EBD_NEAR],
        output:
            f"{RESULTS}/tables/embedding_neighbours.csv",
        log:
            f"{RESULTS}/logs/embedding_neighbours.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_neighbours.tsv"
        params:
            code=code("embedding_neighbours"),
        threads: 1
        resources:
            mem_mb=2000,
        message:
            "hands that trained networks make play alike"
        script:
            "../scripts/embedding_neighbours.py"

    rule embedding_tables:
        input:
            curves=f"{RESULTS}/tables/embedding_curves.csv",
            phis=f"{RESULTS}/tables/embedding_phis.csv",
            neighbours=f"{RESULTS}/tables/embedding_neighbours.csv",
        output:
            expand(
                f"{RESULTS}/tables/{{name}}.{{suffix}}",
                name=["embedding_ends", "embedding_phi"],
                suffix=["csv", "md"],
            ),
        log:
            f"{RESULTS}/logs/embedding_tables.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_tables.tsv"
        params:
            config=EMBEDDING.model_dump(mode="json"),
            seed=CONFIG.seed,
            code=code(*EBD_STAGES, "embedding_neighbours", "embedding_tables"),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "tables of the Embedding CFR paper"
        script:
            "../scripts/embedding_tables.py"

    rule embedding_figures:
        input:
            curves=f"{RESULTS}/tables/embedding_curves.csv",
            phis=f"{RESULTS}/tables/embedding_phis.csv",
        output:
            EBD_FIGURES,
        log:
            f"{RESULTS}/logs/embedding_figures.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_figures.tsv"
        params:
            config=EMBEDDING.model_dump(mode="json"),
            seed=CONFIG.seed,
            code=code(*EBD_STAGES, "embedding_figures"),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "figures of the Embedding CFR paper"
        script:
            "../scripts/embedding_figures.py"


def any_of(labels):
    return "|".join(labels) or "none"


wildcard_constraints:
    ebd_game=any_of(EBD.games) if EMBEDDING else "none",
    clustering=any_of(EBD.clusterings) if EMBEDDING else "none",
    network=any_of(EBD.networks) if EMBEDDING else "none",
    transform=any_of(EMBEDDING.transforms) if EMBEDDING else "none",
    abstraction=any_of(EBD.abstractions) if EMBEDDING else "none",
    ebd_solver=any_of(EMBEDDING.solvers) if EMBEDDING else "none",
    seed=r"\d+",
