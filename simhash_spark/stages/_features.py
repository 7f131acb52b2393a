"""A column of features: the types it may have, and its Arrow arrays as buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, NumericType, StringType, StructType

from simhash_spark.errors import InputError, SchemaError
from simhash_spark.stages._arrow import text_buffers
from simhash_spark.stages._columns import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

    from simhash_spark.core.typing import Booleans, Bytes, Floats, Integers

FEATURE, WEIGHT = "feature", "weight"
MAP_FIELDS = ("key", "value")
EXPECTED = (
    "array<string>, array<struct<feature:string,weight:double>> (a weight of any numeric type, "
    "the fields found by name) or map<string,double>"
)


@dataclass(frozen=True)
class GivenFeatures:
    """Features of documents, one document after the other.

    Parameters
    ----------
    spans : tuple of ndarray
        UTF-8 of the features, and where each starts in it, and the end.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    weights : ndarray of shape (n_features,), dtype float64, or None
        Their weights, if they have some.
    """

    spans: tuple[Bytes, Integers]
    n_features: Integers
    weights: Floats | None


def feature_lists(kind: DataType, name: str) -> Column:
    """Give a column of features as lists, or refuse its type.

    Parameters
    ----------
    kind : DataType
        Type of the column.
    name : str
        Its name.

    Returns
    -------
    Column
        The column; a map as the list of its entries.

    Raises
    ------
    SchemaError
        If it is of no type that :func:`weight_fields` knows.
    """
    is_map = isinstance(kind, MapType)
    entries = F.map_entries(quoted(name)) if is_map else quoted(name)
    try:
        weight_fields(_entries_of(kind))
    except SchemaError:
        hint = " CSV and text files hold no arrays." if isinstance(kind, StringType) else ""
        message = (
            f"The features column '{name}' is of type {kind.simpleString()}; expected {EXPECTED}."
            f"{hint}"
        )
        raise SchemaError(message) from None
    return entries


def weight_fields(kind: DataType) -> tuple[str, str] | None:
    """Name the fields of feature and weight in the elements of lists; None for lists of strings.

    Parameters
    ----------
    kind : DataType
        ``array<string>``, or an array of structs with a feature (string) and a
        weight (a number): fields of these names in any case, or the key and the
        value of map entries.

    Returns
    -------
    tuple of str, or None
        Names of the two fields.

    Raises
    ------
    SchemaError
        If it is anything else.
    """
    element = kind.elementType if isinstance(kind, ArrayType) else None
    if isinstance(element, StringType):
        return None
    if isinstance(element, StructType):
        names = element.fieldNames()
        wanted = MAP_FIELDS if tuple(names) == MAP_FIELDS else (FEATURE, WEIGHT)
        found = [one for name in wanted for one in _alike(name, names)]
        types = [element[one].dataType for one in found]
        if (
            len(types) == 2
            and all(names.count(one) == 1 for one in found)
            and isinstance(types[0], StringType)
            and isinstance(types[1], NumericType)
        ):
            return found[0], found[1]
    message = f"Features must be of type {EXPECTED}, got {kind.simpleString()}."
    raise SchemaError(message)


def read_features(lists: pa.Array, fields: tuple[str, str] | None, ids: pa.Array) -> GivenFeatures:
    """Read a column of features; null counts as an empty list.

    Parameters
    ----------
    lists : pyarrow.Array of a list type
        Lists of strings, or of structs; may be a slice of a longer array.
    fields : tuple of str, or None
        Fields of feature and weight in the structs.
    ids : pyarrow.Array
        Ids of the documents, for messages.

    Returns
    -------
    GivenFeatures
        Buffers without a copy, as far as Arrow's layout is theirs.

    Raises
    ------
    InputError
        If a feature or a weight is null, or a weight negative, NaN or infinite.
    """
    n_features = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    n_features = n_features.astype(np.int64)
    elements = lists.flatten()  # what lies under a null list is left out
    texts = elements if fields is None else pc.struct_field(elements, fields[0])
    if texts.null_count:
        which = _first(np.asarray(texts.is_null()), n_features, ids)
        message = f"{which[0]} has a null feature: leave it out of the features column."
        raise InputError(message)
    weights = None
    if fields is not None:
        column = pc.struct_field(elements, fields[1])
        weights = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        is_wrong = ~(np.isfinite(weights) & (weights >= 0))  # a null has become NaN
        if is_wrong.any():
            doc, place = _first(is_wrong, n_features, ids)
            weight = "null" if column[place].as_py() is None else column[place].as_py()
            message = (
                f"{doc} has the weight {weight} for the feature {texts[place].as_py()!r}: weights "
                "must be finite and not negative."
            )
            raise InputError(message)
    return GivenFeatures(text_buffers(_valid(texts)), n_features, weights)


def _entries_of(kind: DataType) -> DataType:
    if not isinstance(kind, MapType):
        return kind
    key, value = MAP_FIELDS
    return ArrayType(StructType().add(key, kind.keyType).add(value, kind.valueType))


def _alike(name: str, names: Sequence[str]) -> list[str]:
    """Find a name exactly, else in another case."""
    return [name] if name in names else [one for one in names if one.lower() == name]


def _first(is_wrong: Booleans, n_features: Integers, ids: pa.Array) -> tuple[str, int]:
    """Name the document of the first wrong feature, and give the place of that."""
    place = int(is_wrong.argmax())
    doc = int(np.searchsorted(np.cumsum(n_features), place, side="right"))
    return f"Document {ids[doc].as_py()!r}", place


def _valid(texts: pa.Array) -> pa.Array:
    """Put U+FFFD in the place of invalid UTF-8, as in texts."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary() if pa.types.is_large_string(texts.type) else pa.binary())
        return pa.array([part.decode("utf-8", errors="replace") for part in raw.to_pylist()])
    return texts
