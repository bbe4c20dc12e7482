"""Re-solve the subgames of an abstract equilibrium without abstraction (Figure 5)."""

from cfrlab.logs import stage
from cfrlab.papers.cfrd import improve, records
from cfrlab.papers.cfrd.setting import Setting, build
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config, wildcards = snakemake.params.config, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    decomposition = build(Setting.from_json(config["game"]))
    name, seed = wildcards.equilibrium, snakemake.params.seed
    game = decomposition.game
    merged = improve.merged_cards(game, config["merge"])
    original = improve.abstract_equilibrium(game, merged, name, config["cfr_plus_iterations"], seed)
    rule, points, samples = Rule.named(config["solver"]), config["points"], config["samples"]
    arrays = improve.improve(decomposition, rule, original, points, samples, (seed, name))
    meta = {"game": wildcards.cfrd_game, "equilibrium": name}
    made = Provenance(config, seed, snakemake.params.code)
    store.save(snakemake.output[0], records.IMPROVED, arrays, meta, made)
