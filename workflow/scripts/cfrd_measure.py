"""Peak memory and time of CFR or CFR-D in a process of its own."""

import numpy as np

from cfrlab.logs import stage
from cfrlab.papers.cfrd import footprint, records
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance

config, wildcards = snakemake.params.config, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    found = footprint.measure(wildcards.mode, config)
    options = config["game"]["options"]
    meta = {
        "mode": wildcards.mode,
        "game": f"leduc with {options['ranks']} ranks and {options['max_raises']} raises",
        "options": options,
        **{name: config[name] for name in config if name.endswith("iterations")},
    }
    arrays = {name: np.array(value) for name, value in found.items()}
    made = Provenance(config, None, snakemake.params.code)
    store.save(snakemake.output[0], records.MEASURED, arrays, meta, made)
