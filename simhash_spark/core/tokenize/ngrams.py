"""Clean texts to features: n-grams of characters or of words, as spans of the buffer.

A feature is never copied: it is a start and a length in the UTF-8 buffer, and
two features are the same where their bytes are. The n-grams of a piece of a
long text are those of the text, so long texts are read piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.scripts import is_unspaced
from simhash_spark.core.utf8 import SPACE, character_starts, code_points, is_ascii
from simhash_spark.profiles.steps import Characters

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Integers
    from simhash_spark.profiles.steps import Tokenizer


@dataclass(frozen=True)
class Spans:
    """Features as spans of a buffer.

    Parameters
    ----------
    starts : ndarray of shape (n_features,), dtype int64
        First byte of each feature.
    lengths : ndarray of shape (n_features,), dtype int64
        Bytes of each feature, at least 1.
    docs : ndarray of shape (n_features,), dtype int64
        Document of each feature, counted from 0.
    """

    starts: Integers
    lengths: Integers
    docs: Integers


def find_features(data: Bytes, offsets: Integers, tokenize: Tokenizer) -> Spans:
    """Find the features of every document, repeated ones included.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the prepared texts: see ``segmentation.prepare_texts``.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.
    tokenize : Characters, Words or Jieba
        Kind and size of the n-grams.

    Returns
    -------
    Spans
        In no particular order. A document too short for any n-gram has its
        whole text as one feature; an empty one has none.

    Examples
    --------
    >>> from simhash_spark.profiles.steps import Characters
    >>> data = np.frombuffer("abcde世界ok".encode(), dtype=np.uint8)
    >>> spans = find_features(data, np.array([0, 13], dtype=np.int64), Characters((5,), 3))
    >>> [data[s : s + n].tobytes().decode() for s, n in zip(spans.starts, spans.lengths)]
    ['abcde', 'bcde世', 'cde世界', 'de世界o', 'e世界ok', '世界o', '界ok']
    """
    spans = ngrams(data, offsets, tokenize)
    is_whole = offsets[1:] > offsets[:-1]
    is_whole[spans.docs[:1]] = False
    is_whole[spans.docs[1:][spans.docs[1:] != spans.docs[:-1]]] = False
    whole = np.flatnonzero(is_whole)
    if not len(whole):
        return spans
    return Spans(
        np.append(spans.starts, offsets[whole]),
        np.append(spans.lengths, offsets[whole + 1] - offsets[whole]),
        np.append(spans.docs, whole),
    )


def ngrams(data: Bytes, offsets: Integers, tokenize: Tokenizer) -> Spans:
    """Find the n-grams of every document; parameters as for :func:`find_features`.

    >>> from simhash_spark.profiles.steps import Words
    >>> data = np.frombuffer(b"to be or", dtype=np.uint8)
    >>> spans = ngrams(data, np.array([0, 8], dtype=np.int64), Words((2,)))
    >>> spans.starts.tolist(), spans.lengths.tolist()
    ([0, 3], [5, 5])
    """
    if isinstance(tokenize, Characters):
        return _character_ngrams(data, offsets, tokenize)
    return _word_ngrams(data, offsets, tokenize.sizes)


def _character_ngrams(data: Bytes, offsets: Integers, tokenize: Characters) -> Spans:
    edges = None if is_ascii(data) else character_starts(data)
    bounds = offsets if edges is None else np.searchsorted(edges, offsets)
    if edges is None or tokenize.sizes == (tokenize.unspaced_size,):
        return _join([_cut_all(edges, bounds, size) for size in tokenize.sizes])
    is_dense = is_unspaced(code_points(data))
    if not is_dense.any():
        return _join([_cut_all(edges, bounds, size) for size in tokenize.sizes])
    doc_of = np.repeat(np.arange(len(bounds) - 1, dtype=np.int64), np.diff(bounds))
    room = bounds[1:][doc_of] - np.arange(len(doc_of), dtype=np.int64)
    sizes = [np.where(is_dense, tokenize.unspaced_size, size) for size in tokenize.sizes]
    for repeated in sizes[1:]:
        repeated[is_dense] = len(data) + 1
    return _join([_cut(edges, doc_of, room, size) for size in sizes])


def _cut_all(edges: Integers | None, bounds: Integers, size: int) -> Spans:
    """N-grams of one size; without edges, every character is a byte."""
    n_grams = np.maximum(np.diff(bounds) - (size - 1), 0)
    doc_of = np.repeat(np.arange(len(n_grams), dtype=np.int64), n_grams)
    skipped = bounds[:-1] - np.append(0, np.cumsum(n_grams)[:-1])
    at = np.arange(len(doc_of), dtype=np.int64) + np.repeat(skipped, n_grams)
    if edges is None:
        return Spans(at, np.full(len(at), size, dtype=np.int64), doc_of)
    starts = edges.take(at)
    lengths = edges[size:].take(at)
    lengths -= starts
    return Spans(starts, lengths, doc_of)


def _cut(edges: Integers, doc_of: Integers, room: Integers, sizes: Integers) -> Spans:
    at = np.flatnonzero(room >= sizes)
    starts = edges[at]
    return Spans(starts, edges[at + sizes[at]] - starts, doc_of[at])


def word_spans(data: Bytes, offsets: Integers) -> tuple[Integers, Integers, Integers]:
    """Find the words of every document: starts, ends and documents, each of shape (n_words,).

    >>> data = np.frombuffer(b"to beor", dtype=np.uint8)
    >>> [part.tolist() for part in word_spans(data, np.array([0, 5, 7], dtype=np.int64))]
    [[0, 3, 5], [2, 5, 7], [0, 0, 1]]
    """
    is_gap = np.ones(len(data) + 2, dtype=np.bool_)
    np.equal(data, SPACE, out=is_gap[1:-1])
    is_edge = is_gap[1:] != is_gap[:-1]
    is_start, is_end = is_edge & is_gap[:-1], is_edge & is_gap[1:]
    filled = offsets[:-1] < offsets[1:]
    is_start[offsets[:-1][filled]] = True
    is_end[offsets[1:][filled]] = True
    starts, ends = np.flatnonzero(is_start), np.flatnonzero(is_end)
    return starts, ends, np.searchsorted(offsets, starts, side="right") - 1


def _word_ngrams(data: Bytes, offsets: Integers, sizes: tuple[int, ...]) -> Spans:
    starts, ends, doc_of = word_spans(data, offsets)
    return _join([_group(starts, ends, doc_of, size) for size in sizes])


def _group(starts: Integers, ends: Integers, doc_of: Integers, size: int) -> Spans:
    n_grams = max(len(starts) - size + 1, 0)
    is_inside = doc_of[:n_grams] == doc_of[size - 1 :][:n_grams]
    at = np.flatnonzero(is_inside)
    return Spans(starts[at], ends[at + size - 1] - starts[at], doc_of[at])


def _join(parts: list[Spans]) -> Spans:
    if len(parts) == 1:
        return parts[0]
    return Spans(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.docs for part in parts]),
    )
