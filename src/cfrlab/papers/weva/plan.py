"""What a run makes for the WEVA paper: the recipe of every job."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from cfrlab import plugins
from cfrlab.papers.weva.section import (
    FEATURES,
    WEVA_SOLVERS,
    WEVA_TABLES,
    GameEntry,
    Method,
    Warmup,
    WevaSection,
    game_seed,
    resolve,
)
from cfrlab.pipeline.plan import Plan, any_of, figure_files, table_files
from cfrlab.pipeline.recipe import Recipe
from cfrlab.schema import GAMES, RULES

SCALE = ("instances", "warmup", "buckets", "kmeans", "iterations", "solvers", "averaging")


@dataclass(frozen=True)
class WevaPlan(Plan):
    """The jobs of the WEVA experiments.

    Attributes:
        section: the section as written, its entries for games and methods unresolved.
        seed: root of all seeds.
        games: by label.
        methods: for each game, its methods by name.
    """

    paper: ClassVar[str] = "weva"
    outputs: ClassVar[dict[str, str]] = {
        "game": "games/{game}/{instance}.npz",
        "warmup": "warmup/{game}/w{warmup}.npz",
        "oracle": "oracle/{game}/{instance}.npz",
        "features": "features/{game}/{method}.npz",
        "buckets": "buckets/{game}/{method}.npz",
        "solve": "solutions/{game}/{solver}/{method}.npz",
        "evaluate": "exploitability/{game}/{solver}/{method}.npz",
    }

    section: WevaSection
    seed: int
    games: dict[str, GameEntry] = field(default_factory=dict)
    methods: dict[str, dict[str, Method]] = field(default_factory=dict)

    @staticmethod
    def of(section: WevaSection, seed: int) -> WevaPlan:
        """The plan of a section. Raises CfrlabError for the first mistake in it."""
        return WevaPlan(section, seed, *resolve(section, seed))

    # Stages

    def make_game(self, game: str, instance: str) -> Recipe:
        """One random instance of a game."""
        entry = self.games[game]
        return self._recipe(
            "game",
            {"game": game, "instance": instance},
            config={"zoo": entry.zoo, "options": entry.options},
            seed=game_seed(self.seed, game, instance),
            plugins=[plugins.module_name(GAMES, entry.zoo, "game")],
        )

    def make_warmup(self, game: str, warmup: str) -> Recipe:
        """A short run of CFR on every instance of a game."""
        how = self._warmup
        return self._recipe(
            "warmup",
            {"game": game, "warmup": warmup},
            config={**how.model_dump(), "iterations": int(warmup)},
            plugins=[_rule(how.solver)],
            inputs={"games": self._instances(game)},
        )

    def make_oracle(self, game: str, instance: str) -> Recipe:
        """A very long run of CFR on one instance, for Figure 1."""
        how, figure = self._warmup, self.section.figure1
        assert figure is not None
        return self._recipe(
            "oracle",
            {"game": game, "instance": instance},
            config={**how.model_dump(), "iterations": figure.iterations, "points": figure.points},
            plugins=[_rule(how.solver)],
            inputs={"games": [self.make_game(game, instance)]},
        )

    def make_features(self, game: str, method: str) -> Recipe:
        """What a method sees in the hands of every instance of a game."""
        how = self.methods[game][method]
        return self._recipe(
            "features",
            {"game": game, "method": method},
            config={"feature": how.feature, "params": how.params},
            plugins=[plugins.module_name(FEATURES, how.feature, "method")],
            inputs={
                "games": self._instances(game),
                "warmup": [self.make_warmup(game, str(how.warmup))] if how.warmup else [],
            },
        )

    def make_buckets(self, game: str, method: str) -> Recipe:
        """Bucket maps of hands, for every instance, K and k-means seed."""
        kmeans = self.section.kmeans
        return self._recipe(
            "buckets",
            {"game": game, "method": method},
            config={
                "instances": self.section.instances,
                "buckets": self.section.buckets,
                "seeds": kmeans.seeds,
                "n_init": kmeans.n_init,
            },
            seed=self.seed if kmeans.seed is None else kmeans.seed,
            inputs={"features": [self.make_features(game, method)]},
        )

    def make_solve(self, game: str, solver: str, method: str) -> Recipe:
        """Strategies of the bucketed games of one method, by one solver."""
        averaging = self.section.averaging
        return self._recipe(
            "solve",
            {"game": game, "solver": solver, "method": method},
            config={
                "solver": solver,
                "averaging": {name: rule.model_dump() for name, rule in averaging.items()},
                "instances": self.section.instances,
                "buckets": self.section.buckets,
                "seeds": self.section.kmeans.seeds,
                "iterations": self.section.iterations,
                "curve": self._curve(solver),
            },
            plugins=[_rule(solver)],
            inputs={"games": self._instances(game), "buckets": [self.make_buckets(game, method)]},
        )

    def make_evaluate(self, game: str, solver: str, method: str) -> Recipe:
        """How much those strategies lose to best responses in the full game."""
        how = self.methods[game][method]
        return self._recipe(
            "evaluate",
            {"game": game, "solver": solver, "method": method},
            config={"game": game, "solver": solver, "method": how.label, "warmup": how.warmup},
            inputs={
                "games": self._instances(game),
                "buckets": [self.make_buckets(game, method)],
                "solutions": [self.make_solve(game, solver, method)],
            },
        )

    # What follows from them

    def make_tables(self) -> Recipe:
        """Tables 1 to 3 and those of the appendix, ours beside the published numbers."""
        return self._recipe(
            "tables", config=self._scale(), seed=self.seed, inputs={"records": self.evaluations}
        )

    def make_figures(self) -> Recipe:
        """The figures, with their data and captions."""
        return self._recipe(
            "figures",
            config=self._scale("figure1", "figure6"),
            seed=self.seed,
            inputs={"records": self.evaluations, "oracle": self.oracles},
        )

    def make_claims(self) -> Recipe:
        """The paper's claims, judged."""
        return self._recipe(
            "claims",
            config=self._scale("figure1", "figure6"),
            seed=self.seed,
            inputs={"records": self.evaluations, "oracle": self.oracles},
        )

    def texts(self) -> dict[str, list[str]]:
        return {
            "tables": [*table_files(self.tables), "tables/weva_cells.csv"],
            "figures": figure_files(self.figures),
            "claims": ["claims/weva.csv"],
        }

    def constraints(self) -> dict[str, str]:
        return {
            "game": any_of(self.games),
            "instance": r"\d+",
            "warmup": r"\d+",
            "method": any_of(sorted({name for of in self.methods.values() for name in of})),
            "solver": any_of(self.section.solvers),
        }

    @cached_property
    def evaluations(self) -> list[Recipe]:
        """Recipes of all records of solves, in the order of the tables."""
        return [
            self.make_evaluate(game, solver, method)
            for game in self.games
            for solver in self.section.solvers
            for method in self.methods[game]
        ]

    @cached_property
    def oracles(self) -> list[Recipe]:
        """Recipes of the curves of Figure 1."""
        if self.section.figure1 is None:
            return []
        games = self.section.figure1.games or self.games
        return [
            self.make_oracle(game, str(i)) for game in games for i in range(self.section.instances)
        ]

    @property
    def tables(self) -> list[str]:
        """The paper's tables whose game, or a variant with another number of hands, is run."""
        return [
            f"weva_{infix}table{number}"
            for solver, infix in WEVA_SOLVERS.items()
            for number, game in WEVA_TABLES.items()
            if solver in self.section.solvers
            and any(re.fullmatch(rf"{game}(-\d+)?", label) for label in self.games)
        ]

    @property
    def data(self) -> dict[str, str]:
        return {"weva_cells": "every cell of the run"}

    @property
    def figures(self) -> list[str]:
        # Figure 3 shows other methods as multiples of equity.
        beside = any("equity" in of and len(of) > 1 for of in self.methods.values())
        drawn = {1: self.section.figure1, 2: True, 3: beside, 5: True, 6: self.section.figure6}
        return [f"weva_fig{k}" for k, wanted in drawn.items() if wanted]

    @property
    def _warmup(self) -> Warmup:
        assert self.section.warmup is not None
        return self.section.warmup

    def _instances(self, game: str) -> list[Recipe]:
        return [self.make_game(game, str(i)) for i in range(self.section.instances)]

    def _curve(self, solver: str) -> dict[str, list[int]]:
        """Iterations to keep besides the last, by K: the curves of Figure 6."""
        figure = self.section.figure6
        shown = figure is not None and solver == figure.solver
        return {str(figure.buckets): figure.points} if figure and shown else {}

    def _scale(self, *parts: str) -> dict[str, object]:
        """The part of the section that a table or figure comes from."""
        section = self.section.model_dump(mode="json", exclude_none=True)
        return {key: section[key] for key in ("games", "methods", *SCALE, *parts) if key in section}


def _rule(name: str) -> str:
    return plugins.module_name(RULES, name, "solver")
