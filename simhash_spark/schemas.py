"""What a row is after each stage, in flow order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import (
    IntegerType,
    LongType,
    StructField,
    StructType,
)

from simhash_spark import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def bands(bits: int) -> StructType:
    """Describe one band of a distinct fingerprint."""
    return StructType(
        [
            StructField(c.BAND, IntegerType()),
            StructField(c.BAND_KEY, LongType()),
            *_longs(c.fingerprint_words(bits)),
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


def components(bits: int) -> StructType:
    """Describe a fingerprint that has an edge, and the smallest one of its component."""
    return StructType([*_longs(c.fingerprint_words(bits)), *_longs(c.component_words(bits))])


def _longs(names: Iterable[str]) -> list[StructField]:
    return [StructField(name, LongType()) for name in names]
