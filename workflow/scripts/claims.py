"""The papers' claims, each with a verdict computed from this run."""

import pandas as pd

from cfrlab.logs import stage
from cfrlab.papers.cfrd import claims as cfrd_claims
from cfrlab.papers.cfrd import records as cfrd_records
from cfrlab.papers.embedding import claims as embedding_claims
from cfrlab.papers.embedding import records as embedding_records
from cfrlab.papers.weva import records, tables
from cfrlab.reporting import claims

inputs, params = snakemake.input, snakemake.params
with stage(snakemake.log[0], snakemake.threads, snakemake.rule, *snakemake.wildcards):
    stated = claims.load(inputs.claims, tables.load_published(inputs.published))
    oracle = records.load_oracle(inputs.oracle)
    judged = claims.evaluate(stated, records.load(inputs.records), oracle)
    if inputs.cfrd:
        more = cfrd_claims.evaluate(inputs.cfrd_claims, cfrd_records.load(inputs.cfrd))
        judged = pd.concat([judged, more], ignore_index=True)
    if inputs.embedding:
        curves, counts = inputs.embedding
        more = embedding_claims.evaluate(
            inputs.embedding_claims,
            embedding_records.read(curves),
            pd.read_csv(counts),
            params.solvers,
        )
        judged = pd.concat([judged, more], ignore_index=True)
    claims.write(snakemake.output[0], judged)
