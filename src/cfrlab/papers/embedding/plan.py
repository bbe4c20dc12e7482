"""What a run makes for the Embedding CFR paper: the recipe of every job."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from cfrlab import plugins
from cfrlab.papers.embedding.artifacts import EMBEDDING, LOSSLESS
from cfrlab.papers.embedding.section import CLUSTERINGS, EmbeddingSection, resolve
from cfrlab.papers.embedding.studies import (
    Curve,
    GameEntry,
    Grouping,
    HandAbstraction,
    Study,
    first_of_deck,
    points_of,
)
from cfrlab.pipeline.plan import Plan, any_of, figure_files, table_files
from cfrlab.pipeline.recipe import Recipe
from cfrlab.schema import GAMES, RULES


@dataclass(frozen=True)
class EmbeddingPlan(Plan):
    """The jobs of the embedding experiments.

    Attributes:
        section: the section as written.
        seed: root of all seeds.
        games, abstractions, studies: by name.
    """

    paper: ClassVar[str] = "embedding"
    outputs: ClassVar[dict[str, str]] = {
        "game": "embedding/game/{game}.npz",
        "values": "embedding/values/{game}.npz",
        "buckets": "embedding/phi/{game}/{clustering}/s{seed}.npz",
        "train": "embedding/phi/{game}/{network}/s{seed}.npz",
        "transform": "embedding/phi/{game}/{network}/{transform}/s{seed}.npz",
        "curve": "embedding/curve/{game}/{abstraction}/{solver}/s{seed}.npz",
    }

    section: EmbeddingSection
    seed: int
    games: dict[str, GameEntry] = field(default_factory=dict)
    abstractions: dict[str, HandAbstraction] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)

    @staticmethod
    def of(section: EmbeddingSection, seed: int) -> EmbeddingPlan:
        """The plan of a section. Raises CfrlabError for the first mistake in it."""
        return EmbeddingPlan(section, seed, *resolve(section))

    # Stages

    def make_game(self, game: str) -> Recipe:
        """A game of betting rounds, its hands up to suits."""
        entry = self.games[game]
        return self._recipe(
            "game",
            {"game": game},
            config={"zoo": entry.zoo, "options": entry.options},
            plugins=[plugins.module_name(GAMES, entry.zoo, "game")],
        )

    def make_values(self, game: str) -> Recipe:
        """Expected values of hands under the average of a short run without abstraction."""
        warmup = self.section.warmup
        assert warmup is not None
        return self._recipe(
            "values",
            {"game": game},
            config=warmup.model_dump(),
            plugins=[_rule(warmup.rule)],
            inputs={"game": [self.make_game(game)]},
        )

    def make_buckets(self, game: str, clustering: str, seed: str) -> Recipe:
        """Hands grouped by a clustering."""
        grouping = self._grouping(clustering)
        return self._recipe(
            "buckets",
            {"game": game, "clustering": clustering, "seed": seed},
            config={
                "clustering": grouping.family,
                "budgets": list(grouping.budgets),
                "params": grouping.params,
            },
            seed=self.seed,
            plugins=[plugins.module_name(CLUSTERINGS, grouping.family, "clustering")],
            inputs=self._seen(game, grouping),
        )

    def make_train(self, game: str, network: str, seed: str) -> Recipe:
        """A network for every round but the first, and the Phi that it gives."""
        grouping = self._grouping(network)
        return self._recipe(
            "train",
            {"game": game, "network": network, "seed": seed},
            config={"budgets": list(grouping.budgets), **grouping.params},
            seed=self.seed,
            inputs=self._seen(game, grouping),
        )

    def make_transform(self, game: str, network: str, transform: str, seed: str) -> Recipe:
        """A sharper Phi from a trained one."""
        return self._recipe(
            "transform",
            {"game": game, "network": network, "transform": transform, "seed": seed},
            config=self.section.transforms[transform].model_dump(),
            inputs={
                "game": [self.make_game(game)],
                "phi": [self.make_train(game, network, seed)],
            },
        )

    def make_curve(self, game: str, abstraction: str, solver: str, seed: str) -> Recipe:
        """One run of a solver under one abstraction: a line of a figure."""
        curve = Curve(game, abstraction, solver, int(seed))
        options = self.section.solvers[solver]
        dense = self.abstractions[abstraction].family == EMBEDDING
        return self._recipe(
            "curve",
            curve.key,
            config={
                "solver": options.model_dump(),
                "points": self.points[curve],
                "device": self.section.device if dense else None,
            },
            seed=None if options.deals is None else curve.deal_seed(self.seed),
            plugins=[_rule(options.rule)],
            inputs={"game": [self.make_game(game)], "phi": self._phis([curve])},
        )

    # What follows from them

    def make_counts(self) -> Recipe:
        """How many classes of hands there are, and the published counts beside."""
        decks = {first_of_deck(self.games, label) for label in self.games}
        games = {label: entry for label, entry in self.section.games.items() if label in decks}
        return self._recipe(
            "counts",
            config={"games": games},
            seed=self.seed,
            inputs={"games": map(self.make_game, games)},
        )

    def make_records(self) -> Recipe:
        """All curves and all abstractions, as two tables of data."""
        return self._recipe(
            "records",
            config=self._scale(),
            seed=self.seed,
            inputs={"curves": self.curves, "phis": self._phis(self.points)},
        )

    def make_neighbours(self) -> Recipe:
        """Hands that trained networks make play alike, as a table of data."""
        return self._recipe(
            "neighbours", config=self._scale(), seed=self.seed, inputs={"near": self.near}
        )

    def make_tables(self) -> Recipe:
        """Where curves end, and what every Phi is like."""
        return self._recipe(
            "tables",
            config=self._scale(),
            seed=self.seed,
            inputs={"curves": self.curves, "phis": self._phis(self.points), "near": self.near},
        )

    def make_figures(self) -> Recipe:
        """The figures, with their data and captions."""
        return self._recipe(
            "figures", config=self._scale(), seed=self.seed, inputs={"curves": self.curves}
        )

    def make_claims(self) -> Recipe:
        """The paper's claims, judged."""
        return self._recipe(
            "claims",
            config=self._scale(),
            seed=self.seed,
            inputs={"curves": self.curves, **self.make_counts().inputs},
        )

    def beside(self) -> dict[str, list[str]]:
        return {"train": self.weights}

    def texts(self) -> dict[str, list[str]]:
        texts = {
            "counts": table_files(self.tables[:1]),
            "records": ["tables/embedding_curves.csv", "tables/embedding_phis.csv"],
            "neighbours": ["tables/embedding_neighbours.csv"],
            "tables": table_files(self.tables[1:]),
            "figures": figure_files(self.figures),
            "claims": ["claims/embedding.csv"],
        }
        if not self.near:
            del texts["neighbours"]
        return texts

    def constraints(self) -> dict[str, str]:
        return {
            "game": any_of(self.games),
            "clustering": any_of(self.section.clusterings),
            "network": any_of(self.section.networks),
            "transform": any_of(self.section.transforms),
            "abstraction": any_of(self.abstractions),
            "solver": any_of(self.section.solvers),
            "seed": r"\d+",
        }

    @cached_property
    def points(self) -> dict[Curve, list[int]]:
        """All curves, with the iterations at which each is measured."""
        return points_of(self.studies)

    @cached_property
    def curves(self) -> list[Recipe]:
        """Recipes of all curves."""
        return [self.make_curve(**curve.key) for curve in self.points]

    @cached_property
    def near(self) -> list[Recipe]:
        """Recipes of the Phi of which the neighbours of hands are shown.

        They are of the networks in Figure 5, the first seed of each.
        """
        shown = self.studies["figure5"].curves if "figure5" in self.studies else ()
        return self._phis(
            c for c in shown if self.abstractions[c.abstraction].network and not c.seed
        )

    @property
    def tables(self) -> list[str]:
        return ["embedding_counts", "embedding_ends", "embedding_phi"]

    @property
    def data(self) -> dict[str, str]:
        data = {
            "embedding_curves": "every point of every embedding curve",
            "embedding_phis": "every Phi, round by round",
        }
        if self.near:
            data["embedding_neighbours"] = "the hands nearest to a few well-known ones"
        return data

    @property
    def figures(self) -> list[str]:
        drawn = {
            "fig5": "figure5" in self.studies,
            "ablation": self.section.ablation,
            "sharpness": any(map(self._sweeps, self.studies.values())),
        }
        return [f"embedding_{name}" for name, wanted in drawn.items() if wanted]

    @property
    def weights(self) -> list[str]:
        """Files of a network's weights, one for each round but the first."""
        rounds = range(2, len(self.section.budgets) + 2)
        return [
            f"embedding/network/{{game}}/{{network}}/s{{seed}}-round{r}.safetensors" for r in rounds
        ]

    def length(self, game: str, abstraction: str, solver: str, seed: str) -> int:
        """How long a curve takes, roughly in seconds on one core with 40 cards."""
        last = self.points[Curve(game, abstraction, solver, int(seed))][-1]
        return last * (2 if self.abstractions[abstraction].network else 1)

    def memory(self, abstraction: str) -> int:
        """Most memory of a curve, in MB: when it is taken up again from a checkpoint.

        One number for each infoset and action of Numeral211 takes 0.5 GB, and without abstraction
        there are five: regret, strategy and three averages.
        """
        return 8000 if abstraction == LOSSLESS else 4000

    def _grouping(self, label: str) -> Grouping:
        grouping = self.abstractions[label].grouping
        assert grouping is not None
        return grouping

    def _seen(self, game: str, grouping: Grouping) -> dict[str, list[Recipe]]:
        """What a grouping sees of a game."""
        values = [self.make_values(game)] if grouping.needs_values else []
        return {"game": [self.make_game(game)], "values": values}

    def _phis(self, curves: Iterable[Curve]) -> list[Recipe]:
        """Recipes of the Phi of some curves, each once; there is none for the lossless game.

        Stakes do not matter to what sees no expected values: then a Phi is made for the first game
        of the deck.
        """
        made = set()
        for curve in curves:
            if grouping := self.abstractions[curve.abstraction].grouping:
                needs = grouping.needs_values
                game = curve.game if needs else first_of_deck(self.games, curve.game)
                made.add((game, curve.abstraction, curve.seed))
        return [self._phi(*key) for key in sorted(made)]

    def _phi(self, game: str, name: str, seed: int) -> Recipe:
        abstraction = self.abstractions[name]
        if abstraction.transform:
            return self.make_transform(game, abstraction.network, abstraction.transform, str(seed))
        return (self.make_train if abstraction.network else self.make_buckets)(
            game, name, str(seed)
        )

    def _sweeps(self, study: Study) -> bool:
        """Whether a study has several Phi of one network, by one solver in one game."""
        phis: dict[tuple[str, str, str], set[str]] = {}
        for curve in study.curves:
            if network := self.abstractions[curve.abstraction].network:
                phis.setdefault((curve.game, curve.solver, network), set()).add(curve.abstraction)
        return any(len(several) > 1 for several in phis.values())

    def _scale(self) -> dict[str, object]:
        """The part of the section that tables and figures come from, and what studies ask for."""
        section = self.section.model_dump(
            mode="json", exclude={"figure5", "ablation"}, exclude_none=True
        )
        studies = {
            name: {"points": study.points, "curves": [curve.key for curve in study.curves]}
            for name, study in self.studies.items()
        }
        return {**section, "studies": studies}


def _rule(name: str) -> str:
    return plugins.module_name(RULES, name, "solver")
