"""Build one instance of a game."""

from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages.game_file import save_game
from cfrlab.experiments.stages.generate import generate
from cfrlab.logs import stage

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    game = generate(**params.config, seed=params.seed)
    save_game(snakemake.output[0], game, Provenance(params.config, params.seed, params.code))
