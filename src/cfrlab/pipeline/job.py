"""One job of the workflow: its inputs checked against the plan, its outputs with their provenance.

The workflow has one script for all rules, which calls `run` with Snakemake's description of the
job; the stage's module does the work in its own ``run(job)``.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from cfrlab.logs import stage
from cfrlab.pipeline import checksums, store
from cfrlab.pipeline.checkpoint import Checkpoint
from cfrlab.pipeline.provenance import IDENTITY, Provenance, library_versions
from cfrlab.pipeline.store import Artifact
from cfrlab.pipeline.text import JSON, canonical_json


@dataclass
class Job:
    """What a stage is given.

    Attributes:
        inputs: paths of the input files by name.
        outputs: paths of the output files by name, in order; the first is called ``main`` where
            the rule gives it no name.
        parameters: see `recipe.Recipe.parameters`.
        options: further parameters of the rule, by name.
        libraries: versions of libraries, beside `provenance.LIBRARIES`, that made the output.
    """

    inputs: Mapping[str, list[str]]
    outputs: Mapping[str, list[str]]
    parameters: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)
    _read: dict[str, list[str]] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, str]:
        """Which of the stage's outputs this is, by wildcard."""
        return dict(self.parameters["key"])

    @property
    def config(self) -> dict[str, Any]:
        """The part of the configuration that the job depends on."""
        return dict(self.parameters["config"])

    @property
    def seed(self) -> int:
        """The seed to draw from."""
        return int(self.parameters["seed"])

    @property
    def provenance(self) -> Provenance:
        """What the output is made from, the inputs that were read so far included."""
        made = {name: self.parameters[name] for name in IDENTITY if name in self.parameters}
        libraries = {**library_versions(), **self.libraries}
        return Provenance(**made, inputs=dict(self._read), libraries=libraries)

    @property
    def footer(self) -> str:
        """The line beneath a table or figure that says what it is made from."""
        config = hashlib.sha256(canonical_json(self.config).encode()).hexdigest()
        return (
            f"Made from configuration `{config[:12]}`, seed {self.parameters['seed']}, code "
            f"`{self.parameters['code_behind'][:12]}`."
        )

    def has(self, name: str) -> bool:
        """Whether the job has inputs of a name."""
        return bool(self.inputs.get(name))

    def load(self, name: str, kind: str) -> Artifact:
        """Read the only input of a name. Raises CfrlabError unless it is what the plan says."""
        (artifact,) = self.load_all(name, kind)
        return artifact

    def load_all(self, name: str, kind: str) -> Iterator[Artifact]:
        """Read the inputs of a name, one after the other. Raises CfrlabError as `load` does."""
        read = self._read[name] = []
        expected = self.parameters["inputs"][name]
        for path, identity in zip(self.inputs[name], expected, strict=True):
            artifact = store.load(path, kind, identity)
            read.append(artifact.sha256)
            yield artifact

    def verify_all(self, name: str) -> list[str]:
        """Check the files for people whose checksums are the inputs of a name; return the files.

        Raises CfrlabError as `checksums.verify` does, for what the plan does not say as well.
        """
        read = self._read[name] = []
        files: list[str] = []
        for path, identity in zip(self.inputs[name], self.parameters["inputs"][name], strict=True):
            files += checksums.verify(path, identity)
            read.append(checksums.digest(path))
        return files

    @property
    def output(self) -> str:
        """The first output."""
        return next(iter(self.outputs.values()))[0]

    def save(
        self, kind: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, JSON] | None = None
    ) -> None:
        """Write the first output as an artifact; see `store.save`."""
        store.save(self.output, kind, arrays, meta or {}, self.provenance)

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """Where a long job keeps its state. To be used once all inputs are read."""
        return Checkpoint.beside(self.output, self.provenance)


def run(snakemake: Any) -> None:
    """Run the job that Snakemake describes.

    A rule's parameters are ``job`` (see `recipe.Recipe.parameters`) and further ones by name.
    """
    options = dict(snakemake.params.items())
    parameters = options.pop("job")
    job = Job(_by_name(snakemake.input), _by_name(snakemake.output), parameters, options)
    with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
        importlib.import_module(parameters["module"]).run(job)
        if listing := job.outputs.get("checksums"):
            files = [path for name, paths in job.outputs.items() for path in paths]
            checksums.write(listing[0], sorted({*files} - {*listing}), job.provenance)
        job.checkpoint.remove()


def _by_name(files: Any) -> dict[str, list[str]]:
    """Snakemake's list of files by name; those without a name, which come first, are ``main``."""
    named = {name: [f] if isinstance(f, str) else list(f) for name, f in files.items()}
    nameless = list(files)[: len(files) - sum(map(len, named.values()))]
    return {"main": nameless, **named} if nameless else named
