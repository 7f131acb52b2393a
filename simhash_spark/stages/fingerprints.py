"""Documents to fingerprints: one row in, one row out, in one pass over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql.types import StringType

from simhash_spark import columns as c
from simhash_spark import schemas
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.lengths import count_characters
from simhash_spark.core.tokenize.dictionary import check_dictionary, dictionary_digest
from simhash_spark.core.words import as_signed
from simhash_spark.errors import MissingColumnError, SchemaError
from simhash_spark.stages._arrow import text_buffers

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
        If the profile needs jieba and it is not installed; on a worker, also
        if its jieba is not the driver's.
    """
    _check_columns(documents)
    schema = schemas.fingerprints(documents.schema[c.ID], settings.bits)
    digest = dictionary_digest() if settings.profile.needs_jieba else None
    narrowed = documents.select(c.ID, c.TEXT)
    return narrowed.mapInArrow(_batches_fingerprinter(settings, digest), schema).select(
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
    return _fingerprint_columns(texts, settings)[0]


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
    settings: FingerprintSettings, digest: str | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def fingerprint_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if digest is not None:
            check_dictionary(digest)
        for batch in batches:
            ids, texts = batch.columns
            columns = [ids, *_fingerprint_columns(texts, settings), _count_characters(texts)]
            names = [c.ID, *c.fingerprint_words(settings.bits), c.N_FEATURES, c.N_CHARACTERS]
            yield pa.RecordBatch.from_arrays(columns, names=names)

    return fingerprint_batches


def _fingerprint_columns(texts: pa.Array, settings: FingerprintSettings) -> list[pa.Array]:
    """Columns of the words of the fingerprints, then of the number of features."""
    batch = fingerprint_texts(*text_buffers(texts), settings)
    longs, is_null = as_signed(batch.words), ~batch.has_fingerprint
    words = [
        pa.array(longs[:, word], type=pa.int64(), mask=is_null) for word in range(longs.shape[1])
    ]
    return [*words, pa.array(batch.n_features, type=pa.int64())]


def _count_characters(texts: pa.Array) -> pa.Array:
    counts = count_characters(*text_buffers(texts))
    return pa.array(counts, type=pa.int64(), mask=np.asarray(texts.is_null()))
