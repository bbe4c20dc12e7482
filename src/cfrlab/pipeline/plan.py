"""Plans: what a run makes for one paper, derived from the paper's section of the configuration."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from cfrlab.pipeline.recipe import Recipe


def table_files(names: Iterable[str]) -> list[str]:
    """Files of tables to read: the data, and as Markdown."""
    return [f"tables/{name}.{suffix}" for name in names for suffix in ("csv", "md")]


def figure_files(names: Iterable[str]) -> list[str]:
    """Files of figures: two pictures, the data, and the caption."""
    return [f"figures/{name}.{s}" for name in names for s in ("svg", "png", "csv", "md")]


def any_of(labels: Iterable[str]) -> str:
    """Regular expression for one of some labels."""
    return "|".join(labels) or "none"


class Plan(ABC):
    """What a run makes for one paper.

    For every stage there is a method ``make_STAGE`` that returns the recipe of one of its jobs; its
    arguments are the wildcards of the stage's output.

    Attributes:
        paper: folder of the paper.
        outputs: for each stage that makes one artifact, its path in the folder of results.
        seed: root of all random streams.
    """

    paper: ClassVar[str]
    outputs: ClassVar[Mapping[str, str]]
    seed: int

    def constraints(self) -> Mapping[str, str]:
        """What each wildcard may be, as regular expressions."""
        return {}

    def texts(self) -> Mapping[str, Sequence[str]]:
        """Files for people, in the folder of results, by the stage that writes them."""
        return {}

    def beside(self) -> Mapping[str, Sequence[str]]:
        """Files that a stage leaves with its artifact, by stage, as paths like `outputs`."""
        return {}

    @property
    def tables(self) -> Sequence[str]:
        """Names of the tables to read, in order."""
        return ()

    @property
    def data(self) -> Mapping[str, str]:
        """Tables of data alone, and what each has."""
        return {}

    @property
    def figures(self) -> Sequence[str]:
        """Names of the figures, in order."""
        return ()

    def last(self) -> list[Recipe]:
        """Recipes of the jobs from which nothing of the paper's follows; those for people."""
        return [self.recipe(stage) for stage in self.texts()]

    def jobs(self) -> list[Recipe]:
        """Recipes of all jobs, each once, inputs before what is made of them."""
        return list({one.job: one for top in self.last() for one in top.behind()}.values())

    def writers(self) -> list[Recipe]:
        """Recipes of the jobs that write files for people."""
        return [self.recipe(stage) for stage in self.texts()]

    def further(self) -> list[str]:
        """Files that jobs leave beside their artifacts, in the folder of results."""
        beside = self.beside()
        return [path.format(**one.key) for one in self.jobs() for path in beside.get(one.stage, ())]

    def recipe(self, stage: str, **key: str) -> Recipe:
        """The recipe of a job by its stage and wildcards."""
        recipe: Recipe = getattr(self, f"make_{stage}")(**key)
        return recipe

    def _recipe(
        self,
        stage: str,
        key: Mapping[str, str | int] | None = None,
        *,
        config: Mapping[str, object] | None = None,
        seed: int | None = None,
        plugins: Iterable[str] = (),
        inputs: Mapping[str, Iterable[Recipe]] | None = None,
    ) -> Recipe:
        """A recipe of this paper; its path follows from the stage and the key."""
        names = {name: str(value) for name, value in (key or {}).items()}
        return Recipe(
            self.paper,
            stage,
            names,
            self.outputs.get(stage, "").format(**names),
            dict(config or {}),
            seed,
            tuple(plugins),
            {name: tuple(many) for name, many in (inputs or {}).items()},
        )
