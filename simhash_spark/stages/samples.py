"""Nodes to a sample: how many fingerprints there are, and some of them, in one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.sampling import Sampling
from simhash_spark.stages._words import read_binary, read_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.core.typing import Words

    BatchFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SAMPLE = 1 << 14
"""Fingerprints in a sample: 128 KB or 256 KB, of each task."""


def sample_nodes(nodes: DataFrame, bits: int, size: int = SAMPLE) -> DataFrame:
    """Count the nodes and sample them.

    Parameters
    ----------
    nodes : DataFrame
        Column ``fingerprint`` (and ``fingerprint_high`` for 128 bits), distinct,
        not null.
    bits : {64, 128}
        Length of a fingerprint.
    size : int
        Fingerprints in the sample, if there are as many.

    Returns
    -------
    DataFrame
        One row: ``n_nodes`` (long) and ``fingerprints`` (binary, 8 or 16 bytes
        each). It depends on the set of fingerprints alone.
    """
    words = c.fingerprint_words(bits)
    parts = nodes.select(*words).mapInArrow(_sampler(words, size), schemas.SAMPLE)
    return parts.repartition(1).mapInArrow(_merger(bits // 64, size), schemas.SAMPLE)


def read_sample(sample: DataFrame, bits: int) -> tuple[int, Words]:
    """Run the sampling: give the number of nodes, and (n_sampled, n_words) uint64."""
    row = sample.first()
    n_nodes, packed = (0, b"") if row is None else row
    words = np.frombuffer(packed, dtype="<u8").astype(np.uint64)
    return n_nodes, words.reshape(-1, bits // 64)


def _sampler(words: list[str], size: int) -> BatchFunction:
    def sample(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        n_nodes = 0
        sampling = Sampling(len(words), size)
        for batch in batches:
            n_nodes += batch.num_rows
            sampling.add(read_words(batch, words))
        yield _row(n_nodes, sampling.chosen())

    return sample


def _merger(n_words: int, size: int) -> BatchFunction:
    def merge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        n_nodes = 0
        sampling = Sampling(n_words, size)
        for batch in batches:
            n_nodes += sum(batch.column(0).to_pylist())
            sampling.add(read_binary(batch.column(1), n_words))
        yield _row(n_nodes, sampling.chosen())

    return merge


def _row(n_nodes: int, fingerprints: Words) -> pa.RecordBatch:
    packed = np.ascontiguousarray(fingerprints).astype("<u8", copy=False).tobytes()
    columns = [pa.array([n_nodes], pa.int64()), pa.array([packed], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=[c.N_NODES, c.FINGERPRINTS])
