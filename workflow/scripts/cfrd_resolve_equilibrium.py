"""Re-solve the subgames of an equilibrium: one line of Figure 3."""

from cfrlab.logs import stage
from cfrlab.papers.cfrd import curves, records
from cfrlab.papers.cfrd.setting import Setting, build
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config, wildcards = snakemake.params.config, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    decomposition = build(Setting.from_json(config["game"]))
    method, case = wildcards.resolving, wildcards.case
    rule = Rule.named(config["solver"])
    seed = snakemake.params.seed
    arrays = curves.curve(decomposition, rule, method, case, config["points"], seed)
    meta = {"game": wildcards.cfrd_game, "method": method, "case": case}
    made = Provenance(config, seed, snakemake.params.code)
    store.save(snakemake.output[0], records.CURVE, arrays, meta, made)
