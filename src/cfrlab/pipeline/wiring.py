"""What the workflow's rules of one paper are made of: files and parameters, from the plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cfrlab.pipeline.plan import Plan
from cfrlab.pipeline.recipe import Recipe
from cfrlab.pipeline.text import JSON


class Wiring:
    """Inputs, outputs, logs, times and parameters of the rules of one paper.

    Args:
        plan: of the paper.
        results: folder of results.
    """

    def __init__(self, plan: Plan, results: str) -> None:
        self.plan, self._results = plan, results

    def inputs(self, stage: str) -> Callable[[Any], dict[str, list[str]]]:
        """Artifacts that a stage reads, by name, as a function of the wildcards."""

        def files(wildcards: Any) -> dict[str, list[str]]:
            inputs = self._recipe(stage, wildcards).inputs
            return {name: [self._file(one.path) for one in many] for name, many in inputs.items()}

        return files

    def output(self, stage: str) -> str:
        """The artifact that a stage makes, with its wildcards."""
        return self._file(self.plan.outputs[stage])

    def texts(self, stage: str) -> list[str]:
        """The files for people that a stage writes."""
        return [self._file(path) for path in self.plan.texts()[stage]]

    def checksums(self, stage: str) -> str:
        """Checksums of `texts`."""
        return self._file(f"checksums/{self._rule(stage)}.sha256")

    def tables(self) -> list[str]:
        """Files of the tables, those of data alone included."""
        return [path for path in self._all_texts() if "/tables/" in path]

    def figures(self) -> list[str]:
        """Files of the figures."""
        return [path for path in self._all_texts() if "/figures/" in path]

    def claims(self) -> list[str]:
        """The file of the paper's claims, if it has any."""
        return [path for path in self._all_texts() if "/claims/" in path]

    def everything(self) -> list[str]:
        """All files for people, with their checksums."""
        return [*self._all_texts(), *map(self.checksums, self.plan.texts())]

    def log(self, stage: str) -> str:
        """Log of a job, with its wildcards."""
        return self._file(f"logs/{self._job(stage)}.log")

    def benchmark(self, stage: str) -> str:
        """Time and memory of a job, with its wildcards."""
        return self._file(f"benchmarks/{self._job(stage)}.tsv")

    def job(self, stage: str) -> Callable[[Any], dict[str, JSON]]:
        """What a job must know (`Recipe.parameters`), as a function of the wildcards."""
        return lambda wildcards: self._recipe(stage, wildcards).parameters()

    def _all_texts(self) -> list[str]:
        return [path for stage in self.plan.texts() for path in self.texts(stage)]

    def _recipe(self, stage: str, wildcards: Any) -> Recipe:
        return self.plan.recipe(stage, **dict(wildcards.items()))

    def _rule(self, stage: str) -> str:
        return f"{self.plan.paper}_{stage}"

    def _job(self, stage: str) -> str:
        """Name of a stage's jobs: the rule, and the wildcards in the order of the output."""
        path = self.plan.outputs.get(stage, "")
        names = [part.split("}")[0] for part in path.split("{")[1:]]
        return "/".join([self._rule(stage), *(f"{{{name}}}" for name in names)])

    def _file(self, path: str) -> str:
        return f"{self._results}/{path}"
