"""Bucketed games solved, and their strategies met by best responses in the full game."""


def figure6_points(solver):
    """Iterations to keep besides the last, by K: the curves of Figure 6."""
    shown = solver == WEVA.figure6.solver
    return {str(WEVA.figure6.buckets): WEVA.figure6.points} if shown else {}


rule solve_abstract:
    """Strategies of the bucketed games of one method, by one solver."""
    input:
        games=game_files,
        buckets=f"{RESULTS}/buckets/{{game}}/{{method}}.npz",
        jit=ancient(JIT_READY),
    output:
        f"{RESULTS}/solutions/{{game}}/{{solver}}/{{method}}.npz",
    log:
        f"{RESULTS}/logs/solve_abstract/{{game}}/{{solver}}/{{method}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/solve_abstract/{{game}}/{{solver}}/{{method}}.tsv"
    params:
        config=lambda w: {
            "solver": w.solver,
            "averaging": {name: rule.model_dump() for name, rule in WEVA.averaging.items()},
            "instances": WEVA.instances,
            "buckets": WEVA.buckets,
            "seeds": WEVA.kmeans.seeds,
            "iterations": WEVA.iterations,
            "curve": figure6_points(w.solver),
        },
        code=lambda w: code("solve_abstract", solver_module(w.solver)),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "solve {wildcards.method} in {wildcards.game} by {wildcards.solver}"
    script:
        "../scripts/solve_abstract.py"


rule evaluate_exploitability:
    """How much those strategies lose to best responses in the full game."""
    input:
        games=game_files,
        buckets=f"{RESULTS}/buckets/{{game}}/{{method}}.npz",
        solutions=f"{RESULTS}/solutions/{{game}}/{{solver}}/{{method}}.npz",
        jit=ancient(JIT_READY),
    output:
        f"{RESULTS}/exploitability/{{game}}/{{solver}}/{{method}}.npz",
    log:
        f"{RESULTS}/logs/evaluate_exploitability/{{game}}/{{solver}}/{{method}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/evaluate_exploitability/{{game}}/{{solver}}/{{method}}.tsv"
    params:
        config=lambda w: {
            "game": w.game,
            "solver": w.solver,
            "method": CONFIG.methods[w.game][w.method].label,
            "warmup": CONFIG.methods[w.game][w.method].warmup,
        },
        code=code("evaluate_exploitability"),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "exploitability of {wildcards.method} in {wildcards.game} by {wildcards.solver}"
    script:
        "../scripts/evaluate_exploitability.py"
