"""Components to decisions: rank the members of each cluster, keep the first, list the rest.

A cluster holds at least two documents: those of one fingerprint, or of several
fingerprints in one component.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, FloatType

from simhash_spark import columns as c
from simhash_spark.keep import KeepKey
from simhash_spark.stages._columns import content_hash, id_of, original_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from simhash_spark.config import DedupConfig


def find_members(fingerprints: DataFrame, components: DataFrame, bits: int) -> DataFrame:
    """Give every document of a cluster of at least two its cluster.

    Parameters
    ----------
    fingerprints : DataFrame
        Columns ``id``, ``fingerprint`` (and ``fingerprint_high``),
        ``n_characters``.
    components : DataFrame
        Columns ``fingerprint`` and ``component`` (each with its ``_high`` word);
        a fingerprint that is not listed is a component of its own.
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``id``, ``fingerprint`` (and ``fingerprint_high``),
        ``n_characters``, ``cluster_id`` (the smallest id in the cluster) and
        ``cluster_size`` (long).
    """
    words, component = c.fingerprint_words(bits), c.component_words(bits)
    usable = fingerprints.where(F.col(c.FINGERPRINT).isNotNull())
    own = [F.coalesce(name, word).alias(name) for name, word in zip(component, words, strict=True)]
    placed = usable.join(components, on=words, how="left").select(
        c.ID, *words, c.N_CHARACTERS, *own
    )
    clusters = placed.groupBy(*component).agg(
        F.min(c.ID).alias(c.CLUSTER_ID), F.count(F.lit(1)).alias(c.CLUSTER_SIZE)
    )
    clusters = clusters.where(F.col(c.CLUSTER_SIZE) > 1)
    members = placed.join(clusters, on=component, how="inner")
    return members.select(c.ID, *words, c.N_CHARACTERS, c.CLUSTER_ID, c.CLUSTER_SIZE)


def rank_members(members: DataFrame, keys: Sequence[KeepKey], bits: int) -> DataFrame:
    """Choose the survivor of each cluster.

    Parameters
    ----------
    members : DataFrame
        The columns of :func:`find_members` and those named by ``keys``.
    keys : sequence of KeepKey
        What to order the members by; nulls and NaN come last, ties go to the
        smallest id.
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``id``, ``cluster_id``, ``cluster_size``, ``is_survivor``,
        ``survivor_id`` and ``distance`` (int, to the survivor's fingerprint);
        one row per member.
    """
    words = c.fingerprint_words(bits)
    order = [_order_of(members, key) for key in (*keys, KeepKey(c.ID, is_descending=False))]
    rank = F.row_number().over(Window.partitionBy(c.CLUSTER_ID).orderBy(*order))
    theirs = [F.col(word).alias(f"survivor_{word}") for word in words]
    first = members.withColumn("rank", rank).where(F.col("rank") == 1)
    survivors = first.select(c.CLUSTER_ID, F.col(c.ID).alias(c.SURVIVOR_ID), *theirs)
    decided = members.join(survivors, on=c.CLUSTER_ID, how="inner")
    differing = [F.bit_count(F.col(w).bitwiseXOR(F.col(f"survivor_{w}"))) for w in words]
    return decided.select(
        c.ID,
        c.CLUSTER_ID,
        c.CLUSTER_SIZE,
        (F.col(c.ID) == F.col(c.SURVIVOR_ID)).alias(c.IS_SURVIVOR),
        c.SURVIVOR_ID,
        reduce(add, differing).cast("int").alias(c.DISTANCE),
    )


def list_clusters(ranked: DataFrame) -> DataFrame:
    """Tell for each member which cluster it is in, and whether it survives."""
    return ranked.select(c.ID, c.CLUSTER_ID, c.CLUSTER_SIZE, c.IS_SURVIVOR)


def list_duplicates(ranked: DataFrame) -> DataFrame:
    """List the removed documents, each with the one that stands for it."""
    removed = ranked.where(~F.col(c.IS_SURVIVOR))
    similarity = F.lit(None).cast("double").alias(c.SIMILARITY)
    return removed.select(c.ID, c.SURVIVOR_ID, c.CLUSTER_ID, c.DISTANCE, similarity)


def list_unfingerprinted(fingerprints: DataFrame, config: DedupConfig) -> DataFrame:
    """List the documents without a fingerprint, with the reason.

    Returns
    -------
    DataFrame
        Columns ``id`` and ``reason``: ``null_text`` or ``null_features``, by what
        is fingerprinted; ``empty`` (no feature: nothing but white space, an empty
        list, no weight above 0); ``too_short`` (fewer features than the profile
        asks for).
    """
    is_text = config.features_column is None
    is_null = F.col(c.N_CHARACTERS if is_text else c.N_FEATURES).isNull()
    reason = (
        F.when(is_null, "null_text" if is_text else "null_features")
        .when(F.col(c.N_FEATURES) == 0, "empty")
        .otherwise("too_short")
    )
    missing = fingerprints.where(F.col(c.FINGERPRINT).isNull())
    return missing.select(c.ID, reason.alias(c.REASON))


def select_survivors(
    documents: DataFrame, duplicates: DataFrame, fingerprints: DataFrame, config: DedupConfig
) -> DataFrame:
    """Take the removed documents out of the input.

    Parameters
    ----------
    documents : DataFrame
        The input.
    duplicates : DataFrame
        Column ``id``: the documents to remove.
    fingerprints : DataFrame
        Column ``id``: all documents; read where rows are identified by content.
    config : DedupConfig
        Says what identifies a row.

    Returns
    -------
    DataFrame
        The columns of the input, untouched; one row per document that is not
        in ``duplicates``.
    """
    key = _unused_name(documents.columns)
    if config.id_column is not None:
        removed = duplicates.select(F.col(c.ID).alias(key))
        return documents.join(removed, on=id_of(documents, config) == F.col(key), how="left_anti")
    n_removed = duplicates.groupBy(original_id().alias(key)).agg(F.count(F.lit(1)).alias("out"))
    n_rows = fingerprints.groupBy(original_id().alias(key)).agg(F.count(F.lit(1)).alias("all"))
    partly = n_removed.join(n_rows, on=key, how="inner").where(F.col("out") < F.col("all"))
    keyed = documents.withColumn(key, content_hash(documents.columns))
    untouched = keyed.join(n_removed, on=key, how="left_anti")
    # Equal rows have equal fingerprints, so of those that lost a copy exactly one is kept.
    kept_copies = keyed.join(partly, on=key, how="left_semi").dropDuplicates([key])
    return untouched.unionByName(kept_copies).drop(key)


def _unused_name(names: Sequence[str]) -> str:
    taken = {name.lower() for name in names}  # Spark finds columns in any case
    name = "simhash_spark_key"
    while name in taken:
        name += "_"
    return name


def _order_of(members: DataFrame, key: KeepKey) -> Column:
    value = F.col(key.column)
    if isinstance(members.schema[key.column].dataType, (FloatType, DoubleType)):
        value = F.nanvl(value, F.lit(None).cast("double"))
    return value.desc_nulls_last() if key.is_descending else value.asc_nulls_last()
