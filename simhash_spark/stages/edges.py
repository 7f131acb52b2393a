"""Blocks to edges: the fingerprints of a bucket are brought together and compared.

Spark orders the blocks of a partition by route (and spills to disk where it
must); each task reads one route at a time. Each pair comes out once, of one
bucket, so nothing has to be made distinct afterwards.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.join.pairs import Effort, Pairs
from simhash_spark.core.join.search import PairSearch
from simhash_spark.core.plan.exact import moved
from simhash_spark.core.worker import keep_freed_memory, once_per_worker
from simhash_spark.stages._found import EFFORT, read_routes, write_edges, write_told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.plan.plans import Plan

PAIRS_PER_BATCH = 50_000


def find_edges(blocks: DataFrame, plan: Plan) -> DataFrame:
    """Find all pairs of fingerprints within the maximal distance.

    Parameters
    ----------
    blocks : DataFrame
        Columns ``partition``, ``route``, ``fingerprints``, as ``explode_blocks``
        leaves them.
    plan : Plan
        Routes and the maximal distance.

    Returns
    -------
    DataFrame
        Columns ``fingerprint_l``, ``fingerprint_r`` (each with its ``_high_``
        word for 128 bits), ``distance`` (int, from 1 to the maximum),
        ``effort`` and ``planted``. Each pair once, the left fingerprint smaller as an unsigned
        number, the rest null; and one row per task with nothing but ``effort`` (array
        of long: see :data:`EFFORT`). ``planted`` is null: this search misses nothing.
    """
    return blocks.mapInArrow(_finder(plan), schemas.found(plan.bits))


def select_edges(found: DataFrame) -> DataFrame:
    """Take the pairs alone, without the columns ``effort`` and ``planted``."""
    return found.where(F.col(c.DISTANCE).isNotNull()).drop(c.EFFORT, c.PLANTED)


def sum_efforts(found: DataFrame) -> DataFrame:
    """Add up what the tasks did.

    Parameters
    ----------
    found : DataFrame
        From :func:`find_edges`, or from ``find_near_edges``.

    Returns
    -------
    DataFrame
        One row, a column for each name of :data:`EFFORT`: sums, of ``task_bytes``
        the largest.
    """
    tasks = found.where(F.col(c.EFFORT).isNotNull())
    sums = [
        (F.max if name == "task_bytes" else F.sum)(F.col(c.EFFORT)[at]).alias(name)
        for at, name in enumerate(EFFORT)
    ]
    return tasks.agg(*sums)


def _finder(plan: Plan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = schemas.found(plan.bits).names
    back = None if plan.order is None else tuple(np.argsort(plan.order).tolist())

    def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        started = time.process_time()
        once_per_worker("freed_memory", keep_freed_memory)
        effort = Effort()
        search = PairSearch(plan.max_distance, plan.extra_bands, plan.bucket_pairs, effort)
        told = dict.fromkeys(EFFORT, 0)
        for route, fingerprints in read_routes(batches, plan.bits // 64):
            told["n_rows"] += len(fingerprints)
            told["task_bytes"] = max(told["task_bytes"], fingerprints.nbytes)
            for pairs in _batched(search.find(fingerprints, plan.routes[route].path)):
                left = moved(fingerprints[pairs.left], back)
                right = moved(fingerprints[pairs.right], back)
                told["n_pairs"] += len(left)
                edges = write_edges(left, right, pairs.distances)
                yield pa.RecordBatch.from_arrays(edges, names=names)
        told |= asdict(effort)
        told["cpu_ms"] = round(1000 * (time.process_time() - started))
        told_all = write_told(told, None, n_words=plan.bits // 64)
        yield pa.RecordBatch.from_arrays(told_all, names=names)

    return find


def _batched(found: Iterator[Pairs]) -> Iterator[Pairs]:
    """Put small pieces together: an Arrow batch costs as much as thousands of rows."""
    pending: list[Pairs] = []
    n_pairs = 0
    for pairs in found:
        pending.append(pairs)
        n_pairs += len(pairs.left)
        if n_pairs >= PAIRS_PER_BATCH:
            yield Pairs(*map(np.concatenate, zip(*pending, strict=True)))
            pending, n_pairs = [], 0
    if n_pairs:
        yield Pairs(*map(np.concatenate, zip(*pending, strict=True)))
