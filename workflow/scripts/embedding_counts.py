"""How many classes of hands there are, and the published counts beside."""

from cfrlab.logs import stage
from cfrlab.papers.embedding import counts
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    games = dict(zip(params.config, map(load_game, inputs.games), strict=True))
    table = counts.count(games, counts.load_published(inputs.published))
    counts.write(*snakemake.output, table, footer(params.config, params.seed, params.code))
