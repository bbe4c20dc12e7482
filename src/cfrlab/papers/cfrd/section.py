"""The section ``cfrd`` of the configuration: its schema and its checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from cfrlab.errors import CfrlabError
from cfrlab.games.tree import CHANCE
from cfrlab.papers.cfrd.setting import GAMES, Setting, build, build_game
from cfrlab.schema import (
    SOLVERS,
    Count,
    Counts,
    Names,
    Number,
    Section,
    check_known,
    check_label,
    module_label,
    plugin,
    read_options,
)

QUICKLY_CUT = 2000
"""Games of up to this many public nodes are cut in the check already; it runs at every start."""


class Variant(Section):
    """One way to run CFR-D, and the part of the grid to run it on."""

    start: Literal["cold", "warm"]
    values: Literal["average", "best-response"]
    subgame_iterations: Counts
    trunk_iterations: Counts


class Figure4(Section):
    """CFR-D, then re-solving of what it leaves."""

    games: Names
    solver: str
    resolving_iterations: Count
    variants: Annotated[dict[str, Variant], Field(min_length=1)]


class Figure3(Section):
    """Re-solving an equilibrium: iterations to look at, and repetitions up to fewer of them.

    ``starts`` counts random starts beside the uniform one; ``samples`` counts seeds of public
    chance sampling, all with a uniform start.
    """

    games: Names
    solver: str
    points: Counts
    starts: Number
    samples: Number
    repeats_until: Count


class Merge(Section):
    """A hand to which some public cards look the same."""

    hand: str
    cards: Names


class Figure5(Section):
    """Improving an abstract strategy.

    ``equilibria`` counts random equilibria of the abstract game beside those that the linear
    program and CFR+ find.
    """

    game: str
    merge: Annotated[list[Merge], Field(min_length=1)]
    solver: str
    points: Counts
    equilibria: Number
    samples: Number
    cfr_plus_iterations: Count


class Memory(Section):
    """A game on which peak memory is measured, and how long it is run."""

    game: dict[str, Any]
    cfr_iterations: Count
    trunk_iterations: Count
    subgame_iterations: Count


class CfrdSection(Section):
    """Everything about the CFR-D experiments."""

    games: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    figure3: Figure3
    figure4: Figure4
    figure5: Figure5
    memory: Memory


def settings(section: CfrdSection) -> dict[str, Setting]:
    """The games by label, and the one of the memory measurement as ``memory``; checks everything.

    Raises:
        CfrlabError: the first mistake, in one line that begins with its key.
    """
    if "memory" in section.games:
        raise CfrlabError("cfrd.games.memory: the label is taken by cfrd.memory.game; rename it")
    found = {label: _setting(f"cfrd.games.{label}", label, e) for label, e in section.games.items()}
    found["memory"] = _setting("cfrd.memory.game", "memory", section.memory.game)
    three, four, five = section.figure3, section.figure4, section.figure5
    for key, labels in (
        ("figure3.games", three.games),
        ("figure4.games", four.games),
        ("figure5.game", [five.game]),
    ):
        check_known(f"cfrd.{key}", labels, section.games, "game")
    for key, solver in (("3", three.solver), ("4", four.solver), ("5", five.solver)):
        plugin(SOLVERS, solver, "solver", f"cfrd.figure{key}.solver")
    for label in four.variants:
        check_label(f"cfrd.figure4.variants.{label}", label)
    if three.repeats_until < min(three.points):
        raise CfrlabError(
            f"cfrd.figure3.repeats_until: {three.repeats_until} is below every point; use at least "
            f"{min(three.points)}"
        )
    _check_samples(three, found)
    _check_merges(five, found[five.game])
    return found


def _setting(key: str, label: str, entry: dict[str, Any]) -> Setting:
    check_label(key, label)
    options = {name: v for name, v in entry.items() if name not in ("zoo", "roots")}
    zoo = str(entry.get("zoo", label))
    module = plugin(GAMES, zoo, "game", key)
    checked = read_options(module, options, key)
    roots = entry.get("roots")
    if roots is not None and not (
        isinstance(roots, list) and all(isinstance(r, str) for r in roots)
    ):
        raise CfrlabError(f"{key}.roots: must be a list of nodes by their actions, not {roots!r}")
    setting = Setting(module_label(module), checked, roots)
    try:
        if len(build_game(setting).tree) <= QUICKLY_CUT:
            build(setting)
    except CfrlabError as error:
        raise CfrlabError(f"{key}: {error}") from None
    return setting


def _check_samples(figure: Figure3, found: dict[str, Setting]) -> None:
    for label in figure.games if figure.samples else ():
        if not np.any(build_game(found[label]).tree.player == CHANCE):
            raise CfrlabError(
                f"cfrd.figure3.samples: game {label} has no public chance to sample; use 0"
            )


def _check_merges(figure: Figure5, setting: Setting) -> None:
    game = build_game(setting)
    cards = {
        game.tree.label[c]
        for n in np.flatnonzero(game.tree.player == CHANCE)
        for c in game.tree.children[n]
    }
    for i, merge in enumerate(figure.merge):
        key = f"cfrd.figure5.merge[{i}]"
        for name, known in ((merge.hand, game.hands[0]), *((c, cards) for c in merge.cards)):
            if name not in known:
                raise CfrlabError(
                    f"{key}: game {figure.game} has no card '{name}' (known: "
                    f"{', '.join(sorted(known))})"
                )
