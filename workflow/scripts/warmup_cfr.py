"""Warm up every instance of a game."""

from cfrlab.logs import stage
from cfrlab.papers.weva.stages.game_file import load_game
from cfrlab.papers.weva.stages.warmup import warm_up
from cfrlab.papers.weva.stages.warmup_file import save_profiles
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config = snakemake.params.config
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    rule = Rule.named(config["solver"], config["alternating"], config["averaging"])
    games = map(load_game, snakemake.input.games)
    profiles = warm_up(games, len(snakemake.input.games), rule, config["iterations"])
    made = Provenance(config, None, snakemake.params.code)
    save_profiles(snakemake.output[0], list(profiles), made)
