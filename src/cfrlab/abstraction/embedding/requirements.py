"""The libraries that only the embedding network needs, and the line for whom they are missing."""

from __future__ import annotations

from importlib import metadata

from cfrlab.artifacts.provenance import library_versions
from cfrlab.errors import CfrlabError

REQUIREMENTS = "envs/requirements-torch.txt"
LIBRARIES = ("safetensors", "torch")


def missing(error: ModuleNotFoundError) -> CfrlabError:
    """What to raise when one of ``LIBRARIES`` cannot be imported.

    An error about any other module is a fault of the program, and is raised as it is.
    """
    library = (error.name or "").split(".")[0]
    if library not in LIBRARIES:
        raise error
    return CfrlabError(
        f"embedding network: {library} is not installed; pip install -r {REQUIREMENTS} (only "
        "embedding networks need it, all else runs without)"
    )


def versions() -> dict[str, str]:
    """Versions for the provenance of a trained network, by library name.

    Raises CfrlabError if one of ``LIBRARIES`` is missing.
    """
    try:
        own = {name: metadata.version(name) for name in LIBRARIES}
    except metadata.PackageNotFoundError as error:
        raise missing(ModuleNotFoundError(name=error.name)) from None
    return {**library_versions(), **own}
