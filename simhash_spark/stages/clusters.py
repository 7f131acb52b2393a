"""Edges to components: every fingerprint that has an edge learns its component.

Each task reduces its edges to a spanning forest as they stream in; one last
task puts the forests together. What reaches it is at most one edge per
fingerprint and task, not all edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.clusters import number_nodes, spanning_forest
from simhash_spark.stages._words import read_words, write_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.typing import Integers, Words

EDGES_AT_ONCE = 1_000_000


def connect_components(edges: DataFrame, bits: int) -> DataFrame:
    """Find the connected component of every fingerprint that has an edge.

    Parameters
    ----------
    edges : DataFrame
        Columns ``fingerprint_l``, ``fingerprint_r`` (each with its ``_high_``
        word for 128 bits).
    bits : {64, 128}
        Length of a fingerprint.

    Returns
    -------
    DataFrame
        Columns ``fingerprint`` and ``component`` (each with its ``_high``
        word), one row per fingerprint that has an edge; the component is its
        smallest fingerprint, read as an unsigned number.

    Notes
    -----
    The last task holds 16 bytes (32 for 128 bits) per edge of the forests, and
    about five times that while it works.
    """
    ends = edges.select(*c.fingerprint_words(bits, "_l"), *c.fingerprint_words(bits, "_r"))
    forests = ends.mapInArrow(_reducer(bits), ends.schema)
    return forests.repartition(1).mapInArrow(_connector(bits), schemas.components(bits))


def _reducer(bits: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = c.fingerprint_words(bits, "_l") + c.fingerprint_words(bits, "_r")

    def reduce(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for ends in _forests(batches, bits):
            columns = [*write_words(ends[:, 0]), *write_words(ends[:, 1])]
            yield pa.RecordBatch.from_arrays(columns, names=names)

    return reduce


def _connector(bits: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = schemas.components(bits).names

    def connect(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        nodes, numbers = _numbered(np.concatenate(list(_forests(batches, bits))))
        components = spanning_forest(*numbers, n_nodes=len(nodes)).components
        columns = [*write_words(nodes), *write_words(nodes[components])]
        yield pa.RecordBatch.from_arrays(columns, names=names)

    return connect


def _forests(batches: Iterator[pa.RecordBatch], bits: int) -> Iterator[Words]:
    """Reduce edges as they come: arrays of shape (n_edges, 2, n_words)."""
    left, right = c.fingerprint_words(bits, "_l"), c.fingerprint_words(bits, "_r")
    pending, n_edges = [_no_ends(bits)], 0
    for batch in batches:
        pending.append(np.stack([read_words(batch, left), read_words(batch, right)], axis=1))
        n_edges += batch.num_rows
        if n_edges >= EDGES_AT_ONCE:
            forest = _reduced(np.concatenate(pending))
            if len(forest) > EDGES_AT_ONCE // 2:
                yield forest
                forest = _no_ends(bits)
            pending, n_edges = [forest], len(forest)
    yield _reduced(np.concatenate(pending))


def _reduced(ends: Words) -> Words:
    nodes, (left, right) = _numbered(ends)
    return ends[spanning_forest(left, right, n_nodes=len(nodes)).edges]


def _numbered(ends: Words) -> tuple[Words, Integers]:
    """Give the distinct fingerprints, and the ends as numbers of shape (2, n_edges)."""
    nodes, numbers = number_nodes(ends.reshape(-1, ends.shape[2]))
    return nodes, numbers.reshape(-1, 2).T


def _no_ends(bits: int) -> Words:
    return np.empty((0, 2, bits // 64), dtype=np.uint64)
