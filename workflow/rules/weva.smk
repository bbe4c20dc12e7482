"""What the WEVA paper's tables, figures and claims become here."""

SCALE = ("instances", "warmup", "buckets", "kmeans", "iterations", "solvers", "averaging")
UNITS = [
    (game, solver, method)
    for game in CONFIG.games
    for solver in WEVA.solvers
    for method in CONFIG.methods[game]
]
EXPLOITABILITY = [f"{RESULTS}/exploitability/{g}/{s}/{m}.npz" for g, s, m in UNITS]
ORACLE = expand(
    f"{RESULTS}/oracle/{{game}}/{{instance}}.npz", game=CONFIG.figure1_games, instance=INSTANCES
)
TABLE_NAMES = [f"weva_{solver}table{k}" for solver in ("", "dcfr_") for k in (1, 2, 3)]
FIGURE_NAMES = [f"weva_fig{k}" for k in (1, 2, 3, 5, 6)]
TABLES = [
    *expand(f"{RESULTS}/tables/{{name}}.{{suffix}}", name=TABLE_NAMES, suffix=["csv", "md"]),
    f"{RESULTS}/tables/weva_cells.csv",
]
FIGURES = expand(
    f"{RESULTS}/figures/{{name}}.{{suffix}}",
    name=FIGURE_NAMES,
    suffix=["svg", "png", "csv", "md"],
)
CLAIMS = f"{RESULTS}/claims.csv"
REPORT = [
    f"{RESULTS}/report/index.html",
    f"{RESULTS}/report/claims.csv",
    f"{RESULTS}/report/run.json",
    *expand(f"{RESULTS}/report/tables/{{name}}.csv", name=[*TABLE_NAMES, *EBD_TABLE_NAMES]),
    *expand(
        f"{RESULTS}/report/figures/{{name}}.{{suffix}}",
        name=[*FIGURE_NAMES, *CFRD_FIGURE_NAMES, *EBD_FIGURE_NAMES],
        suffix=["svg", "csv"],
    ),
]


def code_behind(*last):
    """Code of everything that a result comes from, back to the games."""
    stages = [
        "generate_game",
        "warmup_cfr",
        "ev_features",
        "kmeans_buckets",
        "solve_abstract",
        "evaluate_exploitability",
    ]
    modules = {game_module(game) for game in CONFIG.games}
    modules |= {feature_module(g, m) for g in CONFIG.games for m in CONFIG.methods[g]}
    modules |= {solver_module(solver) for solver in [WEVA.warmup.solver, *WEVA.solvers]}
    return code(*stages, *last, *sorted(modules))


def made_from(*parts):
    """The part of the configuration that a result comes from."""
    section = WEVA.model_dump(mode="json", exclude_none=True)
    return {key: section[key] for key in ("games", "methods", *SCALE, *parts)}


rule weva_tables:
    """The WEVA paper's tables, ours beside the published numbers."""
    input:
        records=EXPLOITABILITY,
        published=published("weva", "tables.csv"),
    output:
        TABLES,
    log:
        f"{RESULTS}/logs/weva_tables.log",
    benchmark:
        f"{RESULTS}/benchmarks/weva_tables.tsv"
    params:
        config=made_from(),
        seed=CONFIG.seed,
        code=code_behind("weva_tables"),
    threads: 1
    resources:
        mem_mb=1000,
    message:
        "tables of the WEVA paper"
    script:
        "../scripts/weva_tables.py"


rule weva_figures:
    """The WEVA paper's figures, with their data and captions."""
    input:
        records=EXPLOITABILITY,
        oracle=ORACLE,
        published=published("weva", "tables.csv"),
    output:
        FIGURES,
    log:
        f"{RESULTS}/logs/weva_figures.log",
    benchmark:
        f"{RESULTS}/benchmarks/weva_figures.tsv"
    params:
        config=made_from("figure1", "figure6"),
        seed=CONFIG.seed,
        code=code_behind("oracle_cfr", "weva_figures"),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "figures of the WEVA paper"
    script:
        "../scripts/weva_figures.py"


rule claims:
    """Every claim of the papers with a verdict computed from this run."""
    input:
        records=EXPLOITABILITY,
        oracle=ORACLE,
        cfrd=CFRD_RESULTS,
        embedding=EBD_CLAIMED,
        published=published("weva", "tables.csv"),
        claims=published("weva", "claims.yaml"),
        cfrd_claims=published("cfrd", "claims.yaml"),
        embedding_claims=published("embedding", "claims.yaml"),
    output:
        CLAIMS,
    log:
        f"{RESULTS}/logs/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/claims.tsv"
    params:
        solvers=EMBEDDING.model_dump(mode="json")["solvers"] if EMBEDDING else {},
        code=code("claims"),
    threads: 1
    resources:
        mem_mb=1000,
    message:
        "claims of the papers"
    script:
        "../scripts/claims.py"


def benchmark_files():
    """Times of all jobs behind the report."""
    jobs = ["warm_jit", "weva_tables", "weva_figures", "claims"]
    jobs += [f"generate_game/{game}/{i}" for game in CONFIG.games for i in INSTANCES]
    jobs += [f"oracle_cfr/{game}/{i}" for game in CONFIG.figure1_games for i in INSTANCES]
    for game, methods in CONFIG.methods.items():
        warmups = {method.warmup for method in methods.values()} - {None}
        jobs += [f"warmup_cfr/{game}/w{warmup}" for warmup in sorted(warmups)]
        jobs += [f"{rule}/{game}/{m}" for rule in ("ev_features", "kmeans_buckets") for m in methods]
    for rule in ("solve_abstract", "evaluate_exploitability"):
        jobs += [f"{rule}/{game}/{solver}/{method}" for game, solver, method in UNITS]
    return [f"{RESULTS}/benchmarks/{job}.tsv" for job in [*jobs, *CFRD_JOBS, *EBD_JOBS]]


rule report:
    """One static page: claims, tables, figures, and how it was run."""
    input:
        tables=[*TABLES, *EBD_TABLES],
        figures=[*FIGURES, *CFRD_FIGURES, *EBD_FIGURES],
        claims=CLAIMS,
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    params:
        config=dict(config),
        seed=CONFIG.seed,
        benchmarks=benchmark_files(),
        code=code_behind("oracle_cfr", "weva_tables", "weva_figures", "claims", "report"),
    threads: 1
    resources:
        mem_mb=1000,
    message:
        "report: {output[0]}"
    script:
        "../scripts/report.py"
