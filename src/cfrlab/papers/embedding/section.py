"""The section ``embedding`` of the configuration: its schema and its checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import product
from types import ModuleType
from typing import Annotated, Any, Literal

from pydantic import Field

from cfrlab import plugins
from cfrlab.abstraction.embedding.params import Params as NetworkParams
from cfrlab.errors import CfrlabError
from cfrlab.papers.embedding import setting
from cfrlab.papers.embedding.kinds import AS_TRAINED
from cfrlab.papers.embedding.records import FIGURE5
from cfrlab.papers.embedding.setting import (
    LOSSLESS,
    NETWORK,
    Abstraction,
    Curve,
    Experiments,
    GameSetting,
    Source,
    abstractions,
)
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
    validate,
)

CLUSTERINGS = "cfrlab.abstraction.clusterings"
EV = "ev"

WEIGHTS = 3.4e32
"""Solvers refuse sums of averaging weights above it: those of float32, with room for reaches."""

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Share = Annotated[float, Field(ge=0, lt=1, strict=True)]
Iterations = Annotated[int, Field(ge=1, le=10**9, strict=True)]
Points = Annotated[list[Iterations], Field(min_length=1)]


class Warmup(Section):
    """CFR on the game without abstraction, from whose average profile expected values are taken."""

    rule: str
    alternating: Flag
    averaging: Power
    iterations: Iterations


class ClusteringEntry(Section):
    """A way to make buckets, with its options."""

    clustering: str | None = None
    budgets: Counts | None = None
    params: dict[str, Any] = Field(default_factory=dict)


class NetworkEntry(Section):
    """A network: what it is trained to predict, its width (the budgets), and its options."""

    supervision: Literal["winrate", "krw", "ev"]
    budgets: Counts | None = None
    params: dict[str, Any] = Field(default_factory=dict)


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

    rule: str
    alternating: Flag
    averaging: Power
    averages: Annotated[list[Literal["uniform", "advisor", "infoset"]], Field(min_length=1)]
    baseline: Flag = False
    deals: Count | None = None


class Curves(Section):
    """Every abstraction by every solver, with seeds 0, 1, ..."""

    abstractions: Names
    solvers: Names
    seeds: Count


class Study(Section):
    """Curves to compare, in some games, and the iterations at which to look."""

    games: Names
    points: Points
    curves: Annotated[list[Curves], Field(min_length=1)]


class EmbeddingSection(Section):
    """Everything about the embedding experiments."""

    games: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    budgets: Counts
    warmup: Warmup
    clusterings: dict[str, ClusteringEntry]
    networks: dict[str, NetworkEntry]
    transforms: dict[str, Transform]
    solvers: Annotated[dict[str, Solver], Field(min_length=1)]
    device: Literal["cpu", "cuda"] | None = None
    figure5: Study
    ablation: dict[str, Study]


def resolve(section: EmbeddingSection) -> Experiments:
    """Check the section and name everything that it asks for.

    Raises:
        CfrlabError: the first mistake, in one line that begins with its key.
    """
    _check_labels(section)
    _check_solvers(section)
    games = {label: _game(label, entry) for label, entry in section.games.items()}
    clusterings = {k: _clustering(section, k, entry) for k, entry in section.clusterings.items()}
    networks = {k: _network(section, k, entry) for k, entry in section.networks.items()}
    _check_rounds(section, games, [*clusterings.values(), *networks.values()])
    known = abstractions(clusterings, networks, list(section.transforms))
    studies: dict[str, setting.Study] = {}
    points: dict[Curve, set[int]] = {}
    for name, (key, study) in _studies(section).items():
        check_known(f"{key}.games", study.games, games, "game")
        check_distinct(f"{key}.points", study.points)
        curves = _curves(section, f"{key}.curves", study, known)
        studies[name] = setting.Study(study.points, curves)
        for curve in curves:
            points.setdefault(curve, set()).update(study.points)
    ordered = {curve: tuple(sorted(points[curve])) for curve in sorted(points)}
    found = Experiments(games, clusterings, networks, known, ordered, studies)
    _check_budgets(section, found)
    _check_transforms(section, found)
    _check_averaging(section, found)
    return found


def _studies(section: EmbeddingSection) -> dict[str, tuple[str, Study]]:
    """Studies by name, with their keys."""
    ablation = {n: (f"embedding.ablation.{n}", study) for n, study in section.ablation.items()}
    return {FIGURE5: (f"embedding.{FIGURE5}", section.figure5), **ablation}


def _curves(
    section: EmbeddingSection, key: str, study: Study, known: Mapping[str, Abstraction]
) -> tuple[Curve, ...]:
    """All curves of a study, in the order in which it lists them."""
    lines: list[tuple[str, str]] = []
    curves: list[Curve] = []
    for i, group in enumerate(study.curves):
        here = f"{key}[{i}]"
        check_known(f"{here}.abstractions", group.abstractions, known, "abstraction")
        check_known(f"{here}.solvers", group.solvers, section.solvers, "solver")
        pairs = list(product(group.abstractions, group.solvers))
        for abstraction, solver in pairs:
            random = abstraction != LOSSLESS or section.solvers[solver].deals is not None
            if group.seeds > 1 and not random:
                raise CfrlabError(
                    f"{here}.seeds: nothing is random in '{abstraction}' by '{solver}'; use 1"
                )
        curves += [
            Curve(game, *pair, seed)
            for game in study.games
            for pair in pairs
            for seed in range(group.seeds)
        ]
        lines += pairs
    check_distinct(key, [f"'{abstraction}' by '{solver}'" for abstraction, solver in lines])
    return tuple(curves)


def _game(label: str, entry: Mapping[str, Any]) -> GameSetting:
    key = f"embedding.games.{label}"
    module = plugin(GAMES, entry.get("zoo", label), "game", key)
    if lacks := _lacks(module):
        raise CfrlabError(
            f"{key}: {module_label(module)} is no game of betting rounds with classes of hands "
            f"(its module does not define {listed(lacks)}; see {GAMES}); use numeral211"
        )
    chosen = {name: value for name, value in entry.items() if name != "zoo"}
    return GameSetting(label, module_label(module), read_options(module, chosen, key))


def _lacks(module: ModuleType) -> list[str]:
    """What a module of the zoo needs to be a game of betting rounds, and does not have."""
    lacks = [name for name in ("rounds", "ROUNDS") if not hasattr(module, name)]
    fields = module.Params.model_fields
    texts = {name for name, field in fields.items() if field.annotation is str}
    return lacks + [f"Params.{name}: str" for name in ("ranks", "suits") if name not in texts]


def _clustering(section: EmbeddingSection, label: str, entry: ClusteringEntry) -> Source:
    key = f"embedding.clusterings.{label}"
    module = plugin(CLUSTERINGS, entry.clustering or label, "clustering", key)
    params = read_options(module, entry.params, f"{key}.params")
    budgets = tuple(entry.budgets or section.budgets)
    return Source(label, module_label(module), budgets, module.NEEDS_VALUES, params)


def _network(section: EmbeddingSection, label: str, entry: NetworkEntry) -> Source:
    params = validate(NetworkParams, entry.params, f"embedding.networks.{label}.params")
    return Source(
        label,
        NETWORK,
        tuple(entry.budgets or section.budgets),
        entry.supervision == EV,
        {"supervision": entry.supervision, **params.model_dump(mode="json")},
    )


def _check_labels(section: EmbeddingSection) -> None:
    """Labels name files, and sources and studies are told apart by theirs."""
    parts = ("games", "clusterings", "networks", "transforms", "solvers", "ablation")
    for part in parts:
        for label in getattr(section, part):
            check_label(f"embedding.{part}.{label}", label)
    taken = {
        "clusterings": [LOSSLESS],
        "networks": [LOSSLESS, *section.clusterings],
        "transforms": [AS_TRAINED],
        "ablation": [FIGURE5],
    }
    for part, labels in taken.items():
        for label in labels:
            if label in getattr(section, part):
                raise CfrlabError(f"embedding.{part}.{label}: the label is taken; rename it")


def _check_solvers(section: EmbeddingSection) -> None:
    plugin(SOLVERS, section.warmup.rule, "solver", "embedding.warmup.rule")
    for name, solver in section.solvers.items():
        key = f"embedding.solvers.{name}"
        plugin(SOLVERS, solver.rule, "solver", f"{key}.rule")
        check_distinct(f"{key}.averages", solver.averages)


def _rounds(game: GameSetting) -> int:
    rounds: int = plugins.load(GAMES, game.zoo, "game").ROUNDS
    return rounds


def _check_rounds(
    section: EmbeddingSection, games: Mapping[str, GameSetting], sources: Iterable[Source]
) -> None:
    """Budgets are for every round but the first of every game, whether these are used or not."""
    budgets = {"embedding.budgets": tuple(section.budgets)}
    budgets |= {_budgets_key(section, source): source.budgets for source in sources}
    for key, listing in budgets.items():
        for label, game in games.items():
            if len(listing) != _rounds(game) - 1:
                raise CfrlabError(
                    f"{key}: {len(listing)} given, but game {label} has {_rounds(game) - 1} rounds "
                    "after the first; list one budget for each"
                )


def _budgets_key(section: EmbeddingSection, source: Source) -> str:
    """Where the budgets of a source stand."""
    part = "networks" if source.family == NETWORK else "clusterings"
    own = getattr(section, part)[source.label].budgets is not None
    return f"embedding.{part}.{source.label}.budgets" if own else "embedding.budgets"


def _check_budgets(section: EmbeddingSection, found: Experiments) -> None:
    """Every source must fit the hand classes of the games that use it."""
    for game, name, _ in found.abstracted():
        source = found.abstractions[name].source
        assert source is not None
        classes = found.games[game].classes(_rounds(found.games[game]))[1:]
        key = _budgets_key(section, source)
        for r, (budget, most) in enumerate(zip(source.budgets, classes, strict=True)):
            if budget > most:
                raise CfrlabError(
                    f"{key}[{r}]: {budget} is more than the {most} classes of hands in round "
                    f"{r + 2} of game {game}; use at most {most}"
                )


def _check_transforms(section: EmbeddingSection, found: Experiments) -> None:
    """Every transform must do something, and the number of advisors that it keeps be fewer."""
    for label, transform in section.transforms.items():
        if transform == Transform():
            raise CfrlabError(
                f"embedding.transforms.{label}: does nothing; give it a power other than 1, a top "
                "or a cut"
            )
    for curve in found.points:
        abstraction = found.abstractions[curve.abstraction]
        if abstraction.source is None or abstraction.transform not in section.transforms:
            continue
        top, budgets = section.transforms[abstraction.transform].top, abstraction.source.budgets
        if top is not None and top >= max(budgets):
            raise CfrlabError(
                f"embedding.transforms.{abstraction.transform}.top: {top} keeps all advisors of "
                f"network {abstraction.network} (its budgets are {listed(budgets)}); use less than "
                f"{max(budgets)}"
            )


def _check_averaging(section: EmbeddingSection, found: Experiments) -> None:
    """Weights of iterations must not overflow the solvers' numbers."""
    last: dict[str, int] = {}
    for curve, points in found.points.items():
        key = f"solvers.{curve.solver}"
        last[key] = max(last.get(key, 0), *points)
    powers = {f"solvers.{name}": solver.averaging for name, solver in section.solvers.items()}
    powers["warmup"], last["warmup"] = section.warmup.averaging, section.warmup.iterations
    for key, point in last.items():
        if (powers[key] + 1) * math.log(point) > math.log(WEIGHTS):
            most = math.log(WEIGHTS) / math.log(point) - 1
            raise CfrlabError(
                f"embedding.{key}.averaging: with the power {powers[key]:g}, weights of iterations "
                f"overflow at point {point}; use at most {math.floor(10 * most) / 10:g}"
            )
