"""A game of betting rounds, its hands up to suits."""

from cfrlab.logs import stage
from cfrlab.papers.embedding.game_file import generate, save_game
from cfrlab.pipeline.provenance import Provenance

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    game = generate(**params.config)
    save_game(snakemake.output[0], game, Provenance(params.config, None, params.code))
