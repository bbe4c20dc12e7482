"""The configuration: its schema, and one line for each mistake a user can make in it.

`load` checks everything that can be known before a run starts: keys and types at every level,
ranges, names of plug-ins (with the nearest one), the options of games and features by the models of
their own modules, and what has to fit together (K and the number of hands, methods and games).
Nothing has a default here that changes a number: ``config.yaml`` shows every key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from pydantic import Field, StringConstraints

from cfrlab import plugins
from cfrlab.errors import CfrlabError
from cfrlab.papers.cfrd.section import CfrdSection, settings
from cfrlab.papers.cfrd.setting import Setting
from cfrlab.papers.embedding.section import EmbeddingSection, resolve
from cfrlab.papers.embedding.setting import Experiments
from cfrlab.schema import (
    GAMES,
    SOLVERS,
    Count,
    Counts,
    Flag,
    Names,
    Power,
    Section,
    check_distinct,
    check_known,
    check_label,
    listed,
    module_label,
    plugin,
    read_options,
)
from cfrlab.seeds import seed_for
from cfrlab.validation import validate

FEATURES = "cfrlab.abstraction.features"

OWN_FOLDERS = ("src", "workflow", "tests", "docs", "envs", "profiles", "benchmarks")


class Warmup(Section):
    """How the full game is played in warm-ups and by the oracle of Figure 1."""

    solver: str
    alternating: Flag
    averaging: Power


class MethodEntry(Section):
    """A feature with its options, for some games and lengths of warm-up."""

    feature: str | None = None
    games: Names | None = None
    warmups: Counts | None = None
    params: dict[str, Any] = Field(default_factory=dict)


class KMeans(Section):
    """Seeds for each bucket map, and k-means++ starts for each seed."""

    seeds: Count
    n_init: Count


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
    """Everything about the WEVA experiments."""

    games: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    instances: Count
    warmup: Warmup
    methods: Annotated[dict[str, MethodEntry], Field(min_length=1)]
    buckets: Counts
    kmeans: KMeans
    iterations: Count
    solvers: Names
    averaging: Annotated[dict[str, Averaging], Field(min_length=1)]
    figure1: Figure1
    figure6: Figure6


class _File(Section):
    seed: Annotated[int, Field(ge=0, strict=True)]
    results_dir: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]+$")]
    weva: WevaSection
    cfrd: CfrdSection | None = None
    embedding: EmbeddingSection | None = None


@dataclass(frozen=True)
class Game:
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


@dataclass(frozen=True)
class Config:
    """A checked configuration.

    Attributes:
        seed: root of all seeds.
        results_dir: folder of all results, without a slash at the end.
        weva: the section as written, its entries for games and methods unresolved.
        games: games by label.
        methods: for each game, its methods by name.
        cfrd: the section as written, if it is there.
        settings: games of the CFR-D experiments by label.
        embedding: the section as written, if it is there.
        experiments: what it asks for; nothing without it.
    """

    seed: int
    results_dir: str
    weva: WevaSection
    games: dict[str, Game]
    methods: dict[str, dict[str, Method]]
    cfrd: CfrdSection | None
    settings: dict[str, Setting]
    embedding: EmbeddingSection | None
    experiments: Experiments

    @property
    def figure1_games(self) -> list[str]:
        """Games that Figure 1 shows."""
        return self.weva.figure1.games or list(self.games)


def load(mapping: Mapping[str, Any], source: str = "config") -> Config:
    """Check a configuration and resolve its games and methods.

    Args:
        mapping: parsed YAML.
        source: what to call it in messages, such as its file name.

    Raises:
        CfrlabError: the first mistake, in one line: source, dotted key, what is wrong, what would
            be right.
    """
    try:
        file = validate(_File, mapping, "")
        _check_folder(file.results_dir)
        cut = settings(file.cfrd) if file.cfrd else {}
        embedding = resolve(file.embedding) if file.embedding else Experiments()
        games = {label: _game(label, entry) for label, entry in file.weva.games.items()}
        methods = _methods(file.weva, games)
        _check_weva(file.weva, games)
        for label, game in games.items():
            _check_instance(file.seed, game, methods[label].values(), file.weva.buckets)
    except CfrlabError as error:
        raise CfrlabError(f"{source}: {error}") from None
    results = file.results_dir.rstrip("/")
    return Config(
        file.seed,
        results,
        file.weva,
        games,
        methods,
        file.cfrd,
        cut,
        file.embedding,
        embedding,
    )


def game_seed(root: int, label: str, instance: int) -> int:
    """Seed of one instance of a game."""
    return seed_for(root, "weva", "game", label, instance)


def _game(label: str, entry: Mapping[str, Any]) -> Game:
    key = f"weva.games.{label}"
    check_label(key, label)
    options = {name: value for name, value in entry.items() if name != "zoo"}
    zoo = entry.get("zoo", label)
    module = plugin(GAMES, zoo, "game", key)
    return Game(label, module_label(module), read_options(module, options, key))


def _methods(weva: WevaSection, games: Mapping[str, Game]) -> dict[str, dict[str, Method]]:
    found: dict[str, dict[str, Method]] = {label: {} for label in games}
    for label, entry in weva.methods.items():
        key = f"weva.methods.{label}"
        check_label(key, label)
        module = plugin(FEATURES, entry.feature or label, "method", key)
        params = read_options(module, entry.params, f"{key}.params")
        if entry.games is not None:
            check_known(f"{key}.games", entry.games, games, "game")
        for warmup in _warmups(module, entry, key):
            method = Method(label, module_label(module), warmup, params)
            for game in entry.games or games:
                if method.name in found[game]:
                    raise CfrlabError(
                        f"{key}: method '{method.name}' is there twice; rename one of them"
                    )
                found[game][method.name] = method
    bare = [label for label, methods in found.items() if not methods]
    if bare:
        raise CfrlabError(f"weva.games.{bare[0]}: no method is for this game; add one or remove it")
    return found


def _warmups(module: ModuleType, entry: MethodEntry, key: str) -> Sequence[int | None]:
    """The lengths of warm-up of a method; [None] for one that needs none."""
    if module.NEEDS_WARMUP and entry.warmups is None:
        raise CfrlabError(
            f"{key}.warmups: missing; {module_label(module)} needs a warm-up: list numbers of "
            "iterations, such as [50]"
        )
    if not module.NEEDS_WARMUP and entry.warmups is not None:
        raise CfrlabError(f"{key}.warmups: {module_label(module)} uses no warm-up; remove the key")
    check_distinct(f"{key}.warmups", entry.warmups or [])
    return entry.warmups or [None]


def _check_weva(weva: WevaSection, games: Mapping[str, Game]) -> None:
    """Names, repetitions, and what has to fit together."""
    for label in weva.averaging:
        check_label(f"weva.averaging.{label}", label)
    plugin(SOLVERS, weva.warmup.solver, "solver", "weva.warmup.solver")
    for i, name in enumerate(weva.solvers):
        plugin(SOLVERS, name, "solver", f"weva.solvers[{i}]")
        check_label(f"weva.solvers[{i}]", name)
    for key, values in (("buckets", weva.buckets), ("solvers", weva.solvers)):
        check_distinct(f"weva.{key}", values)
    one, six = weva.figure1, weva.figure6
    _check_points("weva.figure1.points", one.points, "weva.figure1.iterations", one.iterations)
    _check_points("weva.figure6.points", six.points, "weva.iterations", weva.iterations)
    check_known("weva.figure6.solver", [six.solver], weva.solvers, "solver")
    if one.games is not None:
        check_known("weva.figure1.games", one.games, games, "game")
    if six.buckets not in weva.buckets:
        raise CfrlabError(
            f"weva.figure6.buckets: {six.buckets} is not in weva.buckets; use one of "
            f"{listed(weva.buckets)}"
        )


def _check_instance(
    seed: int, game: Game, methods: Iterable[Method], buckets: Sequence[int]
) -> None:
    """Build the first instance: finds bad cards, unfit methods, and K above the number of hands."""
    module = plugins.load(GAMES, game.zoo, "game")
    key = f"weva.games.{game.label}"
    try:
        rng = np.random.default_rng(game_seed(seed, game.label, 0))
        built = module.build(module.Params(**game.options), rng)
    except CfrlabError as error:
        raise CfrlabError(f"{key}: {error}") from None
    if max(buckets) > min(built.n):
        raise CfrlabError(
            f"weva.buckets: {max(buckets)} buckets are more than the {min(built.n)} hands of game "
            f"{game.label}; use at most {min(built.n)}"
        )
    for method in (method for method in methods if method.warmup is None):
        feature = plugins.load(FEATURES, method.feature, "method")
        try:
            feature.features(built, 0, feature.Params(**method.params), None)
        except CfrlabError as error:
            raise CfrlabError(
                f"weva.methods.{method.label}: {error}; or list the games it is for under games"
            ) from None


# Checks of single values


def _check_folder(name: str) -> None:
    """Refuse a results folder that is no folder or holds the project itself."""
    path = Path(name)
    if set(name.split("/")) & {".", ".."} or path == Path("/") or path.parts[0] in OWN_FOLDERS:
        raise CfrlabError(
            f"results_dir: '{name}' would mix results with other files; use a folder of its own, "
            "such as results/mine"
        )
    if path.exists() and not path.is_dir():
        raise CfrlabError(f"results_dir: '{name}' is a file; name a folder, such as results/mine")


def _check_points(key: str, points: Sequence[int], limit_key: str, limit: int) -> None:
    check_distinct(key, points)
    if max(points) > limit:
        raise CfrlabError(
            f"{key}: {max(points)} is beyond the {limit} iterations of {limit_key}; "
            f"use at most {limit}"
        )
