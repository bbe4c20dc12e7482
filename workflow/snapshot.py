"""Copy the small final files of a finished run to docs/results, where they are tracked.

The README's headline is rewritten from the copy.

python workflow/snapshot.py
python workflow/snapshot.py --configfile mine.yaml --target docs/mine
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFAULT = "docs/results"
sys.path.insert(0, str(ROOT / "src"))

from cfrlab import config as config_module  # noqa: E402
from cfrlab import papers  # noqa: E402
from cfrlab.errors import CfrlabError  # noqa: E402
from cfrlab.pipeline.store import SNAKEMAKE_VARIABLE  # noqa: E402
from cfrlab.pipeline.text import write_text_atomic  # noqa: E402
from cfrlab.reporting import headline, snapshot  # noqa: E402
from cfrlab.reporting.paper import headline_of  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Take the snapshot; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--configfile", nargs="+", default=["config.yaml"], help="of the run")
    parser.add_argument("--target", default=DEFAULT, help="folder of the copy")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    if options.configfile != ["config.yaml"]:  # Lines about files name the command to rebuild them.
        command = ["snakemake --cores 1 --configfile", *options.configfile]
        os.environ[SNAKEMAKE_VARIABLE] = " ".join(command)
    try:
        files = snapshot.take(config_module.read(*options.configfile), options.target)
    except CfrlabError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(files)} files in {options.target}; see {options.target}/README.md")
    if options.target == DEFAULT:
        readme = ROOT / "README.md"
        block = headline.headline(ROOT / DEFAULT, map(headline_of, papers.names()))
        write_text_atomic(readme, headline.replace(readme.read_text(encoding="utf-8"), block))
        print("README.md shows its headline")
    return 0


if __name__ == "__main__":
    sys.exit(main())
