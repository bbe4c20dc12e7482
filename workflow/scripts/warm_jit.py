"""Compile the kernels into numba's cache."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.pipeline.compiled import ensure_compiled

with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    ensure_compiled()
    Path(snakemake.output[0]).touch()
