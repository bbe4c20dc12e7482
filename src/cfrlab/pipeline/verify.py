"""Whether a folder of results holds what the present plan makes, and nothing else.

Jobs check what they read, and the workflow redoes what is old; this looks at everything that is
there at once, without running anything: a file that was altered, exchanged with another, copied
from another run, or left behind by another configuration.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cfrlab.errors import CfrlabError
from cfrlab.pipeline import checksums, store
from cfrlab.pipeline.recipe import Recipe

APART = ("logs", "benchmarks")
"""Folders whose files nothing is made of."""
_IGNORED = ("README.md", ".snakemake_timestamp")


def problems(
    folder: str | os.PathLike[str],
    recipes: Iterable[Recipe],
    texts: Mapping[str, Sequence[str]],
    further: Iterable[str] = (),
) -> list[str]:
    """List what does not belong in a folder of results, a line for each; empty if all does.

    What has not been made yet is no problem. A folder within that has logs of its own is another
    run's, and is left out.

    Args:
        folder: of results, relative to the working folder.
        recipes: of all jobs, inputs before what is made of them.
        texts: files for people by the rule that writes them, relative to `folder`.
        further: files that jobs leave beside their artifacts, relative to `folder`.
    """
    recipes, folder = list(recipes), Path(folder)
    present = set(_files(folder))
    outputs = {one.job: one.listing if one.rule in texts else one.path for one in recipes}
    lines: list[str] = []
    digests: dict[str, str] = {}
    for one in recipes:
        if outputs[one.job] not in present:
            continue
        path = folder / outputs[one.job]
        try:
            if one.rule in texts:
                digests[one.job], read = _listing(path, one, texts[one.rule])
            else:
                digests[one.job], read = _artifact(path, one)
        except CfrlabError as error:
            lines.append(str(error))
            continue
        lines += [
            f"{path}: made from another {name} than is here; rebuild it with: "
            f"{store.rebuild_command(path)}"
            for name in _differing(one, read, digests)
        ]
    listings = {one.rule: one.listing for one in recipes if one.rule in texts}
    for rule, listing in listings.items():
        alone = sorted(present & {*texts[rule]}) if listing not in present else []
        lines += [f"{folder / file}: {listing}, which vouches for it, is missing" for file in alone]
    known = {*outputs.values(), *further, *(file for files in texts.values() for file in files)}
    lines += [
        f"{folder / file}: nothing in this configuration makes it; remove it"
        for file in sorted(present - known)
        if not _unfinished(file, present, known)
    ]
    return lines


def _files(folder: Path) -> Iterator[str]:
    """Files of a folder of results, relative to it."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not (here == folder and name in APART) and not (here / name / "logs").is_dir()
        )
        for name in names:
            if name not in _IGNORED:
                yield str((here / name).relative_to(folder))


def _artifact(path: Path, recipe: Recipe) -> tuple[str, Mapping[str, Sequence[str]]]:
    """Checksum of an artifact, and those of what it was made from. Raises CfrlabError."""
    artifact = store.load(path, None, recipe.identity())
    return artifact.sha256, artifact.provenance.inputs


def _listing(
    path: Path, recipe: Recipe, files: Sequence[str]
) -> tuple[str, Mapping[str, Sequence[str]]]:
    """The same for files for people, whose checksums are at `path`."""
    listed = checksums.verify(path, recipe.identity())
    folder = path.parents[1]
    if sorted(listed) != sorted(str(folder / file) for file in files):
        raise CfrlabError(
            f"{path}: of other files than the plan's; rebuild it with: "
            f"{store.rebuild_command(path)}"
        )
    head = path.read_text(encoding="utf-8").splitlines()[0]
    return checksums.digest(path), json.loads(head.removeprefix("#"))["inputs"]


def _differing(
    recipe: Recipe, read: Mapping[str, Sequence[str]], digests: Mapping[str, str]
) -> list[str]:
    """Names of the jobs whose present output is not what was read.

    Inputs that are absent, as after a clean-up, or damaged, as is said already, are passed over.
    """
    jobs = []
    for name, many in recipe.inputs.items():
        recorded = read.get(name, ())
        if len(recorded) != len(many):
            jobs.append(f"number of {name}")
            continue
        jobs += [
            one.job
            for one, digest in zip(many, recorded, strict=True)
            if digests.get(one.job, digest) != digest
        ]
    return jobs


def _unfinished(name: str, present: set[str], known: set[str]) -> bool:
    """Whether a file is the checkpoint of a job that is not finished."""
    output = name.replace(".checkpoint.npz", ".npz")
    return output != name and output in known and output not in present
