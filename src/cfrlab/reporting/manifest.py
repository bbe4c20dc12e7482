"""How a run was made: configuration, seed, code, libraries, machine, date and time taken."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from cfrlab import papers
from cfrlab.config import Config
from cfrlab.errors import CfrlabError
from cfrlab.pipeline.plan import Plan
from cfrlab.pipeline.provenance import PACKAGE_ROOT, library_versions
from cfrlab.pipeline.recipe import Recipe, code_behind, code_of
from cfrlab.pipeline.text import canonical_json, write_text_atomic
from cfrlab.reporting.plan import recipes

Manifest: TypeAlias = dict[str, Any]


def collect(config: Config, date: str | None = None) -> Manifest:
    """Return the manifest of a run on this machine.

    Args:
        config: the whole configuration.
        date: ISO date; today (UTC) unless given.

    Returns:
        JSON with keys date, version (``git describe``, or the package's), code (hash of all code
        that the results come from), codes (that of each stage, by paper), config_hash, seed,
        machine, job time, libraries, config.
    """
    jobs = recipes(config)
    times = [Path(config.results_dir) / f"benchmarks/{one.job}.tsv" for one in jobs]
    seconds = job_seconds([path for path in times if path.is_file()])
    return {
        "date": date or datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": code_version(),
        "code": code_behind(jobs),
        "codes": {name: _by_stage(plan) for name, plan in config.plans.items()},
        "config_hash": hashlib.sha256(canonical_json(config.mapping).encode()).hexdigest(),
        "seed": config.seed,
        "machine": machine(),
        "job_time": f"{seconds / 60:.1f} minutes, summed over jobs" if seconds else "not recorded",
        "libraries": {**library_versions(), **_of_papers(config.plans)},
        "config": config.mapping,
    }


def _by_stage(plan: Plan) -> dict[str, str]:
    """Hash of the code of each stage of a paper, plug-ins included."""
    stages: dict[str, list[Recipe]] = {}
    for job in plan.jobs():
        stages.setdefault(job.stage, []).append(job)
    return {stage: code_of(jobs) for stage, jobs in stages.items()}


def _of_papers(names: Iterable[str]) -> dict[str, str]:
    """Versions of the libraries that papers name, of those that are installed."""
    versions = {}
    for library in (one for name in names for one in papers.load(name).libraries):
        with suppress(metadata.PackageNotFoundError):
            versions[library] = metadata.version(library)
    return versions


def job_seconds(benchmarks: Iterable[str | os.PathLike[str]]) -> float:
    """Return the sum of the wall-clock seconds (column ``s``) of Snakemake benchmark files."""
    total = 0.0
    for path in benchmarks:
        with open(path, encoding="utf-8", newline="") as file:
            total += sum(float(row["s"]) for row in csv.DictReader(file, delimiter="\t"))
    return total


def code_version() -> str:
    """Return ``git describe`` of the sources, or the package's version where there is no git."""
    command = ["git", "describe", "--always", "--dirty", "--tags"]
    try:
        done = subprocess.run(
            command, cwd=PACKAGE_ROOT, capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        from cfrlab import __version__

        return f"cfrlab {__version__}"
    return done.stdout.strip()


def machine() -> str:
    """Describe the machine: processor, cores, memory, system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()} {platform.machine()}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def write(path: str | os.PathLike[str], manifest: Manifest) -> None:
    """Write a manifest as JSON."""
    write_text_atomic(path, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def read(path: str | os.PathLike[str]) -> Manifest:
    """Read a manifest. Raises CfrlabError if the file is missing or is not one."""
    try:
        manifest = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CfrlabError(f"{path}: not the manifest of a run ({error}); run: snakemake") from None
    if not isinstance(manifest, dict) or "config" not in manifest:
        raise CfrlabError(f"{path}: not the manifest of a run; run: snakemake")
    return manifest
