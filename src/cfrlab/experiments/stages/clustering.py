"""kmeans_buckets: bucket maps of hands from their features."""

from __future__ import annotations

from collections.abc import Sequence

from cfrlab.abstraction import kmeans
from cfrlab.artifacts import store
from cfrlab.artifacts.provenance import Provenance
from cfrlab.experiments.stages import features as features_stage
