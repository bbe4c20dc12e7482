"""Re-solve the subgames of CFR-D's trunks, and exploitability of the result."""

from cfrlab.logs import stage
from cfrlab.papers.cfrd import grid, records
from cfrlab.papers.cfrd.setting import Setting, build
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.solve.cfr import Rule

config = snakemake.params.config
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    rule, left = Rule.named(config["solver"]), store.load(snakemake.input.run, records.RUN)
    decomposition = build(Setting.from_json(config["game"]))
    arrays = grid.resolve(decomposition, rule, config["iterations"], left.arrays)
    meta = {**left.meta, "resolving_iterations": config["iterations"]}
    made = Provenance(config, None, snakemake.params.code)
    store.save(snakemake.output[0], records.GRID, arrays, meta, made)
