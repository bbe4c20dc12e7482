"""Features of hands, and the buckets that clustering makes of them."""


def warmup_file(wildcards):
    """The warm-up that a method reads, if it needs one."""
    warmup = CONFIG.methods[wildcards.game][wildcards.method].warmup
    return [] if warmup is None else f"{RESULTS}/warmup/{wildcards.game}/w{warmup}.npz"


rule ev_features:
    """What a method sees in the hands of every instance of a game."""
    input:
        games=game_files,
        warmup=warmup_file,
    output:
        f"{RESULTS}/features/{{game}}/{{method}}.npz",
    log:
        f"{RESULTS}/logs/ev_features/{{game}}/{{method}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/ev_features/{{game}}/{{method}}.tsv"
    params:
        config=lambda w: {
            "feature": CONFIG.methods[w.game][w.method].feature,
            "params": CONFIG.methods[w.game][w.method].params,
        },
        code=lambda w: code("ev_features", feature_module(w.game, w.method)),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "features of {wildcards.method} in {wildcards.game}"
    script:
        "../scripts/ev_features.py"


rule kmeans_buckets:
    """Bucket maps of hands, for every instance, K and k-means seed."""
    input:
        f"{RESULTS}/features/{{game}}/{{method}}.npz",
    output:
        f"{RESULTS}/buckets/{{game}}/{{method}}.npz",
    log:
        f"{RESULTS}/logs/kmeans_buckets/{{game}}/{{method}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/kmeans_buckets/{{game}}/{{method}}.tsv"
    params:
        config={
            "instances": WEVA.instances,
            "buckets": WEVA.buckets,
            "seeds": WEVA.kmeans.seeds,
            "n_init": WEVA.kmeans.n_init,
        },
        seed=CONFIG.seed,
        code=code("kmeans_buckets"),
    threads: 1
    resources:
        mem_mb=1500,
    message:
        "cluster {wildcards.method} in {wildcards.game}"
    script:
        "../scripts/kmeans_buckets.py"
