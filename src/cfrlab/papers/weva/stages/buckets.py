"""buckets: bucket maps of hands from their features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction import kmeans
from cfrlab.logs import Progress
from cfrlab.papers.weva import artifacts
from cfrlab.pipeline.job import Job
from cfrlab.seeds import seed_for


def cluster(
    features: Mapping[str, NDArray[np.float64]],
    instances: int,
    buckets: Sequence[int],
    seeds: int,
    n_init: int,
    seed_of: Callable[..., int],
) -> dict[str, NDArray[np.int32]]:
    """Bucket maps (``labels``) for every instance, player, K and k-means seed.

    Args:
        features: arrays by ``features``.
        instances: number of instances.
        buckets: every K.
        seeds: number of k-means seeds.
        n_init: k-means++ starts for each.
        seed_of: seed of the stream named (player, instance, K, number of the k-means seed).
    """
    progress = Progress(instances * len(buckets) * seeds, "bucket maps for both players")
    arrays = {}
    for instance in range(instances):
        for k in buckets:
            for s in range(seeds):
                for player in (0, 1):
                    made = kmeans.buckets(
                        features[artifacts.features(player, instance)],
                        k,
                        seed_of(player, instance, k, s),
                        n_init,
                    )
                    arrays[artifacts.labels(player, instance, k, s)] = made.labels
                progress.step()
    return arrays


def run(job: Job) -> None:
    """Run the stage."""
    features = job.load("features", artifacts.FEATURES).arrays
    seed_of = partial(seed_for, job.seed, "weva", "kmeans", *job.key.values())
    labels = cluster(features, **job.config, seed_of=seed_of)
    effective = {name: int(array.max()) + 1 for name, array in labels.items()}
    job.save(artifacts.BUCKETS, labels, {"k_effective": effective})
