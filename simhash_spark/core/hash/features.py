"""Features to hashes: MurmurHash3, or what other programs use, to reproduce their fingerprints.

MurmurHash3 is computed on the spans as they lie. The others are computed once
per distinct feature of a chunk, found by MurmurHash3, and looked up from there.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.hash.murmur import hash_spans
from simhash_spark.core.hash.serial import fnv, lookup3, polynomial
from simhash_spark.profiles.steps import Blake2b, Fnv1a, Jenkins, Md5, Mmh3, Polynomial

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Hashes, Integers
    from simhash_spark.profiles.steps import Hash


def hash_features(
    data: Bytes, starts: Integers, lengths: Integers, rule: Hash, *, n_words: int
) -> Hashes:
    """Hash spans of a buffer.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8.
    starts : ndarray of shape (n_features,), dtype int64
        First byte of each span.
    lengths : ndarray of shape (n_features,), dtype int64
        Bytes of each span.
    rule : Mmh3, Md5, Blake2b, Fnv1, Fnv1a, Jenkins or Polynomial
        The hash.
    n_words : {1, 2}
        Words of 64 bits to return.

    Returns
    -------
    ndarray of shape (n_features, n_words), dtype uint64
        The hash as a number, word 0 holding its lowest 64 bits; of ``Mmh3``,
        word 0 is the first half.

    Examples
    --------
    >>> data = np.frombuffer(b"hello", dtype=np.uint8)
    >>> spans = np.array([0], dtype=np.int64), np.array([5], dtype=np.int64)
    >>> hex(hash_features(data, *spans, Md5(), n_words=1)[0, 0])
    '0x5d41402abc4b2a76'
    """
    if isinstance(rule, Mmh3) or not len(starts):
        return hash_spans(data, starts, lengths, n_words=n_words)
    first = hash_spans(data, starts, lengths, n_words=1)[:, 0]
    _, chosen, inverse = np.unique(first, return_index=True, return_inverse=True)
    starts, lengths = starts[chosen], lengths[chosen]
    if isinstance(rule, Md5 | Blake2b):
        return _digests(_parts(data, starts, lengths), rule, n_words)[inverse.ravel()]
    return _serial(data, starts, lengths, rule)[:, :n_words][inverse.ravel()]


def _digests(parts: list[bytes], rule: Md5 | Blake2b, n_words: int) -> Hashes:
    size = n_words * 8
    if isinstance(rule, Blake2b):
        digests = [hashlib.blake2b(part, digest_size=size).digest() for part in parts]
        return _numbers(digests, n_words, byte_order="big")
    taken = slice(0, size) if rule.take == "first" else slice(16 - size, 16)
    digests = [hashlib.md5(part, usedforsecurity=False).digest()[taken] for part in parts]
    return _numbers(digests, n_words, byte_order=rule.byte_order)


def _parts(data: Bytes, starts: Integers, lengths: Integers) -> list[bytes]:
    raw = data.tobytes()
    ends = (starts + lengths).tolist()
    return [raw[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]


def _numbers(digests: list[bytes], n_words: int, *, byte_order: str) -> Hashes:
    order = ">u8" if byte_order == "big" else "<u8"
    words = np.frombuffer(b"".join(digests), dtype=order).reshape(-1, n_words).astype(np.uint64)
    return words[:, ::-1] if byte_order == "big" else words


def _serial(data: Bytes, starts: Integers, lengths: Integers, rule: Hash) -> Hashes:
    if isinstance(rule, Polynomial):
        return polynomial(data, starts, lengths, pad=rule.pad)
    if isinstance(rule, Jenkins):
        return lookup3(data, starts, lengths)[:, np.newaxis]
    return fnv(data, starts, lengths, xor_first=isinstance(rule, Fnv1a))[:, np.newaxis]
