"""What Spark's readers drop without a word, found before it is lost.

Three cases in which a reader delivers fewer documents than the files hold, even
in FAILFAST mode: whatever follows the first JSON value on a line, all lines
after a quote in a CSV file that is not closed, and files of no bytes. The first
two cost one more pass over the text of the files, without parsing it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, DataFrameReader

PATH = "path"
_CANDIDATE = r"\}\s*\S"
"""A line in which something follows a closing brace; all others hold one value at most."""


def refuse_losses(
    text_reader: DataFrameReader, paths: Sequence[str], *, form: str, is_whole: bool
) -> None:
    """Look for what the parsers of JSON and CSV drop.

    Parameters
    ----------
    text_reader : DataFrameReader
        Reads text from the files.
    paths : sequence of str
        Files, folders or globs.
    form : str
        Their format; others than ``json``, ``csv`` and ``tsv`` are not looked at.
    is_whole : bool
        Whether a JSON file is one value over several lines.

    Raises
    ------
    InputError
        Naming the file: a JSON record goes on after its first value, or a CSV
        file holds an odd number of quotes.
    """
    if form == "json":
        _refuse_trailing_json(text_reader.option("wholetext", is_whole), paths)
    if form in ("csv", "tsv"):
        _refuse_open_quotes(text_reader, paths)


def with_empty_files(documents: DataFrame, files: Sequence[str]) -> DataFrame:
    """Add the files of no bytes, which Spark does not read, as empty documents.

    Parameters
    ----------
    documents : DataFrame
        Columns ``path`` and ``text``, one row per file.
    files : sequence of str
        All files, as URLs.

    Returns
    -------
    DataFrame
        The same columns; one row for each of ``files``.
    """
    spark = documents.sparkSession
    listed = spark.createDataFrame([(name,) for name in files], f"{PATH} string")
    # A listing says file:///x where a row says file:/x.
    same_slashes = F.regexp_replace(_readable(PATH), "^file:/+", "file:/")
    listed = listed.select(same_slashes.alias(PATH))
    missing = listed.join(documents.select(PATH), on=PATH, how="left_anti")
    return documents.unionByName(missing.select(PATH, F.lit("").alias(c.TEXT)))


def file_path() -> Any:  # noqa: ANN401 - Column has two classes in PySpark 3.5
    """Path of the file a row comes from, as people write it and not as a URL."""
    return _readable("_metadata.file_path")


def _refuse_trailing_json(text_reader: DataFrameReader, paths: Sequence[str]) -> None:
    records = text_reader.format("text").load(list(paths))
    suspects = records.where(F.col("value").rlike(_CANDIDATE)).select(
        file_path().alias("path"), F.col("value").cast("binary").alias("value")
    )
    found = suspects.mapInArrow(_with_trailing_text, "path string, record string").limit(1)
    for row in found.collect():
        message = (
            f"{row.path} holds more than one JSON value on a line: {row.record!r}. Spark would "
            "read the first only; give each its own line."
        )
        raise InputError(message)


def _refuse_open_quotes(text_reader: DataFrameReader, paths: Sequence[str]) -> None:
    lines = text_reader.format("text").load(list(paths))
    n_quotes = F.expr("length(value) - length(replace(value, '\"', ''))")
    per_file = lines.select(file_path().alias("path"), n_quotes.alias("n"))
    sums = per_file.groupBy("path").agg(F.sum("n").alias("n")).where(F.col("n") % 2 == 1)
    for row in sums.orderBy("path").limit(1).collect():
        message = (
            f"{row.path} has an odd number of quotes ({row.n}): a field that is not closed would "
            "swallow the lines after it. Correct it, or, if a quote is meant as a character, say "
            "so with --option 'escape=\"'."
        )
        raise InputError(message)


def _readable(name: str) -> Any:  # noqa: ANN401 - as above
    return F.expr(f"url_decode(replace({name}, '+', '%2B'))")


def _with_trailing_text(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    decoder = json.JSONDecoder(strict=False)
    for batch in batches:
        rows = zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)
        found = [(path, text) for path, raw in rows if (text := _trailing(decoder, raw))]
        columns = [pa.array([row[i] for row in found], pa.string()) for i in (0, 1)]
        yield pa.RecordBatch.from_arrays(columns, names=["path", "record"])


def _trailing(decoder: json.JSONDecoder, raw: bytes) -> str:
    """Give the start of a record that goes on after its first value, or nothing."""
    text = raw.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    try:
        _, end = decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return ""  # for Spark to judge, which accepts more than Python, and less
    return text[:80] if text[end:].strip() else ""
