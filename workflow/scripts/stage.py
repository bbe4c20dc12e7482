"""Runs the job that a rule describes; every rule of a paper has this script."""

from cfrlab.pipeline.job import run

run(snakemake)
