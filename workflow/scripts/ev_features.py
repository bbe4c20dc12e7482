"""Features of the hands of every instance of a game."""

from cfrlab.logs import stage
from cfrlab.papers.weva.stages import names
from cfrlab.papers.weva.stages.features import extract
from cfrlab.papers.weva.stages.game_file import load_game
from cfrlab.papers.weva.stages.warmup_file import load_profiles
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance

params = snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    paths, warmup = snakemake.input.games, snakemake.input.get("warmup")
    profiles = load_profiles(warmup) if warmup else [None] * len(paths)
    arrays = extract(zip(map(load_game, paths), profiles, strict=True), **params.config)
    made = Provenance(params.config, None, params.code)
    store.save(snakemake.output[0], names.FEATURES, arrays, {}, made)
