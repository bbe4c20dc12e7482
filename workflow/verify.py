"""List what does not belong in the folder of results: files altered, exchanged, or left behind.

python workflow/verify.py
python workflow/verify.py --configfile config.yaml mine.yaml
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from cfrlab import config as config_module  # noqa: E402
from cfrlab.errors import CfrlabError  # noqa: E402
from cfrlab.pipeline import verify  # noqa: E402
from cfrlab.pipeline.store import SNAKEMAKE_VARIABLE  # noqa: E402
from cfrlab.reporting import plan  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each problem; returns 1 if there is any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--configfile", nargs="+", default=["config.yaml"], help="of the run")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    if options.configfile != ["config.yaml"]:  # Lines about files name the command to rebuild them.
        command = ["snakemake --cores 1 --configfile", *options.configfile]
        os.environ[SNAKEMAKE_VARIABLE] = " ".join(command)
    try:
        config = config_module.read(*options.configfile)
    except CfrlabError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    recipes, texts = plan.recipes(config), plan.text_files(config)
    lines = verify.problems(config.results_dir, recipes, texts, plan.further_files(config))
    print("\n".join(lines) or f"{config.results_dir}: all that is there belongs there")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
