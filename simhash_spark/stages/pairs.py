"""Edges to pairs of documents: what holds the clusters together, under the documents' ids.

Each fingerprint of an edge is given the name of its smallest document, and
every further document of a fingerprint is paired with that one at distance 0.
The connected components of these pairs are the clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark import columns as c

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def name_pairs(edges: DataFrame, nodes: DataFrame, bits: int) -> DataFrame:
    """Replace fingerprints by the smallest document that has them.

    Parameters
    ----------
    edges : DataFrame
        Columns ``fingerprint_l``, ``fingerprint_r`` (each with its ``_high_``
        word for 128 bits) and ``distance``.
    nodes : DataFrame
        Columns ``fingerprint`` (and ``fingerprint_high``), distinct, and ``id``.
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``id_l`` < ``id_r``, ``distance`` (int) and ``similarity``
        (double; null: nothing was verified on the text); one row per edge.
    """
    named = edges
    for suffix in ("_l", "_r"):
        side = c.fingerprint_words(bits, suffix)
        old = [F.col(name).alias(new) for name, new in _zip(c.fingerprint_words(bits), side)]
        names = nodes.select(*old, F.col(c.ID).alias(f"{c.ID}{suffix}"))
        named = named.join(names, on=side, how="inner")
    return named.select(
        F.least(c.ID_L, c.ID_R).alias(c.ID_L),
        F.greatest(c.ID_L, c.ID_R).alias(c.ID_R),
        c.DISTANCE,
        F.lit(None).cast("double").alias(c.SIMILARITY),
    )


def pair_copies(fingerprints: DataFrame, nodes: DataFrame, bits: int) -> DataFrame:
    """Pair every further document of a fingerprint with the smallest one.

    Parameters
    ----------
    fingerprints : DataFrame
        Columns ``id`` and ``fingerprint`` (and ``fingerprint_high``).
    nodes : DataFrame
        Columns ``fingerprint`` (and ``fingerprint_high``), distinct, ``id`` and
        ``n_documents``.
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``id_l`` < ``id_r``, ``distance`` (0) and ``similarity`` (null);
        n - 1 rows for a fingerprint of n documents.
    """
    words = c.fingerprint_words(bits)
    shared = nodes.where(F.col(c.N_DOCUMENTS) > 1)
    first = shared.select(*words, F.col(c.ID).alias(c.ID_L))
    named = fingerprints.join(first, on=words, how="inner").where(F.col(c.ID) != F.col(c.ID_L))
    return named.select(
        c.ID_L,
        F.col(c.ID).alias(c.ID_R),
        F.lit(0).alias(c.DISTANCE),
        F.lit(None).cast("double").alias(c.SIMILARITY),
    )


def _zip(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    return list(zip(old, new, strict=True))
