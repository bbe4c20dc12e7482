"""The papers, one folder each; what lies in this folder is found by itself.

A paper's folder has the same rooms as the others: ``paper.py`` (its declaration), ``section.py``
(its part of the configuration), ``plan.py`` (what jobs there are), ``stages/`` (a module for each
kind of job), ``records.py``, ``measures.py``, ``figures.py``, ``tables.py``, ``labels.py``, and
``published/`` (its claims and numbers, as data).
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from cfrlab.reporting.paper import Paper


def names() -> list[str]:
    """Names of the papers' folders, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(name: str) -> Paper:
    """The declaration in a paper's folder."""
    paper: Paper = importlib.import_module(f"{__name__}.{name}.paper").PAPER
    return paper


def published(name: str, file: str) -> Path:
    """A file of a paper's published claims or numbers."""
    return Path(__file__).parent / name / "published" / file
