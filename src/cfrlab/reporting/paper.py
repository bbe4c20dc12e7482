"""What a paper's folder declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
        headline: Markdown blocks with the few numbers to see first, from a folder of results.
    """

    name: str
    authors: str
    title: str
    year: int
    section: type[Section]
    plan: Callable[[Any, int], Plan]
    intervals: str
    libraries: tuple[str, ...] = ()
    headline: Callable[[Path], Sequence[str]] = lambda folder: ()

    @property
    def citation(self) -> str:
        """Authors, title, year."""
        return f"{self.authors}, {self.title}, {self.year}."
