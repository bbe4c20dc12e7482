"""The papers' claims, each with a verdict computed from this run."""

import pandas as pd

from cfrlab.logs import stage
from cfrlab.papers.cfrd import measures as cfrd
from cfrlab.papers.cfrd import records as cfrd_records
from cfrlab.papers.embedding import measures as embedding
from cfrlab.papers.embedding import records as embedding_records
from cfrlab.papers.weva import measures as weva
from cfrlab.papers.weva import records, tables
from cfrlab.papers.weva.cells import Data
from cfrlab.reporting import claims

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    published = tables.load_published(inputs.published)
    stated = claims.load(inputs.claims, weva.MEASURES)
    weva.check_names(stated, published)
    data = Data.of(records.load(inputs.records), records.load_oracle(inputs.oracle), published)
    judged = [claims.judge_all(stated, data)]
    if inputs.cfrd:
        stated = claims.load(inputs.cfrd_claims, cfrd.MEASURES)
        judged.append(claims.judge_all(stated, cfrd_records.load(inputs.cfrd)))
    if inputs.embedding:
        curves, counts = inputs.embedding
        stated = claims.load(inputs.embedding_claims, embedding.MEASURES)
        results = embedding.Results(
            embedding_records.read(curves), pd.read_csv(counts), params.solvers
        )
        judged.append(claims.judge_all(stated, results))
    claims.write(snakemake.output[0], pd.concat(judged, ignore_index=True))
