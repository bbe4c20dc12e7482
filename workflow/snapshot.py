"""Copy the small final files of a finished run to docs/results, where they are tracked.

The README's headline is rewritten from the copy.

python workflow/snapshot.py
python workflow/snapshot.py --configfile mine.yaml --target docs/mine
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
DEFAULT = "docs/results"
sys.path.insert(0, str(ROOT / "src"))

from cfrlab import config as config_module  # noqa: E402
from cfrlab.errors import CfrlabError  # noqa: E402
from cfrlab.papers.cfrd import headline as cfrd  # noqa: E402
from cfrlab.papers.embedding import headline as embedding  # noqa: E402
from cfrlab.papers.weva import headline as weva  # noqa: E402
from cfrlab.pipeline.text import write_text_atomic  # noqa: E402
from cfrlab.reporting import headline, snapshot  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Take the snapshot; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--configfile", default="config.yaml", help="configuration of the run")
    parser.add_argument("--target", default=DEFAULT, help="folder of the copy")
    options = parser.parse_args(arguments)
    try:
        files = _take(options.configfile, options.target)
    except CfrlabError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(files)} files in {options.target}; see {options.target}/README.md")
    if options.target == DEFAULT:
        readme = ROOT / "README.md"
        papers = [weva.lines, cfrd.lines, embedding.lines]
        block = headline.headline(ROOT / DEFAULT, papers)
        write_text_atomic(readme, headline.replace(readme.read_text(encoding="utf-8"), block))
        print("README.md shows its headline")
    return 0


def _take(configfile: str, target: str) -> list[str]:
    try:
        given = yaml.safe_load((ROOT / configfile).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise CfrlabError(
            f"{configfile}: cannot be read ({' '.join(str(error).split())})"
        ) from None
    results = config_module.load(given, configfile).results_dir
    _check_up_to_date(configfile, results)
    return snapshot.take(ROOT / results, given, ROOT / target)


def _check_up_to_date(configfile: str, results: str) -> None:
    """Ask the workflow whether anything is left to do."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1"]
    command += ["--configfile", configfile] if configfile != "config.yaml" else []
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "Nothing to be done" not in done.stdout + done.stderr:
        raise CfrlabError(
            f"{results}: not up to date with the configuration and the code, or incomplete; "
            f"run: snakemake (snakemake --dry-run lists what is left)"
        )


if __name__ == "__main__":
    sys.exit(main())
