"""The papers, one folder each; what lies in this folder is found by itself.

A paper's folder has the same rooms as the others: ``paper.py`` (its declaration), ``section.py``
(its part of the configuration), ``plan.py`` (what jobs there are), ``stages/`` (a module for each
kind of job), ``records.py``, ``measures.py``, ``figures.py``, ``tables.py``, ``labels.py``,
``headline.py``, and ``published/`` (its claims and numbers, as data).
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any


def names() -> list[str]:
    """Names of the papers' folders, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(name: str) -> Any:
    """The declaration in a paper's folder, a `cfrlab.reporting.paper.Paper`.

    The type is not imported here: what this module imports counts as code of every stage.
    """
    return importlib.import_module(f"{__name__}.{name}.paper").PAPER


def published(name: str, file: str) -> Path:
    """A file of a paper's published claims or numbers."""
    return Path(__file__).parent / name / "published" / file
