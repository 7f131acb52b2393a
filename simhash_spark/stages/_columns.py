"""Columns of the input: finding them, and the id of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    DateType,
    DecimalType,
    IntegralType,
    StringType,
    TimestampType,
)

from simhash_spark import columns as c
from simhash_spark.errors import MissingColumnError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    from simhash_spark.config import DedupConfig

ID_TYPES = (StringType, IntegralType, DecimalType, DateType, TimestampType, BinaryType)
_EXACT_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "ignoreNullFields": "false",
}


def id_of(documents: DataFrame, config: DedupConfig) -> Column:
    """Build the expression that identifies a row; equal rows without id get equal values."""
    if config.id_column is None:
        _check_content(documents)
        return content_hash(documents.columns)
    name = find_column(documents, config.id_column, option="--id-column")
    _check_id(documents.schema[name].dataType, name)
    return quoted(name)


def content_hash(names: Sequence[str]) -> Column:
    """Hash all columns of a row: SHA-256 of its JSON, as 64 hexadecimal digits."""
    row = F.struct(*[quoted(name) for name in names])
    return F.sha2(F.to_json(row, _EXACT_TIMES), 256)


def original_id(copy_id: str = c.ID) -> Column:
    """Undo the numbering of :func:`number_copies`."""
    return F.substring_index(copy_id, "-", 1)


def find_column(documents: DataFrame, name: str, *, option: str) -> str:
    """Find a column by its exact name, else by its name in another case."""
    if name in documents.columns:
        return name
    alike = [column for column in documents.columns if column.lower() == name.lower()]
    if len(alike) != 1:
        raise MissingColumnError.of(name, documents.columns, option=option)
    return alike[0]


def quoted(name: str) -> Column:
    """Refer to a column whose name may hold dots, spaces or backticks."""
    return F.col("`" + name.replace("`", "``") + "`")


def _check_id(id_type: DataType, name: str) -> None:
    is_ntz = id_type.simpleString() == "timestamp_ntz"
    if not isinstance(id_type, ID_TYPES) and not is_ntz:
        message = (
            f"The id column '{name}' is of type {id_type.simpleString()}, which cannot identify a "
            "document. Use a string, whole-number, decimal, date, timestamp or binary column, "
            "or identify rows by content (--by-content)."
        )
        raise SchemaError(message)


def _check_content(documents: DataFrame) -> None:
    """Refuse a column whose JSON differs from one reading to the next: Java's name of an array."""
    for field in documents.schema.fields:
        if "map<binary" in field.dataType.simpleString():
            message = (
                f"Rows cannot be identified by content: the column '{field.name}' is a map with "
                "binary keys. Name an id column (--id-column), or cast the keys to string."
            )
            raise SchemaError(message)
