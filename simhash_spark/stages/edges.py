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
from simhash_spark.core.pairs import Pairs, is_less
from simhash_spark.core.planning import moved
from simhash_spark.core.search import Effort, PairSearch
from simhash_spark.core.worker import keep_freed_memory, once_per_worker
from simhash_spark.stages._words import read_binary, write_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.plans import Plan
    from simhash_spark.core.typing import Words

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
        word for 128 bits), ``distance`` (int, from 1 to the maximum) and
        ``effort``. Each pair once, the left fingerprint smaller as an unsigned
        number, its ``effort`` null; and one row per task with nothing but
        ``effort`` (array of long: see :data:`EFFORT`).
    """
    return blocks.mapInArrow(_finder(plan), schemas.found(plan.bits))


def select_edges(found: DataFrame) -> DataFrame:
    """Take the pairs alone, without the column ``effort``."""
    return found.where(F.col(c.DISTANCE).isNotNull()).drop(c.EFFORT)


def sum_efforts(found: DataFrame) -> DataFrame:
    """Add up what the tasks did.

    Parameters
    ----------
    found : DataFrame
        From :func:`find_edges`.

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


EFFORT = (
    "n_rows",
    "n_sorted",
    "n_compared",
    "n_pairs",
    "n_unlisted",
    "n_not_compared",
    "cpu_ms",
    "task_bytes",
)
"""What a task tells: fingerprints it got, rows it sorted, pairs it compared, listed, left out, did
not compare, milliseconds of its core, and bytes of fingerprints it held at once at most."""


def _finder(plan: Plan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = schemas.found(plan.bits).names
    back = None if plan.order is None else tuple(np.argsort(plan.order).tolist())

    def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        started = time.process_time()
        once_per_worker("freed_memory", keep_freed_memory)
        effort = Effort()
        search = PairSearch(plan.max_distance, plan.extra_bands, plan.bucket_pairs, effort)
        told = dict.fromkeys(EFFORT, 0)
        for route, fingerprints in _routes(batches, plan.bits // 64):
            told["n_rows"] += len(fingerprints)
            told["task_bytes"] = max(told["task_bytes"], fingerprints.nbytes)
            for pairs in _batched(search.find(fingerprints, plan.routes[route].path)):
                left = moved(fingerprints[pairs.left], back)
                right = moved(fingerprints[pairs.right], back)
                told["n_pairs"] += len(left)
                yield pa.RecordBatch.from_arrays(_edges(left, right, pairs), names=names)
        told |= asdict(effort)
        told["cpu_ms"] = round(1000 * (time.process_time() - started))
        yield pa.RecordBatch.from_arrays(_effort(told, plan.bits // 64), names=names)

    return find


def _routes(batches: Iterator[pa.RecordBatch], n_words: int) -> Iterator[tuple[int, Words]]:
    """Put the blocks of each route together."""
    pending: list[Words] = []
    current = -1
    for batch in batches:
        routes = batch.column(c.ROUTE).to_numpy()
        ends = np.append(np.flatnonzero(routes[1:] != routes[:-1]) + 1, len(routes))
        begin = 0
        for end in ends.tolist() if len(routes) else ():
            if pending and routes[begin] != current:
                yield current, _whole(pending, n_words)
                pending = []
            current = int(routes[begin])
            pending.append(read_binary(batch.column(c.FINGERPRINTS)[begin:end], n_words))
            begin = end
    if pending:
        yield current, _whole(pending, n_words)


def _whole(pending: list[Words], n_words: int) -> Words:
    """Copy blocks into one array, each word in one piece of memory."""
    whole = np.empty((sum(map(len, pending)), n_words), dtype=np.uint64, order="F")
    np.concatenate(pending, out=whole)
    return whole


def _edges(left: Words, right: Words, pairs: Pairs) -> list[pa.Array]:
    swap = is_less(right, left)[:, None]
    smaller, larger = np.where(swap, right, left), np.where(swap, left, right)
    distances = pa.array(pairs.distances.astype(np.int32))
    return [
        *write_words(smaller),
        *write_words(larger),
        distances,
        pa.nulls(len(left), pa.list_(pa.int64())),
    ]


def _effort(told: dict[str, int], n_words: int) -> list[pa.Array]:
    return [
        *[pa.nulls(1, pa.int64())] * (2 * n_words),
        pa.nulls(1, pa.int32()),
        pa.array([[told[name] for name in EFFORT]], pa.list_(pa.int64())),
    ]


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
