"""Plans for an input: all of its documents are fingerprinted, or a sample of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark.core.plan.choice import plan_with_recall
from simhash_spark.core.plan.exact import Needs
from simhash_spark.errors import InputError
from simhash_spark.hamming import plan_pairs
from simhash_spark.pipeline import fingerprints
from simhash_spark.runs.filesystem import file_system_of
from simhash_spark.runs.malformed import input_failures_located
from simhash_spark.runs.sources import read_documents, resolve_format
from simhash_spark.stages.nodes import collapse_fingerprints
from simhash_spark.stages.samples import read_sample, sample_nodes
from simhash_spark.statistics import learn_statistics, load_statistics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.config import DedupConfig
    from simhash_spark.core.plan.window_plans import SearchPlan
    from simhash_spark.runs.arguments import Arguments

_HASHES = 1 << 32


def plan_input(
    spark: SparkSession, arguments: Arguments, n_sampled: int | None = None
) -> SearchPlan:
    """Plan the search for the documents of an input; nothing is written.

    Parameters
    ----------
    spark : SparkSession
        Reads.
    arguments : Arguments
        The input, and how to compare.
    n_sampled : int, optional
        Documents to fingerprint, about; by default all.

    Returns
    -------
    Plan or WindowPlan
        Not refused yet. Of a sample: those texts whose hashes are small, so that
        copies of a text are all in it or none, and distinct fingerprints are to
        all of them what those of the sample are to the sample.

    Raises
    ------
    InputError
        If there is nothing to read, or nothing to compare in the sample.
    """
    source = resolve_format(spark, arguments.source)
    with input_failures_located(spark, source):
        documents = read_documents(spark, source)
        config = _config(spark, documents, replace(arguments, source=source))
        if n_sampled is None:  # two passes, one to count and one to sample: nothing is kept
            nodes = collapse_fingerprints(fingerprints(documents, config), config.bits)
            return plan_pairs(nodes, config)
        return _plan_sample(documents, config, n_sampled)


def _plan_sample(documents: DataFrame, config: DedupConfig, n_sampled: int) -> SearchPlan:
    n_documents = documents.count()
    share = min(1.0, n_sampled / max(n_documents, 1))
    found = fingerprints(_sampled(documents, config, share), config)
    nodes = collapse_fingerprints(found, config.bits)
    n_found = nodes.count()
    if not n_found:
        message = f"No document of {n_sampled:,} sampled has a fingerprint: check --text-column."
        raise InputError(message)
    sample = read_sample(sample_nodes(nodes, config.bits, n_found), config.bits)
    limit = config.bucket_pairs or None
    needs = Needs(config.bits, config.max_distance, min(round(n_found / share), n_documents), limit)
    return plan_with_recall(needs, sample, config.recall)


def _sampled(documents: DataFrame, config: DedupConfig, share: float) -> DataFrame:
    if share >= 1:
        return documents
    compared = F.col(_quoted(config.features_column or config.text_column))
    if config.features_column is not None:
        compared = F.to_json(F.struct(compared))  # maps have no hash
    return documents.where(F.pmod(F.xxhash64(compared), F.lit(_HASHES)) < int(share * _HASHES))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _config(spark: SparkSession, documents: DataFrame, arguments: Arguments) -> DedupConfig:
    """Complete the settings; what is learned is not kept."""
    config = arguments.config_for(documents.columns)
    if not arguments.statistics:
        return config
    files = file_system_of(spark)
    path = files.qualify(arguments.statistics)
    if files.exists(path):
        return replace(config, statistics=load_statistics(spark, path))
    return replace(config, statistics=learn_statistics(documents, config))
