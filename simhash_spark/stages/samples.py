"""Nodes to a sample: those of smallest hash, so that it depends on the set of them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark.core.plan.sampling import in_hash_order
from simhash_spark.core.words import as_unsigned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from simhash_spark.core.typing import Words

SAMPLE = 1 << 14
"""Fingerprints in a sample, about; all, if there are not more."""


def sample_nodes(nodes: DataFrame, bits: int, n_nodes: int, size: int = SAMPLE) -> DataFrame:
    """Sample the nodes.

    Parameters
    ----------
    nodes : DataFrame
        Column ``fingerprint`` (and ``fingerprint_high`` for 128 bits), distinct,
        not null.
    bits : {64, 128}
        Length of a fingerprint.
    n_nodes : int
        How many nodes there are.
    size : int
        Nodes in the sample, about.

    Returns
    -------
    DataFrame
        Columns ``fingerprint`` (and ``fingerprint_high``).
    """
    words = c.fingerprint_words(bits)
    if n_nodes <= size:
        return nodes.select(*words)
    bound = -(2**63) + (2**64 * size) // n_nodes
    return nodes.where(F.xxhash64(*words) < F.lit(bound)).select(*words)


def read_sample(sample: DataFrame, bits: int) -> Words:
    """Run the sampling: (n_sampled, bits / 64) uint64, in an order of its own."""
    rows = [tuple(row) for row in sample.collect()]
    longs = np.array(rows, dtype=np.int64).reshape(-1, bits // 64)
    return in_hash_order(as_unsigned(longs))
