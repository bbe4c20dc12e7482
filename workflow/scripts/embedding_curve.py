"""One run of a solver under one abstraction: a line of a figure, resumed where it was stopped."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import curves, phi_file
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.papers.embedding.kinds import CURVE
from cfrlab.pipeline import store
from cfrlab.pipeline.checkpoint import Checkpoint
from cfrlab.pipeline.provenance import Provenance

inputs, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *wildcards):
    config, output = params.config, snakemake.output[0]
    made = Provenance(config, params.seed, params.code)
    files = [inputs.game, *([inputs.phi] if inputs.get("phi") else [])]
    checkpoint = Checkpoint.beside(output, made, files)
    game = load_game(inputs.game)
    seed, phi = int(wildcards.seed), None
    if inputs.get("phi"):
        asked = {"game": params.made_for, "abstraction": wildcards.abstraction, "seed": seed}
        phi = phi_file.load(inputs.phi, game, asked)
    solver = curves.make_solver(game, phi, config["solver"], params.seed, config["device"])
    arrays = curves.follow(solver, config["solver"]["averages"], config["points"], checkpoint)
    meta = {
        "game": wildcards.ebd_game,
        "abstraction": wildcards.abstraction,
        "seed": seed,
        "solver": wildcards.ebd_solver,
        "averages": config["solver"]["averages"],
        **curves.about(game, phi),
    }
    store.save(output, CURVE, arrays, meta, made)
    checkpoint.remove()
