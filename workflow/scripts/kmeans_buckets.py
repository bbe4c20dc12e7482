"""Bucket maps from features, for every instance, K and k-means seed."""

from functools import partial

from cfrlab.logs import stage
from cfrlab.papers.weva.stages import names
from cfrlab.papers.weva.stages.clustering import cluster
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.seeds import seed_for

params, wildcards = snakemake.params, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    features = store.load(snakemake.input[0], names.FEATURES).arrays
    seed_of = partial(seed_for, params.seed, "weva", "kmeans", wildcards.game, wildcards.method)
    labels = cluster(features, **params.config, seed_of=seed_of)
    k_effective = {name: int(array.max()) + 1 for name, array in labels.items()}
    made = Provenance(params.config, params.seed, params.code)
    store.save(snakemake.output[0], names.BUCKETS, labels, {"k_effective": k_effective}, made)
