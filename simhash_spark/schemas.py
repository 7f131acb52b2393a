"""What a row is after each stage, in flow order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from simhash_spark import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterable


FREQUENCIES = StructType(
    [StructField(c.FEATURE, LongType()), StructField(c.N_DOCUMENTS, LongType())]
)
"""A feature and how many documents have it; where it is null, how many have any."""

PACKED_FREQUENCIES = StructType(
    [
        StructField(c.N_DOCUMENTS, LongType()),
        StructField(c.FEATURES, BinaryType()),
        StructField(c.DOCUMENTS, BinaryType()),
    ]
)
"""All features and how many documents have each, in one row."""

SHARES = StructType([StructField(c.SHARES, BinaryType())])
"""The shares of the weight that each bit has in some texts: int32, text by text."""

THRESHOLDS = StructType(
    [StructField(c.N_SAMPLED, LongType()), StructField(c.THRESHOLDS, ArrayType(IntegerType()))]
)
"""The medians of all shares, in one row."""

STATISTICS = StructType(
    [
        StructField("profile", StringType()),
        StructField("bits", IntegerType()),
        StructField("definition", StringType()),
        StructField(c.N_DOCUMENTS, LongType()),
        StructField(c.FEATURES, ArrayType(LongType())),
        StructField(c.DOCUMENTS, ArrayType(LongType())),
        StructField(c.N_SAMPLED, LongType()),
        StructField(c.THRESHOLDS, ArrayType(IntegerType())),
        StructField("digest", StringType()),
    ]
)
"""All that a profile has learned, in one row, as it is stored."""


BLOCKS = StructType(
    [
        StructField(c.PARTITION, IntegerType()),
        StructField(c.ROUTE, IntegerType()),
        StructField(c.FINGERPRINTS, BinaryType()),
    ]
)
"""Many fingerprints on their way to where they are compared."""


def fingerprints(id_field: StructField, bits: int) -> StructType:
    """Describe a document: its fingerprint is null where it has too few features."""
    return StructType(
        [
            id_field,
            *_longs(c.fingerprint_words(bits)),
            StructField(c.N_FEATURES, LongType()),
            StructField(c.N_CHARACTERS, LongType()),
        ]
    )


def edges(bits: int) -> StructType:
    """Describe two distinct fingerprints within the maximal distance."""
    return StructType(
        [
            *_longs(c.fingerprint_words(bits, "_l")),
            *_longs(c.fingerprint_words(bits, "_r")),
            StructField(c.DISTANCE, IntegerType()),
        ]
    )


def found(bits: int) -> StructType:
    """Describe an edge, or what a task did to find its edges."""
    return StructType([*edges(bits), StructField(c.EFFORT, ArrayType(LongType()))])


def components(bits: int) -> StructType:
    """Describe a fingerprint that has an edge, and the smallest one of its component."""
    return StructType([*_longs(c.fingerprint_words(bits)), *_longs(c.component_words(bits))])


def _longs(names: Iterable[str]) -> list[StructField]:
    return [StructField(name, LongType()) for name in names]
