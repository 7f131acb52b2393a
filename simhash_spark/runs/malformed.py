"""Which file holds the record that stopped a run.

Spark often does not say: inferring the types of JSON, and on 3.5 reading CSV,
report a malformed record without its file. Only when that has happened is the
input read again, leniently, up to the first such record.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark.errors import InputError
from simhash_spark.runs.failures import MALFORMED, explain, trace_of
from simhash_spark.runs.sources import CORRUPT_RECORD, list_files, load, reader_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from simhash_spark.runs.sources import Source


@contextmanager
def input_failures_located(spark: SparkSession, source: Source) -> Iterator[None]:
    """Name the file, in place of an error of Spark that is due to a file of the input.

    Parameters
    ----------
    spark : SparkSession
        Reads the input again.
    source : Source
        The input, with its format.

    Raises
    ------
    InputError
        In place of the error of Spark.
    """
    try:
        yield
    except Exception as error:
        message = _located(spark, source, trace_of(error))
        if message is None:
            raise
        raise InputError(message) from error


def _located(spark: SparkSession, source: Source, trace: str) -> str | None:
    if MALFORMED.search(trace):
        return _malformed_message(spark, source)
    message = explain(RuntimeError(trace)).message
    if "A compressed file of the input" not in message:
        return None
    files = list_files(spark, source)
    name = files[0] if len(files) == 1 else f"one of the {len(files)} files of the input"
    return message.replace("A compressed file of the input", f"The input {name}")


def _malformed_message(spark: SparkSession, source: Source) -> str:
    found = _first_malformed(spark, source)
    where = f"{found[0]} holds a malformed record: {found[1]!r}." if found else ""
    hint = ""
    if source.format == "json" and not source.option("multiLine"):
        hint = " A JSON document over several lines needs --option multiLine=true."
    return (
        f"{where or 'A record of the input is malformed.'} Correct it, or keep such records as "
        f"documents without text with --option mode=PERMISSIVE.{hint}"
    )


def _first_malformed(spark: SparkSession, source: Source) -> tuple[str, str] | None:
    options = {key: value for key, value in source.options.items() if key.lower() != "mode"}
    records = _lenient(spark, replace(source, options=options | {"mode": "PERMISSIVE"}))
    record = F.col(CORRUPT_RECORD)
    # Spark refuses to read the corrupt records alone, so another column goes with them.
    wanted = [F.col("_metadata.file_path"), record.substr(1, 80), F.struct(F.col("*"))]
    rows = records.where(record.isNotNull()).select(*wanted).limit(1).collect()
    return (rows[0][0], rows[0][1]) if rows else None


def _lenient(spark: SparkSession, source: Source) -> DataFrame:
    if source.format != "json":
        return load(spark, source)
    schema = f"simhash_spark_any string, {CORRUPT_RECORD} string"
    return reader_of(spark, source).schema(schema).load(list(source.paths))
