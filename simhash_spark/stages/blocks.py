"""Nodes to blocks: every fingerprint goes along the routes of a plan, thousands in one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.join.blocks import pack_blocks, partition_keys
from simhash_spark.stages._words import read_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.join.blocks import Blocks
    from simhash_spark.core.plan.plans import Plan
    from simhash_spark.core.plan.window_plans import WindowPlan
    from simhash_spark.core.typing import Places

ROWS_AT_ONCE = 1 << 21
"""Fingerprints packed together: 16 or 32 MB, and about five times as much on the way."""


def explode_blocks(nodes: DataFrame, plan: Plan | WindowPlan) -> DataFrame:
    """Send every fingerprint to where each of its keys is looked up.

    Parameters
    ----------
    nodes : DataFrame
        Column ``fingerprint`` (and ``fingerprint_high`` for 128 bits), not null.
    plan : Plan or WindowPlan
        Routes and partitions.

    Returns
    -------
    DataFrame
        Columns ``partition`` (int: a number that Spark's hash sends to the
        partition), ``route`` (int) and ``fingerprints`` (binary), in
        ``plan.n_partitions`` partitions, ordered by route inside each.
    """
    words = c.fingerprint_words(plan.bits)
    blocks = nodes.select(*words).mapInArrow(_packer(plan), schemas.BLOCKS)
    return blocks.repartition(plan.n_partitions, c.PARTITION).sortWithinPartitions(c.ROUTE)


def _packer(
    plan: Plan | WindowPlan,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    words = c.fingerprint_words(plan.bits)

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = partition_keys(plan.n_partitions)
        pending, n_rows = [], 0
        for batch in batches:
            pending.append(read_words(batch, words))
            n_rows += batch.num_rows
            if n_rows >= ROWS_AT_ONCE:
                yield from _rows(pack_blocks(np.concatenate(pending), plan), numbers)
                pending, n_rows = [], 0
        if n_rows:
            yield from _rows(pack_blocks(np.concatenate(pending), plan), numbers)

    return pack


def _rows(packed: Iterator[Blocks], numbers: Places) -> Iterator[pa.RecordBatch]:
    """Write blocks as rows, without an object per block."""
    for blocks in packed:
        n_blocks, n_words = len(blocks.partitions), blocks.fingerprints.shape[1]
        offsets = pa.py_buffer((blocks.bounds * (8 * n_words)).astype(np.int32))
        data = pa.py_buffer(blocks.fingerprints.astype("<u8", copy=False))
        columns = [
            pa.array(numbers[blocks.partitions]),
            pa.array(np.full(n_blocks, blocks.route, dtype=np.int32)),
            pa.Array.from_buffers(pa.binary(), n_blocks, [None, offsets, data]),
        ]
        yield pa.RecordBatch.from_arrays(columns, names=schemas.BLOCKS.names)
