"""Solving by decomposition: CFR-D runs, re-solving, memory, and the figures made of them."""

from cfrlab.papers.cfrd.curves import cases
from cfrlab.papers.cfrd.footprint import MODES as MEMORY_MODES
from cfrlab.papers.cfrd.improve import equilibria
from cfrlab.papers.cfrd.labels import METHODS as RESOLVING_METHODS

CFRD = CONFIG.cfrd
CFRD_FIGURE_NAMES, CFRD_RESULTS, CFRD_JOBS = [], [], []

if CFRD:
    FIG3, FIG4, FIG5 = CFRD.figure3, CFRD.figure4, CFRD.figure5
    CFRD_FIGURE_NAMES = ["cfrd_fig3", "cfrd_fig4", "cfrd_fig5", "cfrd_memory"]
    CFRD_RUNS = [
        (game, variant, s)
        for game in FIG4.games
        for variant, part in FIG4.variants.items()
        # The longest first, so that they do not run alone in the end.
        for s in sorted(part.subgame_iterations, reverse=True)
    ]
    CFRD_CURVES = [
        (game, method, case)
        for game in FIG3.games
        for method in RESOLVING_METHODS
        for case in cases(FIG3.starts, FIG3.samples)
    ]
    CFRD_RESULTS = [
        *(f"{RESULTS}/cfrd/cfrd-grid/{g}/{v}/s{s}.npz" for g, v, s in CFRD_RUNS),
        *(f"{RESULTS}/cfrd/cfrd-curve/{g}/{m}/{c}.npz" for g, m, c in CFRD_CURVES),
        *(
            f"{RESULTS}/cfrd/cfrd-improved/{FIG5.game}/{name}.npz"
            for name in equilibria(FIG5.equilibria)
        ),
        *(f"{RESULTS}/cfrd/cfrd-measured/{mode}.npz" for mode in MEMORY_MODES),
    ]
    CFRD_JOBS = [
        *(f"{r}/{g}/{v}/s{s}" for r in ("run_cfrd", "cfrd_resolve_run") for g, v, s in CFRD_RUNS),
        *(f"cfrd_resolve_equilibrium/{g}/{m}/{c}" for g, m, c in CFRD_CURVES),
        *(f"cfrd_improve/{FIG5.game}/{name}" for name in equilibria(FIG5.equilibria)),
        *(f"cfrd_measure/{mode}" for mode in MEMORY_MODES),
        "cfrd_figures",
    ]


CFRD_FIGURES = expand(
    f"{RESULTS}/figures/{{name}}.{{suffix}}",
    name=CFRD_FIGURE_NAMES,
    suffix=["svg", "png", "csv", "md"],
)


def cfrd_game_module(label):
    return plugins.module_name(GAME_MODULES, CONFIG.settings[label].zoo, "game")


def figure3_points(case):
    """Repetitions stop earlier than the first start and the first seed."""
    first = case in ("uniform", "sample-1")
    return [t for t in FIG3.points if first or t <= FIG3.repeats_until]


if CFRD:

    rule run_cfrd:
        input:
            jit=ancient(JIT_READY),
        output:
            f"{RESULTS}/cfrd/cfrd-run/{{cfrd_game}}/{{variant}}/s{{subgame}}.npz",
        log:
            f"{RESULTS}/logs/run_cfrd/{{cfrd_game}}/{{variant}}/s{{subgame}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/run_cfrd/{{cfrd_game}}/{{variant}}/s{{subgame}}.tsv"
        params:
            config=lambda w: {
                "game": CONFIG.settings[w.cfrd_game].to_json(),
                "solver": FIG4.solver,
                "start": FIG4.variants[w.variant].start,
                "values": FIG4.variants[w.variant].values,
                "trunk_iterations": FIG4.variants[w.variant].trunk_iterations,
                "subgame_iterations": int(w.subgame),
            },
            code=lambda w: code(
                "run_cfrd", cfrd_game_module(w.cfrd_game), solver_module(FIG4.solver)
            ),
        threads: 1
        # The longest jobs of all, and the rest of Figure 4 waits for them.
        priority: lambda w: 20
        resources:
            mem_mb=1000,
        message:
            "CFR-D ({wildcards.variant}) on {wildcards.cfrd_game}, {wildcards.subgame} iterations in subgames"
        script:
            "../scripts/run_cfrd.py"

    rule cfrd_resolve_run:
        input:
            run=f"{RESULTS}/cfrd/cfrd-run/{{cfrd_game}}/{{variant}}/s{{subgame}}.npz",
            jit=ancient(JIT_READY),
        output:
            f"{RESULTS}/cfrd/cfrd-grid/{{cfrd_game}}/{{variant}}/s{{subgame}}.npz",
        log:
            f"{RESULTS}/logs/cfrd_resolve_run/{{cfrd_game}}/{{variant}}/s{{subgame}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/cfrd_resolve_run/{{cfrd_game}}/{{variant}}/s{{subgame}}.tsv"
        params:
            config=lambda w: {
                "game": CONFIG.settings[w.cfrd_game].to_json(),
                "solver": FIG4.solver,
                "iterations": FIG4.resolving_iterations,
            },
            code=lambda w: code(
                "cfrd_resolve_run", cfrd_game_module(w.cfrd_game), solver_module(FIG4.solver)
            ),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "re-solve what CFR-D ({wildcards.variant}, {wildcards.subgame}) left of {wildcards.cfrd_game}"
        script:
            "../scripts/cfrd_resolve_run.py"

    rule cfrd_resolve_equilibrium:
        input:
            jit=ancient(JIT_READY),
        output:
            f"{RESULTS}/cfrd/cfrd-curve/{{cfrd_game}}/{{resolving}}/{{case}}.npz",
        log:
            f"{RESULTS}/logs/cfrd_resolve_equilibrium/{{cfrd_game}}/{{resolving}}/{{case}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/cfrd_resolve_equilibrium/{{cfrd_game}}/{{resolving}}/{{case}}.tsv"
        params:
            config=lambda w: {
                "game": CONFIG.settings[w.cfrd_game].to_json(),
                "solver": FIG3.solver,
                "points": figure3_points(w.case),
            },
            seed=CONFIG.seed,
            code=lambda w: code(
                "cfrd_resolve_equilibrium", cfrd_game_module(w.cfrd_game), solver_module(FIG3.solver)
            ),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "{wildcards.resolving} re-solving of an equilibrium of {wildcards.cfrd_game}, {wildcards.case}"
        script:
            "../scripts/cfrd_resolve_equilibrium.py"

    rule cfrd_improve:
        input:
            jit=ancient(JIT_READY),
        output:
            f"{RESULTS}/cfrd/cfrd-improved/{{cfrd_game}}/{{equilibrium}}.npz",
        log:
            f"{RESULTS}/logs/cfrd_improve/{{cfrd_game}}/{{equilibrium}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/cfrd_improve/{{cfrd_game}}/{{equilibrium}}.tsv"
        params:
            config=lambda w: {
                "game": CONFIG.settings[w.cfrd_game].to_json(),
                "merge": [merge.model_dump() for merge in FIG5.merge],
                "solver": FIG5.solver,
                "points": FIG5.points,
                "samples": FIG5.samples,
                "cfr_plus_iterations": FIG5.cfr_plus_iterations,
            },
            seed=CONFIG.seed,
            code=lambda w: code(
                "cfrd_improve",
                cfrd_game_module(w.cfrd_game),
                *sorted({solver_module(FIG5.solver), solver_module("cfr-plus")}),
            ),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "improve the abstract equilibrium {wildcards.equilibrium} of {wildcards.cfrd_game}"
        script:
            "../scripts/cfrd_improve.py"

    rule cfrd_measure:
        input:
            jit=ancient(JIT_READY),
        output:
            f"{RESULTS}/cfrd/cfrd-measured/{{mode}}.npz",
        log:
            f"{RESULTS}/logs/cfrd_measure/{{mode}}.log",
        benchmark:
            f"{RESULTS}/benchmarks/cfrd_measure/{{mode}}.tsv"
        params:
            config={
                "game": CONFIG.settings["memory"].to_json(),
                "cfr_iterations": CFRD.memory.cfr_iterations,
                "trunk_iterations": CFRD.memory.trunk_iterations,
                "subgame_iterations": CFRD.memory.subgame_iterations,
            },
            code=code("cfrd_measure", cfrd_game_module("memory"), solver_module("cfr")),
        threads: 1
        resources:
            mem_mb=2000,
        message:
            "peak memory of {wildcards.mode}"
        script:
            "../scripts/cfrd_measure.py"

    rule cfrd_figures:
        input:
            CFRD_RESULTS,
        output:
            CFRD_FIGURES,
        log:
            f"{RESULTS}/logs/cfrd_figures.log",
        benchmark:
            f"{RESULTS}/benchmarks/cfrd_figures.tsv"
        params:
            config=CFRD.model_dump(mode="json"),
            seed=CONFIG.seed,
            code=code(
                "run_cfrd",
                "cfrd_resolve_run",
                "cfrd_resolve_equilibrium",
                "cfrd_improve",
                "cfrd_measure",
                "cfrd_figures",
            ),
        threads: 1
        resources:
            mem_mb=1000,
        message:
            "figures of the CFR-D paper"
        script:
            "../scripts/cfrd_figures.py"


wildcard_constraints:
    cfrd_game="|".join(CONFIG.settings) or "none",
    variant="|".join(CFRD.figure4.variants) if CFRD else "none",
    subgame=r"\d+",
    resolving="|".join(RESOLVING_METHODS),
    case=r"(uniform|(start|sample)-\d+)",
    equilibrium=r"[a-z0-9-]+",
    mode="|".join(MEMORY_MODES),
