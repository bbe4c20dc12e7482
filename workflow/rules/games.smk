"""Games, and CFR on them without abstraction."""


rule warm_jit:
    """Compile the kernels before jobs run side by side."""
    output:
        JIT_READY,
    log:
        f"{RESULTS}/logs/warm_jit.log",
    benchmark:
        f"{RESULTS}/benchmarks/warm_jit.tsv"
    params:
        code=code("warm_jit"),
    threads: 1
    resources:
        mem_mb=1000,
    message:
        "compile the kernels"
    script:
        "../scripts/warm_jit.py"


rule generate_game:
    """One random instance of a game."""
    output:
        f"{RESULTS}/games/{{game}}/{{instance}}.npz",
    log:
        f"{RESULTS}/logs/generate_game/{{game}}/{{instance}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/generate_game/{{game}}/{{instance}}.tsv"
    params:
        config=lambda w: {
            "zoo": CONFIG.games[w.game].zoo,
            "options": CONFIG.games[w.game].options,
        },
        seed=lambda w: game_seed(CONFIG.seed, w.game, w.instance),
        code=lambda w: code("generate_game", game_module(w.game)),
    threads: 1
    resources:
        mem_mb=1000,
    message:
        "generate {wildcards.game}, instance {wildcards.instance}"
    script:
        "../scripts/generate_game.py"


rule warmup_cfr:
    """A short run of CFR on every instance of a game."""
    input:
        games=game_files,
        jit=ancient(JIT_READY),
    output:
        f"{RESULTS}/warmup/{{game}}/w{{warmup}}.npz",
    log:
        f"{RESULTS}/logs/warmup_cfr/{{game}}/w{{warmup}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/warmup_cfr/{{game}}/w{{warmup}}.tsv"
    params:
        config=lambda w: {**WEVA.warmup.model_dump(), "iterations": int(w.warmup)},
        code=code("warmup_cfr", solver_module(WEVA.warmup.solver)),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "warm up {wildcards.game} for {wildcards.warmup} iterations"
    script:
        "../scripts/warmup_cfr.py"


rule oracle_cfr:
    """A very long run of CFR on one instance, for Figure 1."""
    input:
        game=f"{RESULTS}/games/{{game}}/{{instance}}.npz",
        jit=ancient(JIT_READY),
    output:
        f"{RESULTS}/oracle/{{game}}/{{instance}}.npz",
    log:
        f"{RESULTS}/logs/oracle_cfr/{{game}}/{{instance}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/oracle_cfr/{{game}}/{{instance}}.tsv"
    params:
        config={
            **WEVA.warmup.model_dump(),
            "iterations": WEVA.figure1.iterations,
            "points": WEVA.figure1.points,
        },
        code=code("oracle_cfr", solver_module(WEVA.warmup.solver)),
    threads: 1
    # The longest jobs, and nothing but figures waits for them: early, they leave no lonely tail.
    priority: 10
    resources:
        mem_mb=1500,
    message:
        "solve {wildcards.game}, instance {wildcards.instance}, for the oracle of Figure 1"
    script:
        "../scripts/oracle_cfr.py"
