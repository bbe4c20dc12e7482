"""Plug-ins found by the file name of their module.

A game, feature, clustering or update rule is one module in a package, and its name in the
configuration is the module's name, with ``-`` for ``_``. There is no list to register it in, so
adding one changes no other module, and hence no other stage's code hash.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from cfrlab.errors import CfrlabError, nearest

#: What the plug-ins of a package define.
CONTRACTS = {
    "cfrlab.games.zoo": ("Params", "build"),
    "cfrlab.abstraction.clusterings": ("NEEDS_VALUES", "Params", "buckets"),
    "cfrlab.abstraction.features": ("NEEDS_WARMUP", "Params", "features"),
    "cfrlab.solve.rules": ("ALTERNATING", "AVERAGING", "update"),
}


def names(package: str) -> list[str]:
    """Return the configuration names of the plug-ins in `package`, sorted, importing none.

    Modules whose names start with an underscore are not plug-ins.
    """
    found = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return sorted(module.name.replace("_", "-") for module in found if module.name[0] != "_")


def module_name(package: str, name: str, what: str) -> str:
    """Return the dotted name of the module that holds plug-in `name`, without importing it.

    Raises:
        CfrlabError: there is no such plug-in; `what` says what it would have been ("game").
    """
    known = names(package)
    wanted = name.replace("_", "-")
    if wanted not in known:
        listed = ", ".join(known)
        raise CfrlabError(f"unknown {what} '{name}' (known: {listed}){nearest(name, known)}")
    return f"{package}.{wanted.replace('-', '_')}"


def load(package: str, name: str, what: str) -> ModuleType:
    """Import and return the module of plug-in `name`.

    Raises:
        CfrlabError: as for `module_name`, or the module lacks what such a plug-in must define.
    """
    module = importlib.import_module(module_name(package, name, what))
    missing = [part for part in CONTRACTS.get(package, ()) if not hasattr(module, part)]
    if missing:
        raise CfrlabError(f"{what} '{name}': {module.__file__} must define {', '.join(missing)}")
    return module
