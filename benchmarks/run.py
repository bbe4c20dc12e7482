"""Measure the solvers beside their authorities, in one thread and one run: ``make bench``.

Times are CPU times of the process, the best of several repetitions, since other programs disturb a
measurement but cannot make it faster. Writes a CSV table (``benchmarks/README.md`` describes it).
"""

from __future__ import annotations

import argparse
import csv
import io
import operator
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import cfrd
import embedding
import numpy as np
import pyspiel
from row import Row
from threadpoolctl import threadpool_limits

from cfrlab import plugins
from cfrlab.games.game import Game
from cfrlab.games.payoffs import CardShowdown
from cfrlab.games.tree import Decision, PublicTree, Terminal
from cfrlab.pipeline.text import write_text_atomic
from cfrlab.seeds import rng_for
from cfrlab.solve import kernels
from cfrlab.solve.cfr import CFR
from cfrlab.solve.compress import compress
from cfrlab.solve.kernels import make_scratch
from cfrlab.solve.response import Evaluator
from cfrlab.solve.rule import Rule
from cfrlab.solve.treeplex import compile_game

HERE = Path(__file__).parent
REPEATS = 7

# What solvers of rivers are compared on: 16 decisions, 29 terminals.
RIVER = {
    "board": "Ts3h2h5c9s",
    "betting": {
        "pot": 200,
        "stack": 900,
        "bets": [0.5, "all-in"],
        "raises": [0.6, "all-in"],
        "max_raises": None,
    },
}
ALL_IN = {"betting": {"bets": ["all-in"]}}
TREES: dict[str, dict[str, Any]] = {"5 terminals": ALL_IN, "29 terminals": {}}
PROTOTYPE = "measured prototype"


def faster(
    name: str, ours: float, unit: str, reference: float | None, source: str, bar: str = ""
) -> Row:
    """A row for a time; the ratio says how many times ours goes into the reference."""
    ratio = None if reference is None else reference / ours
    return Row(name, ours, unit, reference, unit if reference else "", ratio, bar, source)


def build(name: str, **params: Any) -> Game:
    """A game of the zoo; what is random in it is the same in every run."""
    module = plugins.load("cfrlab.games.zoo", name, "game")
    game: Game = module.build(module.Params.model_validate(params), rng_for(0, "bench", name))
    return game


def cpu(call: Callable[[], object], seconds: float = 0.2) -> float:
    """CPU seconds of one call: the best of several batches of about the given length."""
    call()  # compiles, and warms the caches
    count, spent = 1, 0.0
    while spent < seconds / 4:
        count *= 2
        spent = _batch(call, count)
    count = max(1, round(count * seconds / spent))
    return min(_batch(call, count) for _ in range(REPEATS)) / count


def _batch(call: Callable[[], object], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - start


def iteration(solver: CFR) -> float:
    """CPU seconds of one iteration, both players updated, run in chunks."""
    solver.run(1)
    start = time.process_time()
    solver.run(4)
    chunk = max(1, min(2000, round(0.1 / max(1e-7, (time.process_time() - start) / 4))))
    return cpu(lambda: solver.run(chunk)) / chunk


def leduc() -> Iterator[Row]:
    """Leduc hold'em beside OpenSpiel's C++ solver, which plays over six cards."""
    spiel = pyspiel.load_game("leduc_poker")
    other = pyspiel.CFRSolver(spiel)
    theirs = cpu(other.evaluate_and_update_policy, 1.0)
    for what, merged, bar in (("over ranks", True, "ratio >= 200"), ("over cards", False, "")):
        solver = CFR(build("leduc", merge_suits=merged), Rule.named("cfr", alternating=True))
        ours = iteration(solver)
        yield faster(
            f"Leduc CFR iteration, {what}", ours * 1e3, "ms", theirs * 1e3,
            "OpenSpiel CFRSolver (C++), same run", bar,
        )  # fmt: skip
        if merged:
            yield Row(
                "Leduc CFR iterations", 1 / ours, "1/s", 40_000, "1/s", 1 / ours / 40_000,
                "ratio >= 1", "postflop-solver, published",
            )  # fmt: skip
    game = build("leduc")
    solver, other = CFR(game, Rule.named("cfr", alternating=True)), pyspiel.CFRSolver(spiel)
    solver.run(101)
    for _ in range(101):
        other.evaluate_and_update_policy()
    evaluator, average, policy = Evaluator(game), solver.average(), other.average_policy()
    yield faster(
        "Leduc best responses of both players",
        cpu(lambda: evaluator.nash_conv(average)) * 1e3,
        "ms",
        cpu(lambda: pyspiel.nash_conv(spiel, policy, True), 1.0) * 1e3,
        "OpenSpiel nash_conv (C++), same run",
        "ours < 1",
    )
    found, expected = evaluator.exploitability(average), pyspiel.exploitability(spiel, policy)
    yield Row(
        "Leduc exploitability after 101 CFR updates", found, "chips", expected, "chips",
        expected / found, "", "OpenSpiel CFRSolver, same run: equal to rounding",
    )  # fmt: skip


def river() -> Iterator[Row]:
    """The river of the comparison: speed, and where DCFR stands after 100 to 2000 iterations."""
    game = build("hunl-river", **RIVER)
    for rule in ("dcfr", "pcfr-plus"):
        speed = 1 / iteration(CFR(game, Rule.named(rule)))
        yield Row(
            f"HUNL river iterations, {rule}", speed, "1/s", 4700, "1/s", speed / 4700,
            "ours >= 4000", "native solvers, published: 2900 to 4700",
        )  # fmt: skip
    solver = CFR(game, Rule.named("dcfr"))
    evaluator = Evaluator(game, solver.compiled)
    average = solver.average()
    yield Row(
        "HUNL river best responses of both players",
        cpu(lambda: evaluator.nash_conv(average)) * 1e3,
        "ms",
    )
    band = {100: 0.258, 500: 0.030, 1000: 0.0087, 2000: 0.0039}
    for t in solver.checkpoints(tuple(band)):
        percent = 100 * evaluator.exploitability(solver.average()) / game.pot
        yield Row(
            f"HUNL river exploitability after {t} iterations of DCFR", percent, "% of pot",
            band[t], "% of pot", band[t] / percent, "",
            "a Rust solver's DCFR, published: a sanity band, not an equality",
        )  # fmt: skip


def full_games() -> Iterator[Row]:
    """The three games of the WEVA paper in full, on the small and on the default tree."""
    published = {
        ("hunl-river", "5 terminals"): 0.09,
        ("hunl-river", "29 terminals"): 0.70,
        ("double-board", "5 terminals"): 0.19,
        ("double-board", "29 terminals"): 0.64,
        ("random-game", "5 terminals"): 0.26,
        ("random-game", "29 terminals"): 5.2,
    }
    for (name, tree), reference in published.items():
        game = build(name, **TREES[tree])
        ours = iteration(CFR(game, Rule.named("pcfr-plus"))) * 1e3
        source = f"{PROTOTYPE}, float32" if name == "random-game" else PROTOTYPE
        yield faster(f"full {name}, {tree}", ours, "ms", reference, source, "ratio >= 1")


def bucketed() -> Iterator[Row]:
    """Games compressed to K buckets for each player."""
    published = {
        "5 terminals": {20: 0.0024, 50: 0.005, 200: 0.039},
        "29 terminals": {20: 0.011, 50: 0.021, 200: 0.093},
    }
    for name in ("hunl-river", "random-game"):
        for tree, figures in published.items():
            game = build(name, **TREES[tree])
            for k, reference in figures.items():
                labels = [
                    rng_for(0, "buckets", p, k).permutation(np.arange(n) % k).astype(np.int32)
                    for p, n in enumerate(game.n)
                ]
                small = compress(game, (labels[0], labels[1]))
                ours = iteration(CFR(small, Rule.named("pcfr-plus"))) * 1e3
                poker = name == "hunl-river"
                yield faster(
                    f"{name} in {k} buckets, {tree}", ours, "ms", reference if poker else None,
                    PROTOTYPE if poker else "a matrix of its own for every terminal",
                    "ratio >= 1" if poker else "",
                )  # fmt: skip


def showdown() -> Iterator[Row]:
    """One showdown operator over many lanes, beside the dense product that it replaces."""
    river = build("hunl-river", **RIVER)
    operator = river.payoffs[0]
    assert isinstance(operator, CardShowdown)
    dense = operator.dense()
    n = len(dense)
    for lanes, figure in ((1, "10-12"), (14, "2.8-3.0"), (32, "1.3-1.9")):
        actions = {f"{i}": Terminal(0, 1.0) for i in range(lanes)}
        game = Game(
            "showdowns", PublicTree.build(Decision(0, actions)), (operator,), river.deal,
            river.hands, river.weights, river.unit,
        )  # fmt: skip
        compiled = compile_game(game)
        plex, sweeps = compiled.plex[0], compiled.sweeps[0]
        scratch = make_scratch(plex, sweeps, 1)
        rng = rng_for(0, "reach")
        v, reach, wide = np.zeros(plex.rows * n), rng.random(n), rng.random((lanes, n))
        ours = cpu(lambda: kernels.terminal_values(sweeps, reach, v, scratch))  # noqa: B023
        product = cpu(lambda: wide @ dense.T)  # noqa: B023
        scale = 1e9 / n / lanes
        yield faster(
            f"showdown of {n} hands, {lanes} terminals at once", ours * scale,
            "ns per hand and terminal", product * scale,
            f"dense product through BLAS, same run; prototype {figure} ns", "ratio > 1",
        )  # fmt: skip


PARTS = {
    part.__name__: part
    for part in (
        leduc,
        river,
        full_games,
        bucketed,
        showdown,
        cfrd.decomposition,
        embedding.embedding,
    )
}


def judged(row: Row) -> str:
    """ "met", "missed" or "" where there is no bar."""
    if not row.bar:
        return ""
    what, sign, number = row.bar.split()
    value = row.ratio if what == "ratio" else row.ours
    assert value is not None
    compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
    return "met" if compare[sign](value, float(number)) else "missed"


def table(rows: Sequence[Row]) -> str:
    """The rows as CSV, numbers in four digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f.name for f in fields(Row)])
    for row in rows:
        cells = [
            "" if x is None else f"{x:.4g}" if isinstance(x, float) else x for x in astuple(row)
        ]
        cells[-1] = "; ".join(filter(None, [f"bar {judged(row)}" if row.bar else "", row.note]))
        writer.writerow(cells)
    return out.getvalue()


def main() -> None:
    """Run the named parts or all; progress goes to stderr, the table to stdout and a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; default: all"
    )
    parser.add_argument("--output", type=Path, help="default: results.csv, if all parts run")
    given = parser.parse_args()
    unknown = [name for name in given.parts if name not in PARTS]
    if unknown:
        parser.error(f"unknown part '{unknown[0]}' (known: {', '.join(PARTS)})")
    rows: list[Row] = []
    with threadpool_limits(1):
        for name in given.parts or PARTS:
            for row in PARTS[name]():
                rows.append(row)
                ratio = "" if row.ratio is None else f"  x{row.ratio:.4g}"
                print(f"{row.name:<58} {row.ours:>10.4g} {row.unit}{ratio}", file=sys.stderr)
    output = given.output or (None if given.parts else HERE / "results.csv")
    if output:
        write_text_atomic(output, table(rows))
    print(table(rows), end="")


if __name__ == "__main__":
    main()
