"""Train the networks of one seed: weights, and the Phi that they give."""

from functools import partial

from cfrlab.logs import stage
from cfrlab.papers.embedding import phi_file
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.papers.embedding.kinds import AS_TRAINED
from cfrlab.papers.embedding.setting import NETWORK
from cfrlab.papers.embedding.values_file import load_values
from cfrlab.pipeline.provenance import Provenance
from cfrlab.seeds import seed_for

inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
wildcards = snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    # Only here is torch imported, and its absence must become one line.
    from cfrlab.abstraction.embedding.requirements import versions
    from cfrlab.papers.embedding import training

    config, game = params.config, load_game(inputs.game)
    names = {
        "game": wildcards.ebd_game,
        "abstraction": wildcards.network,
        "family": NETWORK,
        "network": wildcards.network,
        "phi": AS_TRAINED,
        "seed": int(wildcards.seed),
    }
    seed_of = partial(
        seed_for, params.seed, "embedding", "network", names["network"], names["seed"]
    )
    values = load_values(inputs.values, game) if inputs.get("values") else None
    options = training.options(config)
    supervision = config["supervision"]
    networks = training.train(game, config["budgets"], supervision, options, seed_of, values)
    training.save_weights(outputs.weights, game, networks, supervision, seed_of)
    made = Provenance(config, params.seed, params.code, versions())
    matrices = [network.phi for network in networks]
    phi_file.save(outputs.phi, game, matrices, names, training.about(game, networks), made)
