"""How many classes of hands there are, and the published counts beside."""

from pathlib import Path

from cfrlab.logs import stage
from cfrlab.papers.embedding import counts
from cfrlab.papers.embedding.game_file import load_game
from cfrlab.reporting import markdown
from cfrlab.reporting.footer import footer

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    games = dict(zip(params.config, map(load_game, inputs.games), strict=True))
    table = counts.counts_table(counts.count(games, counts.load_published(inputs.published)))
    foot = footer(params.config, params.seed, params.code)
    folder, name = Path(snakemake.output[0]).parent, Path(snakemake.output[0]).stem
    markdown.write(folder, name, table.data, table.text, foot)
