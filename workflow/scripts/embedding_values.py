"""Expected values of hands under a short warm-up without abstraction."""

from cfrlab.logs import stage
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.papers.embedding.values import warm_up
from cfrlab.papers.embedding.values_file import save_values
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config = snakemake.params.config
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    rule = Rule.named(config["rule"], config["alternating"], config["averaging"])
    game = load_game(snakemake.input.game)
    values = warm_up(game, rule, config["iterations"])
    save_values(snakemake.output[0], game, values, Provenance(config, None, snakemake.params.code))
