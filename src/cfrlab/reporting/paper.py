"""What a paper's folder declares."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfrlab.pipeline.plan import Plan
from cfrlab.schema import Section


@dataclass(frozen=True)
class Paper:
    """A paper that the project reproduces: ``PAPER`` in the module ``paper`` of its folder.

    Attributes:
        name: short name, as in headings.
        authors, title, year: of the publication.
        section: schema of its section of the configuration, which has the folder's name.
        plan: what a run makes of a section under a root seed; raises CfrlabError for a mistake.
        intervals: what the intervals of its claims and their ``n`` are, as the end of a sentence
            that begins "In brackets:".
        libraries: installed packages, beside those of all jobs, that can change its numbers.
    """

    name: str
    authors: str
    title: str
    year: int
    section: type[Section]
    plan: Callable[[Any, int], Plan]
    intervals: str
    libraries: tuple[str, ...] = ()

    @property
    def citation(self) -> str:
        """Authors, title, year."""
        return f"{self.authors}, {self.title}, {self.year}."


def headline_of(paper: str) -> Callable[[Path], list[str]]:
    """What gives a paper's own blocks for a folder of results: ``lines`` of its `headline`, if any.

    It is not part of the paper's declaration, which is read whenever a workflow starts.
    """
    module = f"cfrlab.papers.{paper}.headline"
    if importlib.util.find_spec(module) is None:
        return lambda folder: []
    lines: Callable[[Path], list[str]] = importlib.import_module(module).lines
    return lines
