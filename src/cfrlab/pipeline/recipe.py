"""Recipes: what each file of the results is, and everything that it follows from.

A paper's plan (`cfrlab.pipeline.plan`) gives a recipe for every job. The workflow takes inputs,
outputs and parameters of its rules from them, jobs refuse inputs that are of another recipe, and
the hash of the code behind a table or figure is that of all recipes below it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cfrlab.pipeline.provenance import closure_hash
from cfrlab.pipeline.text import JSON, canonical_json

RUNNER = "cfrlab.pipeline.job"
"""What every stage runs in; its code counts as the stage's own."""


@dataclass(frozen=True)
class Recipe:
    """How one job makes its output.

    Attributes:
        paper: folder of the paper; empty for what all papers share.
        stage: module in the paper's folder ``stages``, or in that of `cfrlab.reporting`.
        key: which of the stage's outputs it is, by wildcard.
        path: of its output, relative to the folder of results; empty if it makes several.
        config: the part of the configuration that the job depends on.
        seed: the seed that the job draws from, or None if nothing is random.
        plugins: dotted names of the modules that the stage loads by name.
        inputs: recipes of what the job reads, by name, in order.
    """

    paper: str
    stage: str
    key: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    plugins: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[Recipe, ...]] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """Name of the rule, which is also where logs and times are."""
        return f"{self.paper}_{self.stage}" if self.paper else self.stage

    @property
    def module(self) -> str:
        """Dotted name of the stage's module."""
        package = f"papers.{self.paper}" if self.paper else "reporting"
        return f"cfrlab.{package}.stages.{self.stage}"

    @property
    def job(self) -> str:
        """Name of the job: its rule, then its key."""
        return "/".join([self.rule, *self.key.values()])

    @property
    def code(self) -> str:
        """Hash of the code that the job runs."""
        return code_of([self])

    @property
    def listing(self) -> str:
        """Where the checksums are if the job writes files for people, in the folder of results."""
        return f"checksums/{self.rule}.sha256"

    def identity(self) -> dict[str, JSON]:
        """What the job's output is, as it stands in the output itself.

        It includes a hash of what all that is behind it was made from: configuration and seeds,
        and for files for people the code too. The code behind an artifact is left out, so that code
        that gives the same bytes as before makes nothing else run again.
        """
        behind = [one._made(with_code=not self.path) for one in self.behind()]
        return {**self._made(with_code=True), "behind": _digest(behind)}

    def _made(self, *, with_code: bool) -> dict[str, JSON]:
        made: dict[str, JSON] = {
            "stage": self.rule,
            "key": dict(self.key),
            "config": dict(self.config),
            "seed": self.seed,
        }
        return {**made, "code": self.code} if with_code else made

    def parameters(self) -> dict[str, JSON]:
        """All that the job must know: its own identity, and that of each input by name.

        A job whose output is for people must also name the code of everything behind it.
        """
        inputs = {name: [one.identity() for one in many] for name, many in self.inputs.items()}
        behind = {} if self.path else {"code_behind": code_behind([self])}
        return {**self.identity(), "module": self.module, "inputs": inputs, **behind}

    def behind(self) -> list[Recipe]:
        """This recipe and all below it, each once, inputs before what is made of them."""
        ordered: dict[str, Recipe] = {}
        _collect(self, ordered)
        return list(ordered.values())


def code_behind(recipes: Iterable[Recipe]) -> str:
    """Hash of all code that some outputs come from, back to the games."""
    return code_of({one.job: one for top in recipes for one in top.behind()}.values())


def code_of(recipes: Iterable[Recipe]) -> str:
    """Hash of the code that some jobs run themselves."""
    return _hash(frozenset({RUNNER}.union(*((one.module, *one.plugins) for one in recipes))))


def _collect(recipe: Recipe, ordered: dict[str, Recipe]) -> None:
    if recipe.job in ordered:
        return
    for many in recipe.inputs.values():
        for one in many:
            _collect(one, ordered)
    ordered[recipe.job] = recipe


@functools.cache
def _hash(starts: frozenset[str]) -> str:
    return closure_hash(*starts)


def _digest(value: JSON) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
