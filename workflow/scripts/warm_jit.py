"""Compile the kernels into numba's cache."""

from pathlib import Path

from cfrlab.experiments.stages.jit import ensure_compiled
from cfrlab.logs import stage

with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    ensure_compiled()
    Path(snakemake.output[0]).touch()
