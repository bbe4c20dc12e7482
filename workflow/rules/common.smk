"""The checked configuration, the environment of jobs, and what all rules share."""

import functools
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
# The code that is hashed here must be the code that jobs run, wherever the package is installed.
sys.path.insert(0, str(ROOT / "src"))
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from cfrlab import plugins
from cfrlab.pipeline.provenance import closure_hash
from cfrlab.config import FEATURES as FEATURE_MODULES
from cfrlab.config import GAMES as GAME_MODULES
from cfrlab.config import SOLVERS as SOLVER_MODULES
from cfrlab.config import game_seed, load
from cfrlab.errors import CfrlabError

CONFIG_FILES = [os.path.relpath(path) for path in workflow.configfiles]
try:
    CONFIG = load(config, ", ".join(CONFIG_FILES) or "configuration")
except CfrlabError as error:
    # Not an exception of Snakemake's, which would add the place in this file.
    sys.exit(f"error: {error}")

WEVA = CONFIG.weva
RESULTS = CONFIG.results_dir
INSTANCES = range(WEVA.instances)


@functools.cache
def code(*parts):
    """Hash of the import closure of scripts (by rule) and plug-in modules (by dotted name)."""
    starts = [p if "." in p else ROOT / f"workflow/scripts/{p}.py" for p in parts]
    return closure_hash(*starts)


def game_module(game):
    return plugins.module_name(GAME_MODULES, CONFIG.games[game].zoo, "game")


def feature_module(game, method):
    return plugins.module_name(FEATURE_MODULES, CONFIG.methods[game][method].feature, "method")


def solver_module(solver):
    return plugins.module_name(SOLVER_MODULES, solver, "solver")


def published(paper, name):
    """A file of a paper's published numbers or claims."""
    return os.path.relpath(ROOT / "src/cfrlab/papers" / paper / "published" / name)


def game_files(wildcards):
    """All instances of a game, in order."""
    return expand(f"{RESULTS}/games/{wildcards.game}/{{instance}}.npz", instance=INSTANCES)


# One thread a job: results are the same for any number of cores, and parallel jobs do not compete.
os.environ.update(
    {
        name: "1"
        for name in (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMBA_NUM_THREADS",
        )
    }
)
os.environ["MPLBACKEND"] = "Agg"
# Numba does not see that a jitted function in another module changed: another code, another folder.
JIT_CACHE = f".cache/numba/{code('warm_jit')[:16]}"
JIT_READY = f"{JIT_CACHE}/ready"
os.environ["NUMBA_CACHE_DIR"] = os.path.abspath(JIT_CACHE)
# Messages about damaged artifacts name the command that rebuilds them.
os.environ["CFRLAB_SNAKEMAKE"] = " ".join(
    ["snakemake --cores 1", *(["--configfile", *CONFIG_FILES] if workflow.overwrite_configfiles else [])]
)


wildcard_constraints:
    game="|".join(CONFIG.games),
    instance=r"\d+",
    warmup=r"\d+",
    method="|".join(sorted({name for methods in CONFIG.methods.values() for name in methods})),
    solver="|".join(WEVA.solvers),
