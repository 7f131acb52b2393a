"""Statistics to a row that can be stored and looked into, and back to arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType

from simhash_spark import columns as c
from simhash_spark import schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.profiles import Statistics

    BatchFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_ARRAYS = (c.FEATURES, c.DOCUMENTS)
_PACKED = StructType(
    [
        StructField(field.name, BinaryType()) if field.name in _ARRAYS else field
        for field in schemas.STATISTICS.fields
    ]
)


def statistics_row(spark: SparkSession, statistics: Statistics) -> DataFrame:
    """Put statistics into a frame.

    Parameters
    ----------
    spark : SparkSession
        Makes the frame.
    statistics : Statistics
        What was learned.

    Returns
    -------
    DataFrame
        One row, of ``schemas.STATISTICS``: ``features`` and ``documents`` are
        arrays of longs, for ``explode(arrays_zip(features, documents))``.
    """
    return spark.range(0, 1, 1, 1).mapInArrow(_row_writer(statistics), schemas.STATISTICS)


def pack_statistics(stored: DataFrame) -> DataFrame:
    """Turn the arrays of longs into binary values, which reach the driver without an object each.

    Parameters
    ----------
    stored : DataFrame
        Rows of ``schemas.STATISTICS``, every value of which may be null.

    Returns
    -------
    DataFrame
        The rows without a null, with ``features`` and ``documents`` as binary:
        uint64 and int64, little-endian.
    """
    return stored.dropna("any").mapInArrow(_pack_rows, _PACKED)


def _row_writer(statistics: Statistics) -> BatchFunction:
    def write_row(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                arrays = [
                    pa.array([statistics.profile], pa.string()),
                    pa.array([statistics.bits], pa.int32()),
                    pa.array([statistics.definition], pa.string()),
                    pa.array([statistics.n_documents], pa.int64()),
                    _one_list(statistics.features),
                    _one_list(statistics.documents),
                    pa.array([statistics.n_sampled], pa.int64()),
                    pa.array([list(statistics.thresholds)], pa.list_(pa.int32())),
                    pa.array([statistics.digest], pa.string()),
                ]
                yield pa.RecordBatch.from_arrays(arrays, names=schemas.STATISTICS.names)

    return write_row


def _one_list(packed: bytes) -> pa.Array:
    longs = np.frombuffer(packed, dtype="<i8").astype(np.int64)
    return pa.ListArray.from_arrays(pa.array([0, len(longs)], pa.int32()), pa.array(longs))


def _pack_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        arrays = [
            _packed(array) if field.name in _ARRAYS else array
            for field, array in zip(batch.schema, batch.columns, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _packed(lists: pa.Array) -> pa.Array:
    parts = [np.asarray(one.values, dtype="<i8").tobytes() for one in lists]
    return pa.array(parts, pa.binary())
