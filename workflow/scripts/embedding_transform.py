"""A sharper Phi from a trained one."""

from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.embedding import phi_file, traits
from cfrlab.experiments.embedding.game_file import load_game
from cfrlab.experiments.embedding.kinds import NAMES
from cfrlab.logs import stage

inputs, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    game = load_game(inputs.game)
    asked = {"game": wildcards.ebd_game, "abstraction": wildcards.network}
    trained = phi_file.load(inputs.phi, game, {**asked, "seed": int(wildcards.seed)})
    sharper, about = traits.transform(game, trained.arrays, trained.meta["rounds"], **params.config)
    names = {
        **{name: trained.meta[name] for name in NAMES},
        "abstraction": f"{wildcards.network}/{wildcards.transform}",
        "phi": wildcards.transform,
    }
    made = Provenance(params.config, None, params.code)
    phi_file.save(snakemake.output[0], game, sharper, names, about, made)
