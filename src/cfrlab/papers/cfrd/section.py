"""The section ``cfrd`` of the configuration: its schema, and what has to fit together in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from cfrlab.errors import CfrlabError
from cfrlab.games.tree import CHANCE
from cfrlab.papers.cfrd.game_cut import GameCut
from cfrlab.schema import (
    Count,
    Counts,
    Games,
    Label,
    Names,
    Number,
    Options,
    Section,
    SolverName,
    check_known,
    listed,
    module_label,
    validate,
    zoo_module,
    zoo_options,
)

QUICKLY_CUT = 2000
"""Games of up to this many public nodes are cut in the check already; it runs at every start."""


class Roots(Section):
    """Where a game is cut: nodes by their actions; before the first public cards unless given."""

    roots: Names | None = None


class Variant(Section):
    """One way to run CFR-D, and the part of the grid to run it on."""

    start: Literal["cold", "warm"]
    values: Literal["average", "best-response"]
    subgame_iterations: Counts
    trunk_iterations: Counts


class Figure4(Section):
    """CFR-D, then re-solving of what it leaves."""

    games: Names
    solver: SolverName
    resolving_iterations: Count
    variants: Annotated[dict[Label, Variant], Field(min_length=1)]


class Figure3(Section):
    """Re-solving an equilibrium: iterations to look at, and repetitions up to fewer of them.

    ``starts`` counts random starts beside the uniform one; ``samples`` counts seeds of public
    chance sampling, all with a uniform start.
    """

    games: Names
    solver: SolverName
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
    solver: SolverName
    points: Counts
    equilibria: Number
    samples: Number
    cfr_plus_iterations: Count


class Memory(Section):
    """A Leduc hold'em on which peak memory is measured, and how long it is run."""

    game: Options
    cfr_iterations: Count
    trunk_iterations: Count
    subgame_iterations: Count


class Scaling(Section):
    """What error and memory grow with.

    ``subgames``: so many of the game's subgames are solved apart, all others with the trunk;
    ``choices`` counts random orders to take them in. ``raises``: Leduc hold'em of so many bets and
    raises in a round, of which memory is calculated.
    """

    game: str
    solver: SolverName
    subgames: Counts
    choices: Count
    trunk_iterations: Count
    subgame_iterations: Count
    resolving_iterations: Count
    raises: Counts


class Timing(Section):
    """How long safe and unsafe re-solving take, side by side, again and again."""

    game: str
    solver: SolverName
    iterations: Count
    repeats: Count


class CfrdSection(Section):
    """Everything about the CFR-D experiments. Of the studies, any but not all may be left out."""

    games: Games
    figure3: Figure3 | None = None
    figure4: Figure4 | None = None
    figure5: Figure5 | None = None
    memory: Memory | None = None
    scaling: Scaling | None = None
    timing: Timing | None = None


STUDIES = [name for name in CfrdSection.model_fields if name != "games"]


def resolve(section: CfrdSection) -> tuple[dict[str, GameCut], GameCut | None]:
    """Check the section; return the games by label, and that of the memory measurement.

    Raises:
        CfrlabError: the first mistake, in one line that begins with its key.
    """
    if all(getattr(section, study) is None for study in STUDIES):
        raise CfrlabError(f"cfrd: there is nothing to do; add one of {listed(STUDIES)}")
    games = {label: _game(f"cfrd.games.{label}", label, e) for label, e in section.games.items()}
    for key, labels in _games_of_studies(section):
        check_known(f"cfrd.{key}", labels, games, "game")
    if section.figure3:
        _check_repetitions(section.figure3, games)
    if section.figure5:
        _check_merges(section.figure5, games[section.figure5.game])
    if section.scaling:
        _check_subgames(section.scaling, games[section.scaling.game])
    return games, _memory_game(section.memory) if section.memory else None


def _games_of_studies(section: CfrdSection) -> Iterator[tuple[str, list[str]]]:
    """Key and value of every list of games; one game counts as a list."""
    for study in STUDIES:
        part = getattr(section, study)
        if isinstance(part, (Figure3, Figure4)):
            yield f"{study}.games", part.games
        elif isinstance(part, (Figure5, Scaling, Timing)):
            yield f"{study}.game", [part.game]


def _game(key: str, label: str, entry: Options) -> GameCut:
    module = zoo_module(label, entry, key)
    options = zoo_options(module, {k: v for k, v in entry.items() if k != "roots"}, key)
    given = {k: v for k, v in entry.items() if k == "roots"}
    cut = GameCut(module_label(module), options, validate(Roots, given, key).roots)
    try:
        if len(cut.game.tree) <= QUICKLY_CUT:
            _ = cut.decomposition
    except CfrlabError as error:
        raise CfrlabError(f"{key}: {error}") from None
    return cut


def _memory_game(memory: Memory) -> GameCut:
    """The game whose memory is measured; the calculator knows Leduc hold'em, cut as usual."""
    key = "cfrd.memory.game"
    cut = _game(key, "leduc", memory.game)
    if cut.zoo != "leduc" or cut.roots is not None:
        what = f"zoo: {cut.zoo}" if cut.zoo != "leduc" else "roots"
        raise CfrlabError(
            f"{key}: {what} is not possible here, since memory is calculated for Leduc hold'em "
            "cut before its public card; remove the key"
        )
    return cut


def _check_repetitions(figure: Figure3, games: dict[str, GameCut]) -> None:
    if figure.repeats_until < min(figure.points):
        raise CfrlabError(
            f"cfrd.figure3.repeats_until: {figure.repeats_until} is below every point; use at "
            f"least {min(figure.points)}"
        )
    for label in figure.games if figure.samples else ():
        if not np.any(games[label].game.tree.player == CHANCE):
            raise CfrlabError(
                f"cfrd.figure3.samples: game {label} has no public chance to sample; use 0"
            )


def _check_merges(figure: Figure5, cut: GameCut) -> None:
    tree = cut.game.tree
    cards = {tree.label[c] for n in np.flatnonzero(tree.player == CHANCE) for c in tree.children[n]}
    for i, merge in enumerate(figure.merge):
        known: Any
        for name, known in ((merge.hand, cut.game.hands[0]), *((c, cards) for c in merge.cards)):
            if name not in known:
                raise CfrlabError(
                    f"cfrd.figure5.merge[{i}]: game {figure.game} has no card '{name}' (known: "
                    f"{listed(sorted(known))})"
                )


def _check_subgames(scaling: Scaling, cut: GameCut) -> None:
    most = len(cut.decomposition.subgames)
    if max(scaling.subgames) > most:
        raise CfrlabError(
            f"cfrd.scaling.subgames: {max(scaling.subgames)} are more than the {most} subgames of "
            f"game {scaling.game}; use at most {most}"
        )
