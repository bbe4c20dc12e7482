"""A copy of the project in which workflow tests run Snakemake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "config.yaml", "src", "workflow", "profiles", "tests/smoke.yaml")
SMOKE = ("--configfile", "tests/smoke.yaml")
TINY = "tiny"
# Peak memory and times differ from run to run.
_MEASURED = re.compile(r"cfrd[-_](measured|timed|memory)")


@dataclass(frozen=True)
class Project:
    """A working copy of the project's code."""

    folder: Path

    def command(self, *arguments: str) -> list[str]:
        """The command line of Snakemake with this interpreter."""
        return [sys.executable, "-m", "snakemake", *arguments]

    def environment(self) -> dict[str, str]:
        """Environment of a user who has set nothing of ours but the folder of compiled kernels."""
        ours = ("CFRLAB_", "PYTHONPATH", "SNAKEMAKE_", "PYTEST_")
        return {k: v for k, v in os.environ.items() if not k.startswith(ours)}

    def run(
        self,
        *arguments: str,
        succeed: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run Snakemake; return its output (stdout and stderr) and check how it ended."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment(), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) == succeed, done.stdout[-5000:]
        return done.stdout

    def planned(self, *arguments: str) -> dict[str, int]:
        """Number of jobs by rule that a dry run lists, the target rule left out."""
        output = self.run("-n", *arguments)
        if "Nothing to be done" in output:
            return {}
        table = output.split("Job stats:")[1].split("total")[0]
        counts = {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
        assert counts.pop("all", 1) == 1
        return counts

    def write_config(self, name: str, config: dict[str, Any]) -> tuple[str, str]:
        """Write a configuration; return the arguments that select it."""
        (self.folder / name).write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        return "--configfile", name

    def write_tiny_config(self, name: str) -> tuple[str, str]:
        """Write a configuration with few jobs and a results folder of its own; as above."""
        config = self.read_config()
        config["results_dir"] = f"results/{name}"
        for section in ("cfrd", "embedding"):
            config.pop(section, None)
        weva = config["weva"]
        weva["games"] = {game: weva["games"][game] for game in ("hunl-river", "random-game")}
        weva["methods"] = {"equity": {}, "ev-nd": {"warmups": [2]}}
        weva["solvers"] = ["pcfr-plus"]
        return self.write_config(f"{name}.yaml", config)

    def read_config(self, name: str = "tests/smoke.yaml") -> dict[str, Any]:
        """Read a configuration."""
        config: dict[str, Any] = yaml.safe_load((self.folder / name).read_text(encoding="utf-8"))
        return config


def contents(folder: Path, *without: str) -> dict[str, bytes]:
    """Bytes of the results that must be the same in every run: all but logs, times and the page.

    Args:
        folder: results of a run.
        without: names of further folders and files to leave out.
    """
    # Lists of checksums name the folder of results; what they are of is compared itself.
    ignored = {"logs", "benchmarks", "report", "checksums", *without}
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    # What a killed job was writing has a name that starts with a dot.
    whole = [path.relative_to(folder) for path in files if not path.name.startswith(".")]
    kept = [p for p in whole if p.parts[0] not in ignored and not _MEASURED.search(str(p))]
    return {str(p): (folder / p).read_bytes() for p in kept}


def copy_project(folder: Path) -> Project:
    """Copy into an empty folder all that the workflow is made of."""
    for part in PARTS:
        source, target = ROOT / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source, target, ignore=ignored)
        else:
            shutil.copyfile(source, target)
    return Project(folder)
