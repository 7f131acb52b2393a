"""The search for pairs of fingerprints: nodes → plan → blocks → edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simhash_spark.config import DedupConfig
from simhash_spark.core.plan.choice import plan_with_recall
from simhash_spark.core.plan.exact import check_plan
from simhash_spark.core.plan.plans import Needs
from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.stages.blocks import explode_blocks
from simhash_spark.stages.edges import find_edges, select_edges
from simhash_spark.stages.samples import read_sample, sample_nodes
from simhash_spark.stages.windows import find_near_edges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from simhash_spark.core.plan.plans import Plan

DEFAULTS = DedupConfig()


def hamming_pairs(nodes: DataFrame, config: DedupConfig = DEFAULTS) -> DataFrame:
    """Find the pairs of fingerprints within a Hamming distance.

    Parameters
    ----------
    nodes : DataFrame
        Column ``fingerprint`` (long; for 128 bits also ``fingerprint_high``),
        distinct and not null.
    config : DedupConfig
        Number of bits, the maximal distance, ``bucket_pairs`` (0 lists all pairs) and
        the recall (all pairs, or most of them).

    Returns
    -------
    DataFrame
        Columns ``fingerprint_l``, ``fingerprint_r`` (each with its ``_high_``
        word for 128 bits) and ``distance`` (int, from 1); each pair once, the
        left fingerprint smaller as an unsigned number. Two Spark jobs run now, to
        count and to sample; the pairs are lazy.

    Raises
    ------
    PlanError
        If the search would take too long, or a task could not hold its part.
    """
    plan = plan_pairs(nodes, config)
    check_plan(plan)
    return search(nodes, plan).transform(select_edges)


def plan_pairs(nodes: DataFrame, config: DedupConfig = DEFAULTS) -> Plan | WindowPlan:
    """Choose how to look for pairs, refusing nothing: counts the nodes, and samples them."""
    n_nodes = nodes.count()
    sample = read_sample(sample_nodes(nodes, config.bits, n_nodes), config.bits)
    needs = Needs(config.bits, config.max_distance, n_nodes, config.bucket_pairs or None)
    return plan_with_recall(needs, sample, config.recall)


def search(nodes: DataFrame, plan: Plan | WindowPlan) -> DataFrame:
    """Look for pairs as a plan says; ``find_edges`` describes the rows."""
    find = find_near_edges if isinstance(plan, WindowPlan) else find_edges
    return nodes.transform(explode_blocks, plan).transform(find, plan)
