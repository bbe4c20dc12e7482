"""What a run makes for the fourth paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cfrlab.papers.fourth.section import FourthSection

from cfrlab import plugins
from cfrlab.pipeline.plan import Plan, any_of, figure_files, table_files
from cfrlab.pipeline.recipe import Recipe
from cfrlab.schema import GAMES, RULES


@dataclass(frozen=True)
class FourthPlan(Plan):
    """A job for each size of the deck."""

    paper: ClassVar[str] = "fourth"
    outputs: ClassVar[dict[str, str]] = {"solve": "fourth/{ranks}.npz"}
    tables = ("fourth_values",)
    figures = ("fourth_fig1",)

    section: FourthSection
    seed: int

    @staticmethod
    def of(section: FourthSection, seed: int) -> FourthPlan:
        """The plan of a section."""
        return FourthPlan(section, seed)

    def make_solve(self, ranks: str) -> Recipe:
        """The game with some ranks, solved."""
        how = self.section
        return self._recipe(
            "solve",
            {"ranks": ranks},
            config={"ranks": int(ranks), "solver": how.solver, "iterations": how.iterations},
            plugins=[
                plugins.module_name(GAMES, "kuhn", "game"),
                plugins.module_name(RULES, how.solver, "solver"),
            ],
        )

    def make_tables(self) -> Recipe:
        """The values of the games."""
        return self._of_all("tables")

    def make_figures(self) -> Recipe:
        """The same, drawn."""
        return self._of_all("figures")

    def make_claims(self) -> Recipe:
        """The paper's claims, judged."""
        return self._of_all("claims")

    def _of_all(self, stage: str) -> Recipe:
        solved = [self.make_solve(str(ranks)) for ranks in self.section.ranks]
        config = self.section.model_dump(mode="json")
        return self._recipe(stage, config=config, seed=self.seed, inputs={"solved": solved})

    def texts(self) -> dict[str, list[str]]:
        return {
            "tables": table_files(self.tables),
            "figures": figure_files(self.figures),
            "claims": ["claims/fourth.csv"],
        }

    def constraints(self) -> dict[str, str]:
        return {"ranks": any_of(map(str, self.section.ranks))}
