"""Documents to fingerprints: one row in, one row out, in one pass over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core import fingerprints as core
from simhash_spark.core.fingerprints import FingerprintBatch, fingerprint_texts
from simhash_spark.core.lengths import count_characters
from simhash_spark.core.packages import check_requirements, requirements
from simhash_spark.core.words import as_signed
from simhash_spark.errors import CallbackError, ConfigError, MissingColumnError, SchemaError
from simhash_spark.profiles.steps import Given
from simhash_spark.stages._arrow import text_buffers
from simhash_spark.stages._features import read_features, weight_fields
from simhash_spark.stages._functions import check_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from simhash_spark.profiles import FingerprintSettings


def compute_fingerprints(documents: DataFrame, settings: FingerprintSettings) -> DataFrame:
    """Fingerprint every document.

    Parameters
    ----------
    documents : DataFrame
        Columns ``id`` (any type) and ``text`` (string, may be null); others
        are not read.
    settings : FingerprintSettings
        What defines a fingerprint.

    Returns
    -------
    DataFrame
        One row per document, in no order: ``id`` as it was; ``fingerprint``
        and, at 128 bits, ``fingerprint_high`` (long, null where the document
        has fewer features than the profile asks for); ``n_features`` (long,
        distinct features, 0 where there is no text); ``n_characters`` (long,
        Spark's ``length`` of the text as it was, null where that is null).

    Raises
    ------
    MissingColumnError
        If ``documents`` lacks one of its two columns.
    SchemaError
        If ``text`` is not of type string.
    ConfigError
        If the profile learns from a corpus and has not; if a package that it
        needs is not installed; on a worker, also if it is not the driver's. If
        a function of the profile cannot travel to the workers.
    """
    settings.check_learned()
    _check_columns(documents)
    check_function(settings)
    schema = schemas.fingerprints(documents.schema[c.ID], settings.bits)
    packages = requirements(settings.profile)
    narrowed = documents.select(c.ID, c.TEXT)
    return narrowed.mapInArrow(_batches_fingerprinter(settings, packages), schema).select(
        c.ID, *c.fingerprint_words(settings.bits), c.N_FEATURES, c.N_CHARACTERS
    )


def fingerprint_features(documents: DataFrame, settings: FingerprintSettings) -> DataFrame:
    """Fingerprint every document by the features that are given with it.

    Parameters
    ----------
    documents : DataFrame
        Columns ``id`` (any type), ``text`` (string, may be null, only its length
        is read) and ``features`` (lists of strings, or of structs with a weight).
    settings : FingerprintSettings
        What defines a fingerprint; cleaning and tokenizer are not used.

    Returns
    -------
    DataFrame
        As from :func:`compute_fingerprints`; ``n_features`` is null where
        ``features`` is.

    Raises
    ------
    MissingColumnError
        If ``documents`` lacks one of its three columns.
    SchemaError
        If ``features`` is of another type.
    ConfigError
        If the features have no weights, and the profile weighs none.
    InputError
        On a worker: a feature or weight is null, or a weight negative, NaN or infinite.
    """
    _check_columns(documents)
    if c.FEATURES not in documents.columns:
        raise MissingColumnError.of(c.FEATURES, documents.columns, option="--features-column")
    fields = weight_fields(documents.schema[c.FEATURES].dataType)
    if fields is None and isinstance(settings.profile.weigh, Given):
        message = (
            f"Profile '{settings.profile.name}' has weigh = given, and the features have no "
            "weights: give them as array<struct<feature:string,weight:double>>, or take a profile "
            "such as auto."
        )
        raise ConfigError(message)
    schema = schemas.fingerprints(documents.schema[c.ID], settings.bits)
    length = F.length(c.TEXT).cast("long").alias(c.N_CHARACTERS)
    narrowed = documents.select(c.ID, c.FEATURES, length)
    return narrowed.mapInArrow(_features_fingerprinter(settings, fields), schema).select(
        c.ID, *c.fingerprint_words(settings.bits), c.N_FEATURES, c.N_CHARACTERS
    )


def simhash_of(texts: pa.Array, settings: FingerprintSettings) -> pa.Array:
    """Fingerprint a column of texts, as the body of an Arrow UDF.

    Parameters
    ----------
    texts : pyarrow.Array of a string type
        Texts, may be null.
    settings : FingerprintSettings
        What defines a fingerprint.

    Returns
    -------
    pyarrow.Array of int64
        Bits 0 to 63 of each fingerprint; null where the text has none.
    """
    return _word_columns(fingerprint_texts(*text_buffers(texts), settings))[0]


def _check_columns(documents: DataFrame) -> None:
    for name, option in ((c.ID, "--id-column"), (c.TEXT, "--text-column")):
        if name not in documents.columns:
            raise MissingColumnError.of(name, documents.columns, option=option)
    text_type = documents.schema[c.TEXT].dataType
    if not isinstance(text_type, StringType):
        message = (
            f"The text column must be of type string, got {text_type.simpleString()}. "
            "Cast it, or name another one with --text-column."
        )
        raise SchemaError(message)


def _batches_fingerprinter(
    settings: FingerprintSettings, packages: dict[str, str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def fingerprint_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_requirements(packages)
        for rows in batches:
            ids, texts = rows.columns
            try:
                batch = fingerprint_texts(*text_buffers(texts), settings)
            except CallbackError as error:
                raise error.identified(ids[error.place].as_py()) from error.__cause__
            n_features = pa.array(batch.n_features, type=pa.int64())
            yield _as_rows(ids, batch, n_features, _count_characters(texts))

    return fingerprint_batches


def _features_fingerprinter(
    settings: FingerprintSettings, fields: tuple[str, str] | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def fingerprint_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            ids, lists, n_characters = rows.columns
            given = read_features(lists, fields, ids)
            batch = core.fingerprint_features(
                given.spans, given.n_features, settings, given.weights
            )
            is_null = np.asarray(lists.is_null())
            n_features = pa.array(batch.n_features, type=pa.int64(), mask=is_null)
            yield _as_rows(ids, batch, n_features, n_characters)

    return fingerprint_batches


def _as_rows(
    ids: pa.Array, batch: FingerprintBatch, n_features: pa.Array, n_characters: pa.Array
) -> pa.RecordBatch:
    words = _word_columns(batch)
    names = [c.ID, *c.fingerprint_words(64 * len(words)), c.N_FEATURES, c.N_CHARACTERS]
    return pa.RecordBatch.from_arrays([ids, *words, n_features, n_characters], names=names)


def _word_columns(batch: FingerprintBatch) -> list[pa.Array]:
    """Columns of the words of the fingerprints, as signed longs."""
    longs, is_null = as_signed(batch.words), ~batch.has_fingerprint
    return [
        pa.array(longs[:, word], type=pa.int64(), mask=is_null) for word in range(longs.shape[1])
    ]


def _count_characters(texts: pa.Array) -> pa.Array:
    counts = count_characters(*text_buffers(texts))
    return pa.array(counts, type=pa.int64(), mask=np.asarray(texts.is_null()))
