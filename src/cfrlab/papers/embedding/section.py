"""The section ``embedding`` of the configuration: its schema and its checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import product
from types import ModuleType
from typing import Annotated, Any, Literal

from pydantic import Field

from cfrlab.abstraction.embedding.params import Params as NetworkParams
from cfrlab.errors import CfrlabError
from cfrlab.papers.embedding.artifacts import AS_TRAINED, EMBEDDING, LOSSLESS
from cfrlab.papers.embedding.studies import (
    Curve,
    GameEntry,
    Grouping,
    HandAbstraction,
    Study,
    points_of,
)
from cfrlab.schema import (
    GAMES,
    Count,
    Distinct,
    Flag,
    Games,
    Label,
    Names,
    Options,
    Power,
    Section,
    SolverName,
    check_known,
    listed,
    module_label,
    plugin,
    read_options,
    validate,
    zoo_module,
    zoo_options,
)

CLUSTERINGS = "cfrlab.abstraction.clusterings"
EV = "ev"

WEIGHTS = 3.4e32
"""Solvers refuse sums of averaging weights above it: those of float32, with room for reaches."""

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Share = Annotated[float, Field(ge=0, lt=1, strict=True)]
Iterations = Annotated[int, Field(ge=1, le=10**9, strict=True)]
Budgets = Annotated[list[Count], Field(min_length=1)]
"""Buckets or advisors of every round but the first."""


class Warmup(Section):
    """CFR on the game without abstraction, from whose average profile expected values are taken."""

    rule: SolverName
    alternating: Flag
    averaging: Power
    iterations: Iterations


class ClusteringEntry(Section):
    """A way to make buckets, with its options."""

    clustering: str | None = None
    budgets: Budgets | None = None
    params: Options = Field(default_factory=dict)


class NetworkEntry(Section):
    """A network: what it is trained to predict, its width (the budgets), and its options."""

    supervision: Literal["winrate", "krw", "ev"]
    budgets: Budgets | None = None
    params: Options = Field(default_factory=dict)


class Transform(Section):
    """What is done to a trained Phi, in this order; columns sum to one again afterwards.

    power: every entry is raised to it. top: only as many entries of a column are kept, the
    largest. cut: entries below it become 0.
    """

    power: Positive = 1.0
    top: Count | None = None
    cut: Share = 0.0


class Solver(Section):
    """An update rule with its schedule, and what it keeps.

    averages: averaging rules to report. baseline: each advisor's regrets are taken relative to its
    own value instead of the mixture's. deals: sampled an iteration; all where it is left out.
    """

    rule: SolverName
    alternating: Flag
    averaging: Power
    averages: Distinct[Literal["uniform", "advisor", "infoset"]]
    baseline: Flag = False
    deals: Count | None = None


class CurvesEntry(Section):
    """Every abstraction by every solver, with seeds 0, 1, ..."""

    abstractions: Names
    solvers: Names
    seeds: Count


class StudyEntry(Section):
    """Curves to compare, in some games, and the iterations at which to look."""

    games: Names
    points: Distinct[Iterations]
    curves: Annotated[list[CurvesEntry], Field(min_length=1)]


class EmbeddingSection(Section):
    """Everything about the embedding experiments.

    ``warmup`` may be left out where nothing needs expected values, and so may any study but one.
    """

    games: Games
    budgets: Budgets
    warmup: Warmup | None = None
    clusterings: dict[Label, ClusteringEntry] = Field(default_factory=dict)
    networks: dict[Label, NetworkEntry] = Field(default_factory=dict)
    transforms: dict[Label, Transform] = Field(default_factory=dict)
    solvers: Annotated[dict[Label, Solver], Field(min_length=1)]
    device: Literal["cpu", "cuda"] | None = None
    figure5: StudyEntry | None = None
    ablation: dict[Label, StudyEntry] = Field(default_factory=dict)


def resolve(
    section: EmbeddingSection,
) -> tuple[dict[str, GameEntry], dict[str, HandAbstraction], dict[str, Study]]:
    """Check the section; return its games, all abstractions and its studies, by name.

    Raises:
        CfrlabError: the first mistake, in one line that begins with its key.
    """
    _check_labels(section)
    games = {label: _game(label, entry) for label, entry in section.games.items()}
    groupings = [_clustering(section, *entry) for entry in section.clusterings.items()]
    groupings += [_network(section, *entry) for entry in section.networks.items()]
    _check_rounds(section, games, groupings)
    abstractions = {a.name: a for a in _abstractions(groupings, section.transforms)}
    studies = {
        name: _study(section, *entry, games, abstractions)
        for name, entry in _entries(section).items()
    }
    points = points_of(studies)
    for curve in points:
        _check_fits(section, games[curve.game], abstractions[curve.abstraction])
    _check_transforms(section, [abstractions[curve.abstraction] for curve in points])
    _check_averaging(section, points)
    return games, abstractions, studies


def _check_labels(section: EmbeddingSection) -> None:
    """Groupings and studies are told apart by their labels, which some names are not free for."""
    taken = {
        "clusterings": [LOSSLESS],
        "networks": [LOSSLESS, *section.clusterings],
        "transforms": [AS_TRAINED],
        "ablation": ["figure5"],
    }
    for part, labels in taken.items():
        for label in labels:
            if label in getattr(section, part):
                raise CfrlabError(f"embedding.{part}.{label}: the label is taken; rename it")


def _game(label: str, entry: Mapping[str, Any]) -> GameEntry:
    key = f"embedding.games.{label}"
    module = zoo_module(label, entry, key)
    if lacks := _lacks(module):
        raise CfrlabError(
            f"{key}: {module_label(module)} is no game of betting rounds with classes of hands "
            f"(its module does not define {listed(lacks)}; see {GAMES}); use numeral211"
        )
    options = zoo_options(module, entry, key)
    return GameEntry(label, module_label(module), options, module.ROUNDS)


def _lacks(module: ModuleType) -> list[str]:
    """What a module of the zoo needs to be a game of betting rounds, and does not have."""
    lacks = [name for name in ("rounds", "ROUNDS") if not hasattr(module, name)]
    fields = module.Params.model_fields
    texts = {name for name, field in fields.items() if field.annotation is str}
    return lacks + [f"Params.{name}: str" for name in ("ranks", "suits") if name not in texts]


def _clustering(section: EmbeddingSection, label: str, entry: ClusteringEntry) -> Grouping:
    key = f"embedding.clusterings.{label}"
    module = plugin(CLUSTERINGS, entry.clustering or label, "clustering", key)
    params = read_options(module, entry.params, f"{key}.params")
    budgets = _budgets(section, entry, key)
    return Grouping(label, module_label(module), *budgets, module.NEEDS_VALUES, params)


def _network(section: EmbeddingSection, label: str, entry: NetworkEntry) -> Grouping:
    key = f"embedding.networks.{label}"
    params = validate(NetworkParams, entry.params, f"{key}.params").model_dump(mode="json")
    params = {"supervision": entry.supervision, **params}
    budgets = _budgets(section, entry, key)
    return Grouping(label, EMBEDDING, *budgets, entry.supervision == EV, params)


def _budgets(
    section: EmbeddingSection, entry: ClusteringEntry | NetworkEntry, key: str
) -> tuple[tuple[int, ...], str]:
    """The budgets of an entry, and where they stand."""
    if entry.budgets is None:
        return tuple(section.budgets), "embedding.budgets"
    return tuple(entry.budgets), f"{key}.budgets"


def _check_rounds(
    section: EmbeddingSection, games: Mapping[str, GameEntry], groupings: Iterable[Grouping]
) -> None:
    """Budgets are for every round but the first of every game, whether these are used or not."""
    budgets = {"embedding.budgets": tuple(section.budgets)}
    budgets |= {grouping.budgets_key: grouping.budgets for grouping in groupings}
    for key, listing in budgets.items():
        for label, game in games.items():
            if len(listing) != game.rounds - 1:
                raise CfrlabError(
                    f"{key}: {len(listing)} given, but game {label} has {game.rounds - 1} rounds "
                    "after the first; list one budget for each"
                )


def _abstractions(
    groupings: Iterable[Grouping], transforms: Iterable[str]
) -> Iterable[HandAbstraction]:
    yield HandAbstraction(LOSSLESS)
    for grouping in groupings:
        yield HandAbstraction(grouping.label, grouping)
        if grouping.family == EMBEDDING:
            for transform in transforms:
                yield HandAbstraction(f"{grouping.label}/{transform}", grouping, transform)


def _entries(section: EmbeddingSection) -> dict[str, tuple[str, StudyEntry]]:
    """Studies by name, with their keys. Raises CfrlabError if there is none."""
    entries = {n: (f"embedding.ablation.{n}", entry) for n, entry in section.ablation.items()}
    if section.figure5:
        entries = {"figure5": ("embedding.figure5", section.figure5), **entries}
    if not entries:
        raise CfrlabError(
            "embedding: asks for no study, so there is nothing to do; add figure5, or a study "
            "under ablation (config.yaml shows every key)"
        )
    return entries


def _study(
    section: EmbeddingSection,
    key: str,
    entry: StudyEntry,
    games: Mapping[str, GameEntry],
    abstractions: Mapping[str, HandAbstraction],
) -> Study:
    """A study with all its curves, in the order in which it lists them."""
    check_known(f"{key}.games", entry.games, games, "game")
    lines: list[tuple[str, str]] = []
    curves: list[Curve] = []
    for i, group in enumerate(entry.curves):
        here = f"{key}.curves[{i}]"
        check_known(f"{here}.abstractions", group.abstractions, abstractions, "abstraction")
        check_known(f"{here}.solvers", group.solvers, section.solvers, "solver")
        pairs = list(product(group.abstractions, group.solvers))
        for abstraction, solver in pairs:
            if (abstraction, solver) in lines:
                raise CfrlabError(
                    f"{key}.curves: '{abstraction}' by '{solver}' is listed twice; list it once"
                )
            random = abstraction != LOSSLESS or section.solvers[solver].deals is not None
            if group.seeds > 1 and not random:
                raise CfrlabError(
                    f"{here}.seeds: nothing is random in '{abstraction}' by '{solver}'; use 1"
                )
        seeds = range(group.seeds)
        curves += [Curve(g, *pair, seed) for g in entry.games for pair in pairs for seed in seeds]
        lines += pairs
    return Study(entry.points, tuple(curves))


def _check_fits(section: EmbeddingSection, game: GameEntry, abstraction: HandAbstraction) -> None:
    """What groups the hands of a game must fit their number, and may need a warm-up."""
    if (grouping := abstraction.grouping) is None:
        return
    for r, (budget, most) in enumerate(zip(grouping.budgets, game.classes[1:], strict=True)):
        if budget > most:
            raise CfrlabError(
                f"{grouping.budgets_key}[{r}]: {budget} is more than the {most} classes of hands "
                f"in round {r + 2} of game {game.label}; use at most {most}"
            )
    if grouping.needs_values and section.warmup is None:
        raise CfrlabError(
            f"embedding.warmup: missing; '{grouping.label}' needs its expected values "
            "(config.yaml shows every key)"
        )


def _check_transforms(section: EmbeddingSection, abstractions: Iterable[HandAbstraction]) -> None:
    """Every transform must do something, and the number of advisors that it keeps be fewer."""
    for label, transform in section.transforms.items():
        if transform == Transform():
            raise CfrlabError(
                f"embedding.transforms.{label}: does nothing; give it a power other than 1, a top "
                "or a cut"
            )
    for abstraction in abstractions:
        if abstraction.grouping is None or not abstraction.transform:
            continue
        label, budgets = abstraction.transform, abstraction.grouping.budgets
        top = section.transforms[label].top
        if top is not None and top >= max(budgets):
            raise CfrlabError(
                f"embedding.transforms.{label}.top: {top} keeps all advisors of network "
                f"{abstraction.network} (its budgets are {listed(budgets)}); use less than "
                f"{max(budgets)}"
            )


def _check_averaging(section: EmbeddingSection, points: Mapping[Curve, list[int]]) -> None:
    """Weights of iterations must not overflow the solvers' numbers."""
    powers = {f"solvers.{name}": solver.averaging for name, solver in section.solvers.items()}
    last: dict[str, int] = {}
    for curve, at in points.items():
        key = f"solvers.{curve.solver}"
        last[key] = max(last.get(key, 0), at[-1])
    if section.warmup:
        powers["warmup"], last["warmup"] = section.warmup.averaging, section.warmup.iterations
    for key, point in last.items():
        if (powers[key] + 1) * math.log(point) > math.log(WEIGHTS):
            most = math.log(WEIGHTS) / math.log(point) - 1
            raise CfrlabError(
                f"embedding.{key}.averaging: with the power {powers[key]:g}, weights of iterations "
                f"overflow at point {point}; use at most {math.floor(10 * most) / 10:g}"
            )
