"""Blocks to most edges: each task searches its share of the tables, or its groups, by windows.

Tasks may find the same pair: the union of what they find is made distinct.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.windows.search import WindowSearch, count_planted
from simhash_spark.stages._found import EFFORT, read_routes, write_edges, write_told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.plan.window_plans import WindowPlan


def find_near_edges(blocks: DataFrame, plan: WindowPlan) -> DataFrame:
    """Find most of the pairs of fingerprints within the maximal distance.

    Parameters
    ----------
    blocks : DataFrame
        Columns ``partition``, ``route``, ``fingerprints``, as ``explode_blocks``
        leaves them.
    plan : WindowPlan
        Shares or passes, and the planted pairs.

    Returns
    -------
    DataFrame
        As ``find_edges`` gives: each pair that is found once, and one row per task
        with ``effort`` and ``planted`` (array of long): the numbers of the planted
        pairs found and, as -1 - number, of those that are real fingerprints.
        ``n_pairs`` of the effort counts a pair in each task that found it.
    """
    found = blocks.mapInArrow(_finder(plan), schemas.found(plan.bits))
    # The rows of tasks differ by the number that `write_told` appends, so none of them is lost.
    words = [*c.fingerprint_words(plan.bits, "_l"), *c.fingerprint_words(plan.bits, "_r")]
    return found.dropDuplicates([*words, c.EFFORT]).select(*schemas.found(plan.bits).names)


def list_planted(found: DataFrame) -> DataFrame:
    """List what the tasks tell of planted pairs: distinct numbers, in a column ``planted``."""
    return found.select(F.explode(c.PLANTED).alias(c.PLANTED)).distinct()


def measure_recall(found: DataFrame, plan: WindowPlan) -> tuple[int, int]:
    """Count the planted pairs that could be found, and those that were.

    Parameters
    ----------
    found : DataFrame
        From :func:`find_near_edges`.
    plan : WindowPlan
        That of the search.

    Returns
    -------
    tuple of int
        Two numbers. Runs a Spark job that brings at most 2000 numbers here.
    """
    told = [row[0] for row in found.transform(list_planted).toLocalIterator()]
    return count_planted(np.array(told, dtype=np.int64), len(plan.planted.planted))


def _finder(plan: WindowPlan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = schemas.found(plan.bits).names
    n_words = plan.bits // 64

    def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        started = time.process_time()
        search = WindowSearch(plan)
        told = dict.fromkeys(EFFORT, 0)
        tasks: list[int] = []
        for route, fingerprints in read_routes(_noting_task(batches, tasks), n_words):
            told["n_rows"] += len(fingerprints)
            told["task_bytes"] = max(told["task_bytes"], fingerprints.nbytes)
            for pairs in search.find(route, fingerprints):
                told["n_pairs"] += len(pairs.left)
                yield pa.RecordBatch.from_arrays(write_edges(*pairs), names=names)
        if tasks:
            told |= {"n_sorted": search.n_sorted, "n_compared": search.n_compared}
            told["cpu_ms"] = round(1000 * (time.process_time() - started))
            row = write_told(told, search.planted(), n_words=n_words, task=tasks[0])
            yield pa.RecordBatch.from_arrays(row, names=names)

    return find


def _noting_task(batches: Iterator[pa.RecordBatch], tasks: list[int]) -> Iterator[pa.RecordBatch]:
    """Note what stands for the partition: all blocks of one have the same number, no other has."""
    for batch in batches:
        if batch.num_rows and not tasks:
            tasks.append(batch.column(c.PARTITION)[0].as_py())
        yield batch
