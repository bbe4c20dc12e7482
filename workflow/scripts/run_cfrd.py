"""CFR-D with one number of subgame iterations; what it leaves at every trunk length."""

from cfrlab.decomposition.cfrd import Variant
from cfrlab.logs import stage
from cfrlab.papers.cfrd import grid, records
from cfrlab.papers.cfrd.setting import Setting, build
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
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
