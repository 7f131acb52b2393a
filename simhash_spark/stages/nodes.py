"""Fingerprints to nodes: equal fingerprints are one node from here on.

A million copies of one page become one row, and no document id travels through
the search for pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark import columns as c

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def collapse_fingerprints(fingerprints: DataFrame, bits: int) -> DataFrame:
    """Keep one row of each fingerprint.

    Parameters
    ----------
    fingerprints : DataFrame
        Columns ``id`` and ``fingerprint`` (and ``fingerprint_high`` for 128
        bits), null where a document has none.
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``fingerprint`` (and ``fingerprint_high``), distinct and not
        null, ``id``, the smallest of the documents that have it, and
        ``n_documents`` (long), how many do.
    """
    words = c.fingerprint_words(bits)
    usable = fingerprints.where(F.col(c.FINGERPRINT).isNotNull())
    collapsed = usable.groupBy(*words).agg(
        F.min(c.ID).alias(c.ID), F.count(F.lit(1)).alias(c.N_DOCUMENTS)
    )
    return collapsed.select(*words, c.ID, c.N_DOCUMENTS)
