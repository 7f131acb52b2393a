"""SQL functions: ``simhash(text)`` and ``hamming_distance(a, b)``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType

from simhash_spark.config import DedupConfig
from simhash_spark.core.packages import check_requirements, requirements
from simhash_spark.errors import ConfigError
from simhash_spark.stages._functions import check_function
from simhash_spark.stages.fingerprints import simhash_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from simhash_spark.profiles import FingerprintSettings

_DISTANCE_SQL = (
    "CREATE OR REPLACE TEMPORARY FUNCTION hamming_distance(a BIGINT, b BIGINT) "
    "RETURNS INT RETURN bit_count(a ^ b)"
)


def register_functions(spark: SparkSession, config: DedupConfig | None = None) -> None:
    """Make ``simhash(text)`` and ``hamming_distance(a, b)`` callable from SQL.

    Parameters
    ----------
    spark : SparkSession
        The session whose SQL gets the functions.
    config : DedupConfig, optional
        Its profile defines ``simhash``; the fingerprints have 64 bits.

    Raises
    ------
    ConfigError
        If a package that the profile needs is not installed; if it learns from
        a corpus and has not, at 64 bits; if there is a features column.

    Notes
    -----
    ``simhash(text)`` gives a long, null where the text has too few features.
    ``hamming_distance(a, b)`` gives an int from 0 to 64, null where a or b is.
    Before Spark 4.1, which has no Arrow functions, ``simhash`` runs a row at a
    time: use :func:`simhash_spark.fingerprints` for whole tables there. Java
    decodes its texts, so invalid UTF-8 with encoded surrogates counts otherwise.
    """
    given = (config or DedupConfig()).settings
    if given.features_column is not None:
        message = (
            f"simhash(text) reads texts, not the features column '{given.features_column}': leave "
            "it out, or take fingerprints(documents, config)."
        )
        raise ConfigError(message)
    settings = replace(given, bits=64)
    settings.check_learned()
    check_function(settings)
    spark.udf.register("simhash", _simhash_function(settings))
    if spark.version < "4":
        spark.udf.register("hamming_distance", _distance_of_row, IntegerType())
    else:
        spark.sql(_DISTANCE_SQL)


def _simhash_function(settings: FingerprintSettings) -> Any:  # noqa: ANN401 - PySpark exports no UDF type
    packages = requirements(settings.profile)

    def of_batch(texts: pa.Array) -> pa.Array:
        check_requirements(packages)
        return simhash_of(texts, settings)

    def of_row(text: str | None) -> int | None:
        return of_batch(pa.array([text], pa.string()))[0].as_py()  # type: ignore[no-any-return]

    if hasattr(F, "arrow_udf"):
        return F.arrow_udf(of_batch, LongType())
    return F.udf(of_row, LongType())


def _distance_of_row(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    return ((left ^ right) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
