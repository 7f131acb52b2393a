"""Whatever a user names as input, as one DataFrame, with nothing lost on the way.

Spark's readers are lenient by default: malformed records become nulls, CSV
files with other headers are read by position, sub-folders and unreadable files
are skipped. Here each of these stops the run and says what to do; a lenient
reading is available on request, through ``--option``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructType

from simhash_spark import columns as c
from simhash_spark.errors import ConfigError, InputError
from simhash_spark.runs.filesystem import file_system_of
from simhash_spark.runs.formats import FILE_FORMATS, format_of
from simhash_spark.runs.losses import PATH, file_path, refuse_losses, with_empty_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

CORRUPT_RECORD = "_corrupt_record"

_STRICT = {"mode": "FAILFAST"}
_CSV = _STRICT | {
    "header": "true",
    "multiLine": "true",
    "quote": '"',
    "escape": '"',
    "encoding": "UTF-8",
    "enforceSchema": "false",  # files whose headers differ are an error, not read by position
}
_DEFAULTS: dict[str, dict[str, str]] = {
    "json": _STRICT,
    "csv": _CSV,
    "tsv": _CSV | {"sep": "\t"},
    "text": {"lineSep": "\n"},  # by default Spark also splits at a bare \r
    # By default Spark takes the columns of one file, and the others lose theirs.
    "parquet": {"mergeSchema": "true"},
    "orc": {"mergeSchema": "true"},
}
_MODES = ("", "FAILFAST", "PERMISSIVE")
_OWN_RULES = ("encoding", "charset", "lineSep", "quote", "escape")
_LISTING = {"recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter"}


@dataclass(frozen=True)
class Source:
    """Where documents come from.

    Parameters
    ----------
    paths : tuple of str
        Files, folders or globs; or the name of a table, for the format ``table``.
    format : str
        A name that Spark's reader knows, ``tsv`` or ``table``; empty: by the file suffix.
    options : mapping of str to str
        Options of Spark's reader; they win over ours.
    whole_files : bool
        Whether each file is one document.
    """

    paths: tuple[str, ...]
    format: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    whole_files: bool = False

    def __post_init__(self) -> None:
        if self.whole_files and self.format not in ("", "text"):
            message = f"--whole-files reads text, got --format {self.format}: leave one out."
            raise ConfigError(message)
        if self.option("mode").upper() == "DROPMALFORMED":
            message = "mode=DROPMALFORMED would lose documents unseen: use mode=PERMISSIVE."
            raise ConfigError(message)
        if self.option("mode").upper() not in _MODES:  # Spark takes an unknown one as PERMISSIVE
            message = f"mode must be FAILFAST or PERMISSIVE, got {self.option('mode')!r}."
            raise ConfigError(message)

    def option(self, name: str) -> str:
        """Look an option up, in any case of its name; empty if it is not set.

        >>> Source(("x.json",), options={"MultiLine": "true"}).option("multiline")
        'true'
        """
        return {key.lower(): value for key, value in self.options.items()}.get(name.lower(), "")

    @property
    def locations(self) -> tuple[str, ...]:
        """The paths, as far as they are some: a table has a name."""
        return () if self.format == "table" else self.paths

    @property
    def is_permissive(self) -> bool:
        """Whether malformed records are kept instead of stopping the run."""
        return self.option("mode").upper() == "PERMISSIVE"


def resolve_format(spark: SparkSession, source: Source) -> Source:
    """Find the files of a source and, if need be, their format.

    Parameters
    ----------
    spark : SparkSession
        Knows the file systems.
    source : Source
        As the user named it.

    Returns
    -------
    Source
        With its format.

    Raises
    ------
    InputError
        If there is no file, or the suffixes are mixed or unknown.
    """
    if source.format and source.format not in FILE_FORMATS:
        return source
    files = list_files(spark, source)
    if not files:
        message = f"There is no file in {' '.join(source.paths)}: nothing to read."
        raise InputError(message)
    if source.format or source.whole_files:
        return replace(source, format=source.format or "text")
    _refuse_tables(spark, source.paths)
    return replace(source, format=format_of(files))


def list_files(spark: SparkSession, source: Source) -> list[str]:
    """List every file below the paths, at any depth; ``_hidden`` and ``.hidden`` ones apart."""
    reader = spark.read.format("binaryFile").options(**_listing(source))
    return reader.option("recursiveFileLookup", "true").load(list(source.paths)).inputFiles()


def read_documents(spark: SparkSession, source: Source) -> DataFrame:
    """Read a source; its columns and types are those of the survivors.

    Parameters
    ----------
    spark : SparkSession
        Reads.
    source : Source
        With its format, from :func:`resolve_format`.

    Returns
    -------
    DataFrame
        One row per record, as Spark reads it. Text: one column ``text``, one
        row per line. Whole files: columns ``path`` and ``text``.

    Raises
    ------
    InputError
        If there is no record, or Spark would skip files.
    """
    if source.format == "table":
        return spark.read.table(source.paths[0])
    documents = load(spark, source)
    if not documents.columns:
        message = f"{' '.join(source.paths)} holds no rows: nothing to compare."
        raise InputError(message)
    if source.format in FILE_FORMATS:
        _refuse_skipped_files(documents, spark, source)
        _refuse_losses(spark, source)
    if source.whole_files:
        read = documents.select(file_path().alias(PATH), F.col("value").alias(c.TEXT))
        return with_empty_files(read, list_files(spark, source))
    return documents.withColumnRenamed("value", c.TEXT) if source.format == "text" else documents


def reader_of(spark: SparkSession, source: Source) -> DataFrameReader:
    """Build the reader of a source: our strict options, then those of the user."""
    options: dict[str, str] = dict(_DEFAULTS.get(source.format, {}))
    if source.format in FILE_FORMATS:
        options |= {"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
    if source.whole_files:
        options |= {"wholetext": "true", "recursiveFileLookup": "true"}
    given = {key.lower() for key in source.options}
    options = {key: value for key, value in options.items() if key.lower() not in given}
    name = "csv" if source.format == "tsv" else source.format
    return spark.read.format(name).options(**options, **source.options)


def load(spark: SparkSession, source: Source) -> DataFrame:
    """Read a source as Spark names its columns; a lenient CSV gets ``_corrupt_record``."""
    paths: Any = source.paths[0] if len(source.paths) == 1 else list(source.paths)
    documents = reader_of(spark, source).load(paths)
    if not source.is_permissive or source.format not in ("csv", "tsv"):
        return documents
    schema = StructType([*documents.schema.fields]).add(CORRUPT_RECORD, StringType())
    return reader_of(spark, source).schema(schema).load(paths)


def _refuse_losses(spark: SparkSession, source: Source) -> None:
    """Look for what the parsers drop, unless the user has set rules of his own for them."""
    if any(map(source.option, _OWN_RULES)):
        return
    reader = spark.read.options(**_listing(source))
    is_whole = source.option("multiLine").lower() == "true"
    refuse_losses(reader, source.paths, form=source.format, is_whole=is_whole)


def _listing(source: Source) -> dict[str, str]:
    return {key: value for key, value in source.options.items() if key.lower() in _LISTING}


def _refuse_tables(spark: SparkSession, paths: Sequence[str]) -> None:
    """Refuse to read the files of a table, among them deleted ones, as a plain folder."""
    files = file_system_of(spark)
    for path in paths:
        for marker, name in (("_delta_log", "delta"), (".hoodie", "hudi")):
            if not re.search(r"[*?\[{]", path) and files.exists(f"{path.rstrip('/')}/{marker}"):
                message = f"{path} is a {name} table: read it with --format {name}."
                raise InputError(message)


def _refuse_skipped_files(documents: DataFrame, spark: SparkSession, source: Source) -> None:
    skipped = sorted(set(list_files(spark, source)) - set(documents.inputFiles()))
    if skipped:
        message = (
            f"Spark would skip {len(skipped)} file(s) in sub-folders, such as {skipped[0]}. Name "
            "the sub-folders, or read all of them with --option recursiveFileLookup=true."
        )
        raise InputError(message)
