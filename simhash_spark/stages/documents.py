"""Any input to documents: an id of any plain type and a text or features, under our own names.

Where the input has no id, a row is identified by its content. Rows that are
equal in every column cannot be told apart, so it does not matter which of them
is called the first: ``<hash>``, ``<hash>-2``, ``<hash>-3`` ... .
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from simhash_spark import columns as c
from simhash_spark.config import DedupConfig
from simhash_spark.errors import MissingColumnError, SchemaError
from simhash_spark.keep import KeepKey, parse_keep
from simhash_spark.stages._columns import find_column, id_of, original_id, quoted
from simhash_spark.stages._features import feature_lists

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

_OURS = {"id": c.ID, "length": c.N_CHARACTERS}
"""What these names in ``keep`` mean, whatever columns the input has."""


def identify_documents(documents: DataFrame, config: DedupConfig) -> DataFrame:
    """Give every row an id and a text, and its features where a column has them.

    Parameters
    ----------
    documents : DataFrame
        Any columns, among them the text column and the id column of ``config``.
    config : DedupConfig
        Names the columns; without an id column the id is a hash of the row. With
        a features column there may be no text column, if none was named.

    Returns
    -------
    DataFrame
        Columns ``id`` (the type of the id column, else string), ``text``
        (string, nullable) and, if asked for, ``features`` (lists of strings, or of
        structs with a weight); one row per input row.

    Raises
    ------
    MissingColumnError
        If a column does not exist.
    SchemaError
        If the text is not a string, the features are no features, or the id is
        of a type without exact equality.
    """
    features = []
    if config.features_column is not None:
        name = find_column(documents, config.features_column, option="--features-column")
        features = [feature_lists(documents.schema[name].dataType, name).alias(c.FEATURES)]
    text = find_text(documents, config)
    texts = F.lit(None) if text is None else quoted(text)
    return documents.select(
        id_of(documents, config).alias(c.ID), texts.cast("string").alias(c.TEXT), *features
    )


def find_text(documents: DataFrame, config: DedupConfig) -> str | None:
    """Find the text column; None where features stand for a text that nobody named.

    Raises
    ------
    MissingColumnError
        If it does not exist, and is needed: to be compared, because it was
        named, or because ``keep`` asks for the ``length``.
    SchemaError
        If it is not a string.
    """
    name = config.text_column
    if config.features_column is not None and name == DedupConfig.text_column:
        taken = config.features_column.lower()
        if name.lower() not in {one.lower() for one in documents.columns} - {taken}:
            _check_length(config)
            return None
    text = find_column(documents, name, option="--text-column")
    _check_text(documents.schema[text].dataType, text)
    return text


def number_copies(fingerprints: DataFrame) -> DataFrame:
    """Tell rows of equal content apart.

    Parameters
    ----------
    fingerprints : DataFrame
        Column ``id``, a content hash, and others that are equal where it is.

    Returns
    -------
    DataFrame
        The same columns and rows; the second row of a hash has ``-2`` appended
        to its id, and so on.
    """
    number = F.row_number().over(Window.partitionBy(c.ID).orderBy(c.ID))
    copy_id = F.when(number == 1, F.col(c.ID)).otherwise(F.concat_ws("-", c.ID, number))
    others = [F.col(name) for name in fingerprints.columns if name != c.ID]
    return fingerprints.select(copy_id.alias(c.ID), *others)


def find_keep_columns(documents: DataFrame, config: DedupConfig) -> dict[str, str]:
    """Find the columns of the input that decide which member survives.

    Parameters
    ----------
    documents : DataFrame
        The input.
    config : DedupConfig
        Its ``keep`` names the columns: ``id`` and ``length`` stand for the
        document's id and the characters of its text, any other name for a
        column of the input.

    Returns
    -------
    dict of str to str
        For each name in ``keep`` that is a column of the input, its own name there.

    Raises
    ------
    MissingColumnError
        If the input lacks a column.
    SchemaError
        If values of a column have no order.
    """
    keys = [key for key in parse_keep(config.keep) if key.column.lower() not in _OURS]
    found = {key.column: find_column(documents, key.column, option="--keep") for key in keys}
    for name in found.values():
        kind = documents.schema[name].dataType.simpleString()
        if any(unordered in kind for unordered in ("map<", "variant", "void", "interval")):
            message = (
                f"The column '{name}' in --keep is of type {kind}, which has no order. "
                "Name columns of numbers, strings or times."
            )
            raise SchemaError(message)
    return found


def read_keep_columns(
    documents: DataFrame, members: DataFrame, config: DedupConfig
) -> tuple[DataFrame, list[KeepKey]]:
    """Bring the columns that decide which member survives to the members.

    Parameters
    ----------
    documents : DataFrame
        The input.
    members : DataFrame
        Columns ``id`` and ``n_characters`` among others.
    config : DedupConfig
        Its ``keep`` names the columns, see :func:`find_keep_columns`.

    Returns
    -------
    members : DataFrame
        As given, with a column for each column of the input that is needed.
    keys : list of KeepKey
        What to order the members by, in columns of ``members``.

    Raises
    ------
    MissingColumnError
        If the input lacks a column.
    SchemaError
        If values of a column have no order.
    """
    found = find_keep_columns(documents, config)
    aliases = {name: f"keep_{number}" for number, name in enumerate(sorted(set(found.values())))}
    named = [
        KeepKey(_OURS.get(key.column.lower()) or aliases[found[key.column]], key.is_descending)
        for key in parse_keep(config.keep)
    ]
    if not aliases:
        return members, named
    values = [quoted(name).alias(alias) for name, alias in aliases.items()]
    row_id = id_of(documents, config).alias("row_id")
    rows, member_id = documents.select(row_id, *values), F.col(c.ID)
    if config.id_column is None:
        rows, member_id = rows.dropDuplicates(["row_id"]), original_id()
    return members.join(rows, on=member_id == F.col("row_id"), how="inner"), named


def check_ids(documents: DataFrame) -> None:
    """Fail unless every document has an id of its own; runs one Spark job.

    Parameters
    ----------
    documents : DataFrame
        Column ``id``.

    Raises
    ------
    SchemaError
        If an id is null or occurs more than once.
    """
    counts = documents.groupBy(c.ID).agg(F.count(F.lit(1)).alias("n_rows"))
    is_null = F.col(c.ID).isNull()
    suspects = counts.where(is_null | (F.col("n_rows") > 1)).agg(
        F.sum(F.when(is_null, F.col("n_rows"))).alias("n_null"),
        F.count(F.col(c.ID)).alias("n_repeated"),
        F.min(c.ID).cast("string").alias("example"),
    )
    n_null, n_repeated, example = suspects.first()  # type: ignore[misc]  # an aggregate has a row
    advice = "Give each document its own id, or identify rows by content (--by-content)."
    if n_null:
        message = f"The id column is null in {n_null} row(s). {advice}"
        raise SchemaError(message)
    if n_repeated:
        message = f"{n_repeated} id(s) occur more than once, for example '{example}'. {advice}"
        raise SchemaError(message)


def _check_length(config: DedupConfig) -> None:
    """Refuse to rank by the length of no text, unless that is only the default."""
    names = [key.column.lower() for key in parse_keep(config.keep)]
    if "length" in names and config.keep != DedupConfig.keep:
        message = (
            f"keep = '{config.keep}' asks for the length of the text, and the input has no column "
            f"'{config.text_column}': name one with --text-column, or rank by other columns."
        )
        raise MissingColumnError(message)


def _check_text(text_type: DataType, name: str) -> None:
    if not isinstance(text_type, StringType):
        message = (
            f"The text column '{name}' is of type {text_type.simpleString()}, not string. "
            "Cast it, or name another column with --text-column."
        )
        raise SchemaError(message)
