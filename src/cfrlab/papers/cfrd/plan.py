"""What a run makes for the CFR-D paper: the recipe of every job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import ClassVar

from cfrlab import plugins
from cfrlab.papers.cfrd import artifacts
from cfrlab.papers.cfrd.game_cut import GameCut
from cfrlab.papers.cfrd.labels import METHODS
from cfrlab.papers.cfrd.section import CfrdSection, resolve
from cfrlab.pipeline.plan import Plan, any_of, figure_files
from cfrlab.pipeline.recipe import Recipe
from cfrlab.schema import GAMES, RULES


@dataclass(frozen=True)
class CfrdPlan(Plan):
    """The jobs of the CFR-D experiments.

    Attributes:
        section: the section as written.
        seed: root of all seeds.
        games: by label.
        memory: the game whose memory is measured, if it is.
    """

    paper: ClassVar[str] = "cfrd"
    outputs: ClassVar[dict[str, str]] = {
        "run": "cfrd/cfrd-run/{game}/{variant}/s{subgame}.npz",
        "resolve_run": "cfrd/cfrd-grid/{game}/{variant}/s{subgame}.npz",
        "resolve_equilibrium": "cfrd/cfrd-curve/{game}/{method}/{case}.npz",
        "improve": "cfrd/cfrd-improved/{game}/{equilibrium}.npz",
        "measure": "cfrd/cfrd-measured/{mode}.npz",
        "scaling": "cfrd/cfrd-scaled/{game}/n{subgames}.npz",
        "timing": "cfrd/cfrd-timed/{game}.npz",
    }

    section: CfrdSection
    seed: int
    games: dict[str, GameCut]
    memory: GameCut | None

    @staticmethod
    def of(section: CfrdSection, seed: int) -> CfrdPlan:
        """The plan of a section. Raises CfrlabError for the first mistake in it."""
        return CfrdPlan(section, seed, *resolve(section))

    # Stages

    def make_run(self, game: str, variant: str, subgame: str) -> Recipe:
        """CFR-D with one number of subgame iterations."""
        figure = self.section.figure4
        assert figure is not None
        how = figure.variants[variant]
        return self._recipe(
            "run",
            {"game": game, "variant": variant, "subgame": subgame},
            config={
                "game": asdict(self.games[game]),
                "solver": figure.solver,
                "start": how.start,
                "values": how.values,
                "trunk_iterations": how.trunk_iterations,
                "subgame_iterations": int(subgame),
            },
            plugins=_plugins(self.games[game], figure.solver),
        )

    def make_resolve_run(self, game: str, variant: str, subgame: str) -> Recipe:
        """Re-solving of what a run of CFR-D leaves."""
        figure = self.section.figure4
        assert figure is not None
        return self._recipe(
            "resolve_run",
            {"game": game, "variant": variant, "subgame": subgame},
            config={
                "game": asdict(self.games[game]),
                "solver": figure.solver,
                "iterations": figure.resolving_iterations,
            },
            plugins=_plugins(self.games[game], figure.solver),
            inputs={"run": [self.make_run(game, variant, subgame)]},
        )

    def make_resolve_equilibrium(self, game: str, method: str, case: str) -> Recipe:
        """Re-solving of an exact equilibrium: one line of Figure 3."""
        figure = self.section.figure3
        assert figure is not None
        # Repetitions stop earlier than the first start and the first seed.
        last = figure.repeats_until
        if case in (artifacts.UNIFORM, "sample-1"):
            last = max(figure.points)
        return self._recipe(
            "resolve_equilibrium",
            {"game": game, "method": method, "case": case},
            config={
                "game": asdict(self.games[game]),
                "solver": figure.solver,
                "points": [t for t in figure.points if t <= last],
            },
            seed=self.seed,
            plugins=_plugins(self.games[game], figure.solver),
        )

    def make_improve(self, game: str, equilibrium: str) -> Recipe:
        """Re-solving of an abstract equilibrium without abstraction."""
        figure = self.section.figure5
        assert figure is not None
        return self._recipe(
            "improve",
            {"game": game, "equilibrium": equilibrium},
            config={
                "game": asdict(self.games[game]),
                "merge": [merge.model_dump() for merge in figure.merge],
                "solver": figure.solver,
                "points": figure.points,
                "samples": figure.samples,
                "cfr_plus_iterations": figure.cfr_plus_iterations,
            },
            seed=self.seed,
            plugins=_plugins(self.games[game], figure.solver, artifacts.CFR_PLUS),
        )

    def make_measure(self, mode: str) -> Recipe:
        """Peak memory and time of CFR or CFR-D."""
        how = self.section.memory
        assert how is not None
        assert self.memory is not None
        return self._recipe(
            "measure",
            {"mode": mode},
            config={**how.model_dump(exclude={"game"}), "game": asdict(self.memory)},
            plugins=_plugins(self.memory, "cfr"),
        )

    def make_scaling(self, game: str, subgames: str) -> Recipe:
        """CFR-D with some of a game's subgames apart."""
        how = self.section.scaling
        assert how is not None
        return self._recipe(
            "scaling",
            {"game": game, "subgames": subgames},
            config={
                **how.model_dump(exclude={"subgames", "raises"}),
                "game": asdict(self.games[game]),
            },
            seed=self.seed,
            plugins=_plugins(self.games[game], how.solver),
        )

    def make_timing(self, game: str) -> Recipe:
        """Times of safe and unsafe re-solving."""
        how = self.section.timing
        assert how is not None
        return self._recipe(
            "timing",
            {"game": game},
            config={**how.model_dump(), "game": asdict(self.games[game])},
            plugins=_plugins(self.games[game], how.solver),
        )

    # What follows from them

    def make_figures(self) -> Recipe:
        """The figures, with their data and captions."""
        return self._recipe("figures", config=self._config, seed=self.seed, inputs=self.results)

    def make_claims(self) -> Recipe:
        """The paper's claims, judged."""
        return self._recipe("claims", config=self._config, seed=self.seed, inputs=self.results)

    def texts(self) -> dict[str, list[str]]:
        figures = {"figures": figure_files(self.figures)} if self.figures else {}
        return {**figures, "claims": ["claims/cfrd.csv"]}

    def constraints(self) -> dict[str, str]:
        variants = self.section.figure4.variants if self.section.figure4 else ()
        return {
            "game": any_of(self.games),
            "variant": any_of(variants),
            "subgame": r"\d+",
            "method": any_of(METHODS),
            "case": r"(uniform|(start|sample)-\d+)",
            "equilibrium": r"[a-z0-9-]+",
            "mode": any_of(artifacts.MODES),
            "subgames": r"\d+",
        }

    @cached_property
    def results(self) -> dict[str, list[Recipe]]:
        """Recipes of all artifacts that numbers are taken from, by kind."""
        return {
            artifacts.GRID: self._grids(),
            artifacts.CURVE: self._curves(),
            artifacts.IMPROVED: self._improvements(),
            artifacts.MEASURED: [
                self.make_measure(mode) for mode in artifacts.MODES if self.section.memory
            ],
            artifacts.SCALED: self._scalings(),
            artifacts.TIMED: [self.make_timing(how.game)] if (how := self.section.timing) else [],
        }

    @property
    def figures(self) -> list[str]:
        section = self.section
        drawn = {
            "fig3": section.figure3,
            "fig4": section.figure4,
            "fig5": section.figure5,
            "memory": section.memory,
        }
        return [f"cfrd_{name}" for name, part in drawn.items() if part]

    def _grids(self) -> list[Recipe]:
        figure = self.section.figure4
        if figure is None:
            return []
        return [
            self.make_resolve_run(game, variant, str(s))
            for game in figure.games
            for variant, part in figure.variants.items()
            # The longest first, so that they do not run alone in the end.
            for s in sorted(part.subgame_iterations, reverse=True)
        ]

    def _curves(self) -> list[Recipe]:
        figure = self.section.figure3
        if figure is None:
            return []
        return [
            self.make_resolve_equilibrium(game, method, case)
            for game in figure.games
            for method in METHODS
            for case in artifacts.cases(figure.starts, figure.samples)
        ]

    def _improvements(self) -> list[Recipe]:
        figure = self.section.figure5
        if figure is None:
            return []
        names = artifacts.equilibria(figure.equilibria)
        return [self.make_improve(figure.game, name) for name in names]

    def _scalings(self) -> list[Recipe]:
        how = self.section.scaling
        if how is None:
            return []
        return [self.make_scaling(how.game, str(n)) for n in sorted(how.subgames, reverse=True)]

    @property
    def _config(self) -> dict[str, object]:
        return self.section.model_dump(mode="json", exclude_none=True)


def _plugins(cut: GameCut, *rules: str) -> list[str]:
    """Modules of a game and of update rules, each once."""
    names = dict.fromkeys(plugins.module_name(RULES, rule, "solver") for rule in rules)
    return [plugins.module_name(GAMES, cut.zoo, "game"), *names]
