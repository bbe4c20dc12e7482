"""Build one instance of a game."""

from cfrlab.logs import stage
from cfrlab.papers.weva.stages.game_file import save_game
from cfrlab.papers.weva.stages.generate import generate
from cfrlab.pipeline.provenance import Provenance

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    game = generate(**params.config, seed=params.seed)
    save_game(snakemake.output[0], game, Provenance(params.config, params.seed, params.code))
