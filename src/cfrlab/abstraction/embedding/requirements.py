"""The libraries that only the embedding network needs, and the line for whom they are missing."""

from __future__ import annotations

from importlib import metadata

from cfrlab.errors import CfrlabError
from cfrlab.pipeline.provenance import library_versions

REQUIREMENTS = "envs/requirements-torch.txt"
LIBRARIES = ("safetensors", "torch")


def missing(library: str, error: ImportError | OSError) -> CfrlabError:
    """What to raise when one of ``LIBRARIES`` is not there, or broken, as an import of it told.

    An error about a module of this package is a fault of the program, and is raised as it is.
    """
    name = getattr(error, "name", None) or ""
    if name.split(".")[0] == "cfrlab":
        raise error
    absent = isinstance(error, ModuleNotFoundError) and name.split(".")[0] == library
    reason = " ".join(str(error).split()) or type(error).__name__
    what = "is not installed" if absent else f"cannot be imported ({reason})"
    return CfrlabError(
        f"embedding network: {library} {what}; pip install -r {REQUIREMENTS} (only embedding "
        "networks need it: snakemake --keep-going makes every target that does not)"
    )


def versions() -> dict[str, str]:
    """Versions for the provenance of a trained network, by library name.

    Raises CfrlabError if one of ``LIBRARIES`` is missing.
    """
    try:
        own = {name: metadata.version(name) for name in LIBRARIES}
    except metadata.PackageNotFoundError as error:
        raise missing(error.name, ModuleNotFoundError(name=error.name)) from None
    return {**library_versions(), **own}
