"""CFR-D with one number of subgame iterations; what it leaves at every trunk length."""

from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.decomposition.cfrd import Variant
from cfrlab.experiments.cfrd import grid, records
from cfrlab.experiments.cfrd.setting import Setting, build
from cfrlab.logs import stage
from cfrlab.solve.cfr import Rule

config, wildcards = snakemake.params.config, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    rule = Rule.named(config["solver"])
    variant = Variant(config["subgame_iterations"], rule, config["start"], config["values"])
    decomposition = build(Setting.from_json(config["game"]))
    arrays = grid.run(decomposition, rule, variant, config["trunk_iterations"])
    meta = {
        "game": wildcards.cfrd_game,
        "variant": wildcards.variant,
        "subgame_iterations": variant.iterations,
    }
    made = Provenance(config, None, snakemake.params.code)
    store.save(snakemake.output[0], records.RUN, arrays, meta, made)
