"""What a task that looks for pairs reads and writes: blocks of fingerprints in, edges out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark.core.join.pairs import is_less
from simhash_spark.stages._words import read_binary, write_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simhash_spark.core.typing import Bytes, Integers, Words

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


def read_routes(batches: Iterator[pa.RecordBatch], n_words: int) -> Iterator[tuple[int, Words]]:
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


def write_edges(left: Words, right: Words, distances: Bytes | Integers) -> list[pa.Array]:
    """Write pairs, the smaller fingerprint to the left."""
    swap = is_less(right, left)[:, None]
    smaller, larger = np.where(swap, right, left), np.where(swap, left, right)
    return [
        *write_words(smaller),
        *write_words(larger),
        pa.array(distances.astype(np.int32)),
        *[pa.nulls(len(left), pa.list_(pa.int64()))] * 2,
    ]


def write_told(
    effort: Mapping[str, int], planted: Sequence[int] | None, *, n_words: int, task: int = 0
) -> list[pa.Array]:
    """Write what a task tells, in one row; the number of the task makes rows differ."""
    numbers = [effort[name] for name in EFFORT]
    return [
        *[pa.nulls(1, pa.int64())] * (2 * n_words),
        pa.nulls(1, pa.int32()),
        pa.array([[*numbers, task]], pa.list_(pa.int64())),
        pa.array([planted], pa.list_(pa.int64())),
    ]
