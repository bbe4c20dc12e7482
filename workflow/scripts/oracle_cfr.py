"""Follow CFR on one instance of a game to the oracle of Figure 1."""

from cfrlab.logs import stage
from cfrlab.papers.weva.stages import names
from cfrlab.papers.weva.stages.game_file import load_game
from cfrlab.papers.weva.stages.oracle import curves
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config, wildcards = snakemake.params.config, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    rule = Rule.named(config["solver"], config["alternating"], config["averaging"])
    game = load_game(snakemake.input.game)
    arrays = curves(game, rule, config["points"], config["iterations"])
    meta = {"game": wildcards.game, "instance": int(wildcards.instance)}
    made = Provenance(config, None, snakemake.params.code)
    store.save(snakemake.output[0], names.ORACLE, arrays, meta, made)
