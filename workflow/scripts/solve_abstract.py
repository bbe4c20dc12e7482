"""Solve the bucketed games of one method by one solver, under every averaging rule."""

from dataclasses import asdict

from cfrlab.logs import stage
from cfrlab.papers.weva.stages import names
from cfrlab.papers.weva.stages.game_file import load_game
from cfrlab.papers.weva.stages.solving import plan, solve
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config = snakemake.params.config
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    averaging = config["averaging"]
    rules = [
        Rule.named(config["solver"], rule["alternating"], rule["power"])
        for rule in averaging.values()
    ]
    runs = plan(*(config[key] for key in ("instances", "buckets", "seeds", "iterations", "curve")))
    labels = store.load(snakemake.input.buckets, names.BUCKETS).arrays
    strategies = solve(map(load_game, snakemake.input.games), labels, runs, rules)
    meta = {
        "averaging": list(averaging),
        "iterations": config["iterations"],
        "runs": [asdict(run) for run in runs],
    }
    made = Provenance(config, None, snakemake.params.code)
    store.save(snakemake.output[0], names.SOLUTIONS, strategies, meta, made)
