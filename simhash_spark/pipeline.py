"""The flow, on one screen: documents → fingerprints → pairs → clusters → survivors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame

from simhash_spark.config import DedupConfig
from simhash_spark.core.plan.exact import check_plan
from simhash_spark.core.plan.plans import Plan  # noqa: TC001 - a field of Dedup, resolved at run time
from simhash_spark.core.plan.window_plans import WindowPlan  # noqa: TC001 - as above
from simhash_spark.hamming import hamming_pairs, plan_pairs, search
from simhash_spark.stages.clusters import connect_components
from simhash_spark.stages.documents import (
    check_ids,
    find_keep_columns,
    identify_documents,
    number_copies,
    read_keep_columns,
)
from simhash_spark.stages.edges import select_edges, sum_efforts
from simhash_spark.stages.fingerprints import compute_fingerprints, fingerprint_features
from simhash_spark.stages.nodes import collapse_fingerprints
from simhash_spark.stages.pairs import name_pairs, pair_copies
from simhash_spark.stages.survivors import (
    find_members,
    list_clusters,
    list_duplicates,
    list_unfingerprinted,
    rank_members,
    select_survivors,
)

Store = Callable[[str, DataFrame], DataFrame]
"""Writes a frame under a name and returns it as read back."""

DEFAULTS = DedupConfig()


@dataclass(frozen=True)
class Dedup:
    """What a run finds; each frame is described in the README under Output.

    Parameters
    ----------
    fingerprints, pairs, clusters, duplicates, unfingerprinted, survivors : DataFrame
        In flow order. ``survivors`` has the columns of the input.
    plan : Plan or WindowPlan
        How pairs were looked for.
    effort : DataFrame
        One row: what that took, see ``stages.edges.sum_efforts``.
    found : DataFrame
        Pairs of fingerprints, and what the tasks tell: see ``search``.
    """

    fingerprints: DataFrame
    pairs: DataFrame
    clusters: DataFrame
    duplicates: DataFrame
    unfingerprinted: DataFrame
    survivors: DataFrame
    plan: Plan | WindowPlan
    effort: DataFrame
    found: DataFrame


def deduplicate(
    documents: DataFrame, config: DedupConfig = DEFAULTS, store: Store | None = None
) -> Dedup:
    """Find near-duplicates and decide which document of each cluster survives.

    Parameters
    ----------
    documents : DataFrame
        One row per document, any columns.
    config : DedupConfig
        Which columns to read, how to compare, what to keep.
    store : callable, optional
        Called as ``store(name, frame)`` for the frames that are used more than
        once, ``fingerprints``, ``nodes``, ``edges``, ``components`` and
        ``members``, in this order; returns the frame to go on with. Without it every frame is
        lazy, and computed again wherever it is used. ``edges`` has one row per
        task besides, with what the task did.

    Returns
    -------
    Dedup
        The frames of the output.

    Raises
    ------
    ConfigError
        If the profile learns from a corpus, and ``config`` has no statistics.
    MissingColumnError
        If a column that ``config`` names does not exist.
    PlanError
        If the search would take too long, or a task could not hold its part.
    SchemaError
        If the text is not a string, the id has no exact equality, or ids are
        null or repeated (this check runs one Spark job).
    """
    keep = store or _recompute
    bits = config.bits

    identified = identify_documents(documents, config)
    find_keep_columns(documents, config)  # a wrong name is an error now, not after the search
    fingerprinted = _fingerprint(identified, config)
    fingerprints = keep("fingerprints", fingerprinted)
    if config.id_column is not None:
        check_ids(fingerprints if store else identified)

    nodes = keep("nodes", collapse_fingerprints(fingerprints, bits))
    plan = plan_pairs(nodes, config)
    check_plan(plan)
    found = keep("edges", search(nodes, plan))
    edges = found.transform(select_edges)
    components = keep("components", edges.transform(connect_components, bits))

    members = find_members(fingerprints, components, bits)
    members, keys = read_keep_columns(documents, members, config)
    ranked = keep("members", members.transform(rank_members, keys, bits))
    duplicates = ranked.transform(list_duplicates)

    return Dedup(
        fingerprints=fingerprints,
        pairs=_name_all(edges, fingerprints, nodes, bits),
        clusters=ranked.transform(list_clusters),
        duplicates=duplicates,
        unfingerprinted=fingerprints.transform(list_unfingerprinted, config),
        survivors=select_survivors(documents, duplicates, fingerprints, config),
        plan=plan,
        effort=found.transform(sum_efforts),
        found=found,
    )


def fingerprints(documents: DataFrame, config: DedupConfig = DEFAULTS) -> DataFrame:
    """Compute the fingerprint of every document.

    Parameters
    ----------
    documents : DataFrame
        One row per document, any columns.
    config : DedupConfig
        Names the columns, the profile and the number of bits.

    Returns
    -------
    DataFrame
        Columns ``id``, ``fingerprint`` (long; null where the text has too few
        features; 128 bits: also ``fingerprint_high``), ``n_features`` (long, null
        for null features of a features column) and ``n_characters`` (long, null
        for a null text); one row per document.

    Raises
    ------
    MissingColumnError
        If a column that ``config`` names does not exist.
    SchemaError
        If the text is not a string, the features are no features, or the id has
        no exact equality.

    Notes
    -----
    Where the frame is computed, a null feature, a weight that is no finite number
    above or at 0 (``InputError``), or a failure of a ``Callback``
    (``CallbackError``) stops Spark's job: the message is in the error of Spark.
    """
    return _fingerprint(identify_documents(documents, config), config)


def near_duplicates(documents: DataFrame, config: DedupConfig = DEFAULTS) -> DataFrame:
    """Find the pairs of documents whose fingerprints are near each other.

    Parameters
    ----------
    documents : DataFrame
        One row per document, any columns.
    config : DedupConfig
        Which columns to read, how to compare.

    Returns
    -------
    DataFrame
        Columns ``id_l`` < ``id_r``, ``distance`` (int) and ``similarity``
        (null). Between different fingerprints each pair stands once, between
        their smallest ids; every further document of a fingerprint stands once,
        at distance 0 from the smallest id. The same rows as ``Dedup.pairs``.

    Raises
    ------
    MissingColumnError
        If a column that ``config`` names does not exist.
    SchemaError
        If the text is not a string, or the id has no exact equality.
    """
    found = fingerprints(documents, config)
    nodes = collapse_fingerprints(found, config.bits)
    return _name_all(hamming_pairs(nodes, config), found, nodes, config.bits)


def _fingerprint(identified: DataFrame, config: DedupConfig) -> DataFrame:
    compute = compute_fingerprints if config.features_column is None else fingerprint_features
    computed = identified.transform(compute, config.settings)
    return computed if config.id_column is not None else computed.transform(number_copies)


def _name_all(edges: DataFrame, fingerprints: DataFrame, nodes: DataFrame, bits: int) -> DataFrame:
    copies = pair_copies(fingerprints, nodes, bits)
    return name_pairs(edges, nodes, bits).unionByName(copies)


def _recompute(_name: str, frame: DataFrame) -> DataFrame:
    return frame
