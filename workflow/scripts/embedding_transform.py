"""A sharper Phi from a trained one."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import phi_file, traits
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.papers.embedding.kinds import NAMES
from cfrlab.pipeline.provenance import Provenance

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
