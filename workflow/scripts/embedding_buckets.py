"""Buckets of hands by one clustering and seed."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import clustering, phi_file
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.papers.embedding.values_file import load_values
from cfrlab.pipeline.provenance import Provenance
from cfrlab.seeds import rng_for

inputs, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    game, seed = load_game(inputs.game), int(wildcards.seed)
    values = load_values(inputs.values, game) if inputs.get("values") else None
    rng = rng_for(params.seed, "embedding", "clustering", wildcards.clustering, seed)
    labels, about = clustering.cluster(game, **params.config, rng=rng, values=values)
    names = {
        "game": wildcards.ebd_game,
        "abstraction": wildcards.clustering,
        "family": params.config["clustering"],
        "network": "",
        "phi": "",
        "seed": seed,
    }
    made = Provenance(params.config, params.seed, params.code)
    phi_file.save(snakemake.output[0], game, labels, names, about, made)
