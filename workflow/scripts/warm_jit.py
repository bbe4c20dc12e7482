"""Compile the kernels into numba's cache."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.pipeline.compiled import decomposition, rounds

with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    decomposition.ensure()
    rounds.ensure()
    Path(snakemake.output[0]).touch()
