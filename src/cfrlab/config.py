"""The configuration: a seed, a folder of results, and one section for each paper that is run.

`load` checks everything that can be known before a run starts: keys and types at every level,
ranges, names of plug-ins (with the nearest one), the options of games and features by the models of
their own modules, and what has to fit together. Nothing has a default here that changes a number:
``config.yaml`` shows every key. A section has the name of its paper's folder in `cfrlab.papers`,
and may be left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from cfrlab import papers, yaml_file
from cfrlab.errors import CfrlabError, nearest
from cfrlab.pipeline.plan import Plan
from cfrlab.reporting.paper import Paper
from cfrlab.schema import Section, listed, validate

OWN_FOLDERS = ("src", "workflow", "tests", "docs", "envs", "profiles", "benchmarks", ".git")


class _Common(Section):
    seed: Annotated[int, Field(ge=0, strict=True)]
    results_dir: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]+$")]


@dataclass(frozen=True)
class Config:
    """A checked configuration.

    Attributes:
        seed: root of all seeds.
        results_dir: folder of all results, without a slash at the end.
        plans: what is made for each paper, by the name of its section, in their order.
        mapping: the whole configuration as it was given, as JSON.
    """

    seed: int
    results_dir: str
    plans: dict[str, Plan]
    mapping: dict[str, Any]


def load(mapping: Mapping[str, Any], source: str = "config") -> Config:
    """Check a configuration and plan the papers that it has sections of.

    Args:
        mapping: parsed YAML.
        source: what to call it in messages, such as its file name.

    Raises:
        CfrlabError: the first mistake, in one line: source, dotted key, what is wrong, what would
            be right.
    """
    try:
        sections = [key for key in mapping if key in papers.names()]
        _check_keys(mapping)
        rest = {key: value for key, value in mapping.items() if key not in sections}
        common = validate(_Common, rest)
        _check_folder(common.results_dir)
        if not sections:
            raise CfrlabError(
                f"no paper's section is there, so there is nothing to do; add one of "
                f"{listed(papers.names())}"
            )
        plans = {name: _plan(name, mapping[name], common.seed) for name in sections}
    except CfrlabError as error:
        raise CfrlabError(f"{source}: {error}") from None
    given: dict[str, Any] = json.loads(json.dumps(mapping))
    return Config(common.seed, common.results_dir.rstrip("/"), plans, given)


def read(*paths: str | os.PathLike[str]) -> Config:
    """Load a configuration from YAML files, each changing what those before it say.

    Raises CfrlabError as `load` does, and for a file that cannot be read.
    """
    merged: dict[str, Any] = {}
    for path in paths:
        merged = _merged(merged, yaml_file.parse(path))
    return load(merged, ", ".join(os.fspath(path) for path in paths))


def _merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with what `more` says, level by level, as Snakemake does it."""
    both = dict(base)
    for key, value in more.items():
        inner = isinstance(value, dict) and isinstance(base.get(key), dict)
        both[key] = _merged(base[key], value) if inner else value
    return both


def _check_keys(mapping: Mapping[str, Any]) -> None:
    known = sorted([*_Common.model_fields, *papers.names()])
    for key in mapping:
        if key not in known:
            hint = nearest(str(key), known)
            raise CfrlabError(f"{key}: unknown key (allowed here: {listed(known)}){hint}")


def _plan(name: str, section: Any, seed: int) -> Plan:
    paper: Paper = papers.load(name)
    return paper.plan(validate(paper.section, section, name), seed)


def _check_folder(name: str) -> None:
    """Refuse a results folder that is no folder or holds the project itself."""
    path = Path(name)
    if set(name.split("/")) & {".", ".."} or path == Path("/") or path.parts[0] in OWN_FOLDERS:
        raise CfrlabError(
            f"results_dir: '{name}' would mix results with other files; use a folder of its own, "
            "such as results/mine"
        )
    if path.exists() and not path.is_dir():
        raise CfrlabError(f"results_dir: '{name}' is a file; name a folder, such as results/mine")
