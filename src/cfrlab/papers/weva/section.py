"""The section ``weva`` of the configuration: its schema, and what has to fit together in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from cfrlab import plugins
from cfrlab.errors import CfrlabError
from cfrlab.schema import (
    GAMES,
    Count,
    Counts,
    Flag,
    Games,
    Label,
    Names,
    Number,
    Options,
    Power,
    Section,
    SolverName,
    Solvers,
    check_known,
    listed,
    module_label,
    plugin,
    read_options,
    zoo_module,
    zoo_options,
)
from cfrlab.seeds import seed_for

FEATURES = "cfrlab.abstraction.features"

WEVA_TABLES: Mapping[int, str] = {1: "hunl-river", 2: "double-board", 3: "random-game"}
"""Games of the paper by the number of the table that is theirs."""
WEVA_SOLVERS: Mapping[str, str] = {"pcfr-plus": "", "dcfr": "dcfr_"}
"""Solvers of the paper, with what stands before ``table`` in the names of their tables."""


class Warmup(Section):
    """How the full game is played in warm-ups and by the oracle of Figure 1."""

    solver: SolverName
    alternating: Flag
    averaging: Power


class MethodEntry(Section):
    """A feature with its options, for some games and lengths of warm-up."""

    feature: str | None = None
    games: Names | None = None
    warmups: Counts | None = None
    params: Options = Field(default_factory=dict)


class KMeans(Section):
    """Seeds for each bucket map, and k-means++ starts for each seed.

    ``seed`` is the root of their streams; that of the whole configuration unless given.
    """

    seeds: Count
    n_init: Count
    seed: Number | None = None


class Averaging(Section):
    """Iteration t counts t ** power in the average strategy."""

    alternating: Flag
    power: Power


class Figure1(Section):
    """Points of the curves up to the oracle's iterations, for some games or all."""

    iterations: Count
    points: Counts
    games: Names | None = None


class Figure6(Section):
    """Convergence: one solver and K, the iterations to look at."""

    solver: str
    buckets: Count
    points: Counts


class WevaSection(Section):
    """Everything about the WEVA experiments.

    ``warmup`` may be left out where neither a method nor Figure 1 needs one; Figures 1 and 6 are
    drawn only where they are asked for.
    """

    games: Games
    instances: Count
    warmup: Warmup | None = None
    methods: Annotated[dict[Label, MethodEntry], Field(min_length=1)]
    buckets: Counts
    kmeans: KMeans
    iterations: Count
    solvers: Solvers
    averaging: Annotated[dict[Label, Averaging], Field(min_length=1)]
    figure1: Figure1 | None = None
    figure6: Figure6 | None = None


@dataclass(frozen=True)
class GameEntry:
    """A game of the experiments: label, module of the zoo, and all of the module's options."""

    label: str
    zoo: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Method:
    """An abstraction method: label, feature module, length of warm-up (or None), and options."""

    label: str
    feature: str
    warmup: int | None
    params: dict[str, Any]

    @property
    def name(self) -> str:
        """Name in paths: the label, with ``-w50`` for 50 iterations of warm-up."""
        return self.label if self.warmup is None else f"{self.label}-w{self.warmup}"


def game_seed(root: int, label: str, instance: int | str) -> int:
    """Seed of one instance of a game."""
    return seed_for(root, "weva", "game", label, instance)


def resolve(
    section: WevaSection, seed: int
) -> tuple[dict[str, GameEntry], dict[str, dict[str, Method]]]:
    """Check the section; return its games by label, and each game's methods by name.

    Raises:
        CfrlabError: the first mistake, in one line that begins with its key.
    """
    games = {label: _game(label, entry) for label, entry in section.games.items()}
    methods = _methods(section, games)
    _check_figures(section, games)
    needs_warmup = {m.label for of in methods.values() for m in of.values() if m.warmup}
    if section.warmup is None and (needs_warmup or section.figure1):
        what = f"method {min(needs_warmup)}" if needs_warmup else "figure1"
        raise CfrlabError(f"weva.warmup: missing; {what} needs it (config.yaml shows every key)")
    for label, game in games.items():
        _check_instance(seed, game, methods[label].values(), section.buckets)
    return games, methods


def _game(label: str, entry: Mapping[str, Any]) -> GameEntry:
    key = f"weva.games.{label}"
    module = zoo_module(label, entry, key)
    return GameEntry(label, module_label(module), zoo_options(module, entry, key))


def _methods(section: WevaSection, games: Mapping[str, GameEntry]) -> dict[str, dict[str, Method]]:
    methods: dict[str, dict[str, Method]] = {label: {} for label in games}
    for label, entry in section.methods.items():
        key = f"weva.methods.{label}"
        module = plugin(FEATURES, entry.feature or label, "method", key)
        params = read_options(module, entry.params, f"{key}.params")
        check_known(f"{key}.games", entry.games or [], games, "game")
        for warmup in _warmups(module, entry, key):
            method = Method(label, module_label(module), warmup, params)
            for game in entry.games or games:
                if method.name in methods[game]:
                    raise CfrlabError(
                        f"{key}: method '{method.name}' is there twice; rename one of them"
                    )
                methods[game][method.name] = method
    bare = [label for label, of_game in methods.items() if not of_game]
    if bare:
        raise CfrlabError(f"weva.games.{bare[0]}: no method is for this game; add one or remove it")
    return methods


def _warmups(module: ModuleType, entry: MethodEntry, key: str) -> Sequence[int | None]:
    """The lengths of warm-up of a method; [None] for one that needs none."""
    if module.NEEDS_WARMUP and entry.warmups is None:
        raise CfrlabError(
            f"{key}.warmups: missing; {module_label(module)} needs a warm-up: list numbers of "
            "iterations, such as [50]"
        )
    if not module.NEEDS_WARMUP and entry.warmups is not None:
        raise CfrlabError(f"{key}.warmups: {module_label(module)} uses no warm-up; remove the key")
    return entry.warmups or [None]


def _check_figures(section: WevaSection, games: Mapping[str, GameEntry]) -> None:
    one, six = section.figure1, section.figure6
    if one:
        _check_points("weva.figure1.points", one.points, "weva.figure1.iterations", one.iterations)
        check_known("weva.figure1.games", one.games or [], games, "game")
    if six:
        _check_points("weva.figure6.points", six.points, "weva.iterations", section.iterations)
        check_known("weva.figure6.solver", [six.solver], section.solvers, "solver")
        if six.buckets not in section.buckets:
            raise CfrlabError(
                f"weva.figure6.buckets: {six.buckets} is not in weva.buckets; use one of "
                f"{listed(section.buckets)}"
            )


def _check_points(key: str, points: Sequence[int], limit_key: str, limit: int) -> None:
    if max(points) > limit:
        raise CfrlabError(
            f"{key}: {max(points)} is beyond the {limit} iterations of {limit_key}; "
            f"use at most {limit}"
        )


def _check_instance(
    seed: int, game: GameEntry, methods: Iterable[Method], buckets: Sequence[int]
) -> None:
    """Build the first instance: finds bad cards, unfit methods, and K above the number of hands."""
    module = plugins.load(GAMES, game.zoo, "game")
    key = f"weva.games.{game.label}"
    try:
        rng = np.random.default_rng(game_seed(seed, game.label, 0))
        instance = module.build(module.Params(**game.options), rng)
    except CfrlabError as error:
        raise CfrlabError(f"{key}: {error}") from None
    if max(buckets) > min(instance.n):
        raise CfrlabError(
            f"weva.buckets: {max(buckets)} buckets are more than the {min(instance.n)} hands of "
            f"game {game.label}; use at most {min(instance.n)}"
        )
    for method in (method for method in methods if method.warmup is None):
        feature = plugins.load(FEATURES, method.feature, "method")
        try:
            feature.features(instance, 0, feature.Params(**method.params), None)
        except CfrlabError as error:
            raise CfrlabError(
                f"weva.methods.{method.label}: {error}; or list the games it is for under games"
            ) from None
