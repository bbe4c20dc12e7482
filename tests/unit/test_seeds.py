import hashlib

import numpy as np

from cfrlab.seeds import rng_for, seed_for


def test_seed_is_the_start_of_the_sha256_of_the_names() -> None:
    digest = hashlib.sha256(b'["7", "game", "hunl-river", "3"]').hexdigest()
    assert seed_for(7, "game", "hunl-river", 3) == int(digest[:8], 16)


def test_a_stream_does_not_depend_on_other_streams() -> None:
    alone = rng_for(7, "kmeans", 20).random(5)
    rng_for(7, "game", 1).random(100)
    np.testing.assert_array_equal(rng_for(7, "kmeans", 20).random(5), alone)


def test_distinct_names_and_roots_give_distinct_seeds() -> None:
    names = [("a",), ("b",), ("a", "b"), ("ab",), ("a b",), ("b", "a"), ('a", "b',), ()]
    seeds = [seed_for(root, *name) for root in (0, 1) for name in names]
    seeds += [seed_for(0, "run", i) for i in range(1000)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_a_number_and_its_wildcard_string_are_one_name() -> None:
    assert seed_for(1, "game", 3) == seed_for(1, "game", "3")
