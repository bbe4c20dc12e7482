"""The checked configuration, the environment of jobs, and what all rules share."""

import os
import shlex
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
# The code that is hashed here must be the code that jobs run, wherever the package is installed.
sys.path.insert(0, str(ROOT / "src"))
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from cfrlab import papers, yaml_file
from cfrlab.config import load
from cfrlab.errors import CfrlabError
from cfrlab.pipeline.progress import OneLineAJob
from cfrlab.pipeline.wiring import Wiring
from snakemake.logging import logger

logger.addFilter(OneLineAJob())

if " " in sys.executable + str(ROOT) + os.getcwd():
    # Snakemake does not quote these names in the commands of jobs.
    sys.exit(f"error: {os.getcwd()}: the workflow cannot run where a path holds a space; rename it")

CONFIG_FILES = [os.path.relpath(path) for path in workflow.configfiles]
# What `--config` says on the command line, over the files.
OVERRIDES = {key: str(value) for key, value in workflow.config_settings.config.items()}
try:
    for path in CONFIG_FILES:
        yaml_file.parse(path)
    CONFIG = load(config, ", ".join(CONFIG_FILES) or "configuration")
except CfrlabError as error:
    # Not an exception of Snakemake's, which would add the place in this file.
    sys.exit(f"error: {error}")

RESULTS = CONFIG.results_dir
# The rules of each paper that the configuration has a section of, in the order of the sections.
PAPERS = {name: Wiring(plan, RESULTS) for name, plan in CONFIG.plans.items()}
# Every rule of a paper runs this script, which calls the stage that the rule names.
STAGE = str(ROOT / "workflow/scripts/stage.py")


def published(paper, name):
    """A file of a paper's published numbers or claims."""
    return os.path.relpath(papers.published(paper, name))


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
# Compiled kernels lie beside the results, unless the user keeps them elsewhere. The first job that
# needs an engine compiles it, and others wait for that.
os.environ.setdefault("NUMBA_CACHE_DIR", os.path.abspath(".cache/numba"))
# Messages about damaged artifacts name the command that rebuilds them.
os.environ["CFRLAB_SNAKEMAKE"] = shlex.join(
    [
        *("snakemake", "--cores", "1"),
        *(["--configfile", *CONFIG_FILES] if workflow.overwrite_configfiles else []),
        *(["--config", *map("=".join, OVERRIDES.items())] if OVERRIDES else []),
    ]
)
