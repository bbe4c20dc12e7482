"""CFR-D on Leduc hold'em: a part of ``run.py``.

Times are CPU times of the process, the best of several repetitions.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from row import Row

from cfrlab.decomposition.cfrd import CFRD, Variant
from cfrlab.decomposition.forests import solver_of
from cfrlab.decomposition.memory import limit_holdem, splits
from cfrlab.decomposition.resolving import Resolver, resolve_exactly
from cfrlab.decomposition.subgames import Decomposition
from cfrlab.games.zoo import leduc
from cfrlab.solve import lp
from cfrlab.solve.rule import Rule

REPEATS = 7
TRUNK = 32_000
SUBGAME = [100 * 2**k for k in range(8)]
PROTOTYPE_US = 1.55
"""Middle of the 1.4 to 1.7 that a straight-line prototype took."""
PAPER_US = 4.0
"""What the paper's machine took for one subgame."""


def best(job: Callable[[], object], count: int = 1) -> float:
    """CPU seconds for one of ``count`` equal parts of a job."""
    job()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times) / count


def decomposition() -> list[Row]:
    """The subgames of Leduc, CFR-D, re-solving, and the memory calculator."""
    rule, game = Rule.named("cfr"), leduc.build(leduc.Params(), np.random.default_rng(0))
    cut = Decomposition.at(game)
    found = [_subgames(cut, rule), _one_subgame(cut, rule)]
    trunk = _trunk(cut, rule)
    found += [trunk, _grid(cut, rule, trunk.ours), *_resolving(cut, rule)]
    seconds = best(lambda: splits(limit_holdem()))
    found.append(
        _row("memory calculator, limit hold'em, all splits", seconds, "s", bar="ours <= 2")
    )
    return found


def _row(
    name: str, ours: float, unit: str, reference: float | None = None, bar: str = "", note: str = ""
) -> Row:
    ratio = None if reference is None else reference / ours
    return Row(name, ours, unit, reference, unit if reference else "", ratio, bar, note)


def _subgames(cut: Decomposition, rule: Rule) -> Row:
    solver = solver_of(cut.game, cut.roots, rule, {})
    us = 1e6 * best(lambda: solver.run(20_000), 20_000)
    note = "prototype: straight-line kernel for Leduc, measured"
    return _row(
        "Leduc, five subgames together, an iteration", us, "us", PROTOTYPE_US, "ours <= 3", note
    )


def _one_subgame(cut: Decomposition, rule: Rule) -> Row:
    solver = solver_of(cut.game, cut.roots[:1], rule, {})
    us = 1e6 * best(lambda: solver.run(20_000), 20_000)
    return _row("Leduc, one subgame, an iteration", us, "us", PAPER_US, "", "paper's machine")


def _trunk(cut: Decomposition, rule: Rule) -> Row:
    run = CFRD(cut, rule, Variant(800, rule))
    us = 1e6 * best(lambda: run.run(25), 25 * 800)
    name = "CFR-D on Leduc, a subgame iteration, trunk included"
    return _row(name, us, "us", PROTOTYPE_US, "ours <= 3", "800 iterations in each subgame")


def _grid(cut: Decomposition, rule: Rule, each_us: float) -> Row:
    """All of Figure 4 from its parts: an iteration, and what a trunk iteration costs besides."""
    run = CFRD(cut, rule, Variant(1, rule))
    beside = 1e6 * best(lambda: run.run(200), 200)
    total = TRUNK * sum(s * each_us + beside for s in SUBGAME) / 60e6
    note = "minutes of one core; the longest run is half of it, so two cores need half as long"
    return _row(
        "Figure 4, CFR-D runs of the paper's grid", total, "CPU min", bar="ours <= 120", note=note
    )


def _resolving(cut: Decomposition, rule: Rule) -> list[Row]:
    _, profile = lp.solve(cut.game)
    found = []
    for name, sampling in (("every board", None), ("a sampled board", np.random.default_rng(0))):
        resolver = Resolver(cut, profile, "safe", rule, sampling=sampling)
        us = 1e6 * best(lambda r=resolver: r.run(10_000), 10_000)  # type: ignore[misc]
        found.append(_row(f"safe re-solving of Leduc, {name}, both players", us, "us"))
    seconds = best(lambda: resolve_exactly(cut, profile, "safe"))
    return [*found, _row("exact safe re-solving of Leduc, both players", seconds, "s")]
