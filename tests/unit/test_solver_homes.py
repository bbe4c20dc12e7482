"""Which results an edit of the code reruns: a module counts where an engine imports it.

Artifacts carry a hash of the import closure of the code behind them (`pipeline.provenance`).
"""

from __future__ import annotations

import pytest

from cfrlab.pipeline.provenance import closure

SHARED = {
    "cfrlab.solve",
    "cfrlab.solve.iterative",
    "cfrlab.solve.jit",
    "cfrlab.solve.kernel_cache",
    "cfrlab.solve.phi",
    "cfrlab.solve.regret",
    "cfrlab.solve.rule",
    "cfrlab.solve.rules",
}
"""What all engines have in common."""

TREES = {
    "cfrlab.solve.cfr",
    "cfrlab.solve.kernels",
    "cfrlab.solve.kernels.alternation",
    "cfrlab.solve.kernels.arrays",
    "cfrlab.solve.kernels.learning",
    "cfrlab.solve.kernels.passes",
    "cfrlab.solve.kernels.phi",
    "cfrlab.solve.kernels.primitives",
    "cfrlab.solve.kernels.small",
    "cfrlab.solve.kernels.terminals",
    "cfrlab.solve.layout",
    "cfrlab.solve.treeplex",
}
"""The engine for public trees."""

ROUNDS = {
    "cfrlab.solve.rounds",
    "cfrlab.solve.rounds.abstraction",
    "cfrlab.solve.rounds.averages",
    "cfrlab.solve.rounds.cfr",
    "cfrlab.solve.rounds.kernels",
    "cfrlab.solve.rounds.kernels.learning",
    "cfrlab.solve.rounds.kernels.mixtures",
    "cfrlab.solve.rounds.kernels.passes",
    "cfrlab.solve.rounds.kernels.terminals",
    "cfrlab.solve.rounds.layout",
    "cfrlab.solve.rounds.products",
    "cfrlab.solve.rounds.profile",
    "cfrlab.solve.rounds.rows",
    "cfrlab.solve.rounds.sampling",
    "cfrlab.solve.rounds.traversal",
}
"""The engine for games of rounds."""

ENGINES = {
    "cfrlab.solve.cfr": TREES,
    "cfrlab.solve.response": TREES - {"cfrlab.solve.cfr"} | {"cfrlab.solve.response"},
    "cfrlab.solve.merged": TREES | {"cfrlab.solve.merged"},
    "cfrlab.solve.pcs": TREES | {"cfrlab.solve.pcs", "cfrlab.solve.side_by_side"},
    "cfrlab.decomposition.lanes": TREES - {"cfrlab.solve.cfr"},
    "cfrlab.solve.rounds.cfr": ROUNDS,
    "cfrlab.solve.rounds.response": ROUNDS
    - {f"cfrlab.solve.rounds.{name}" for name in ("abstraction", "averages", "cfr", "sampling")}
    | {"cfrlab.solve.rounds.response"},
}


def solve_modules(start: str) -> set[str]:
    return {name for name, _ in closure(start) if name.startswith("cfrlab.solve")}


@pytest.mark.parametrize("engine", list(ENGINES))
def test_what_an_edit_reruns(engine: str) -> None:
    used = solve_modules(engine)
    assert used - SHARED == ENGINES[engine]


def test_the_kernels_of_one_engine_are_none_of_the_others() -> None:
    rounds = set().union(*(solve_modules(e) for e in ENGINES if ".rounds." in e))
    trees = set().union(*(solve_modules(e) for e in ENGINES if ".rounds." not in e))
    assert rounds & trees <= SHARED
    # The oracle shares no kernel, and the metric of trees does not rest on a solver.
    assert solve_modules("cfrlab.solve.walk") == {"cfrlab.solve", "cfrlab.solve.walk"}
