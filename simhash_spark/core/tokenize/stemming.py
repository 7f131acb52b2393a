"""Words to their stems, each distinct word of a chunk once.

A word is known by its hash: the distinct ones are stemmed, or looked up among
those that this worker has stemmed before, and the text is put together anew
from the stems, without a Python object per word of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simhash_spark.core.hash.murmur import hash_spans
from simhash_spark.core.packages import import_package
from simhash_spark.core.tokenize.ngrams import word_spans
from simhash_spark.core.utf8 import PIECE_BYTES, SPACE, bounds_of_one, pieces
from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Bytes, Integers, Words

LONGEST_BYTES = 256
"""Longer words are no words of a language: they stay as they are."""

MOST_STEMS = 1 << 17
"""Stems that a worker keeps; with more it begins anew."""


def stem_words(data: Bytes, offsets: Integers, language: str) -> tuple[Bytes, Integers]:
    """Put the stem of every word in its place.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of texts of words with one space between two.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.
    language : str
        A name out of ``STEMMERS``.

    Returns
    -------
    data, offsets : ndarray
        The same for the stems. A word without stem, or of more than 256 bytes,
        stays as it is.

    Raises
    ------
    ConfigError
        If snowballstemmer, or the language in it, is missing.

    Notes
    -----
    Stemmers by Snowball, https://snowballstem.org, in its package
    snowballstemmer; always those in Python, as PyStemmer may be of another
    version.

    Examples
    --------
    >>> data = np.frombuffer(b"running horsescats", dtype=np.uint8)
    >>> stems, offsets = stem_words(data, np.array([0, 14, 18]), "english")
    >>> stems.tobytes(), offsets.tolist()
    (b'run horscat', [0, 8, 11])
    """
    if len(offsets) > 2 or len(data) <= 2 * PIECE_BYTES:
        return _stem_chunk(data, offsets, language)
    space = data[:0]
    stems = []
    for part in pieces(data, b" "):
        words = part[len(space) :]
        stems += [space, _stem_chunk(words, bounds_of_one(words), language)[0]]
        space = np.array([SPACE], dtype=np.uint8)
    joined = np.concatenate(stems)
    return joined, bounds_of_one(joined)


def _stem_chunk(data: Bytes, offsets: Integers, language: str) -> tuple[Bytes, Integers]:
    starts, ends, docs = word_spans(data, offsets)
    if not len(starts):
        return data, offsets
    hashes = hash_spans(data, starts, ends - starts, n_words=1)[:, 0]
    which, inverse = _distinct(hashes)
    memory = once_per_worker(f"stems {language}", lambda: {language: _NOTHING})
    stems = memory[language]
    new = which[~stems.has(hashes[which])]
    if len(new):
        raw = data.tobytes()
        bounds = zip(starts[new].tolist(), ends[new].tolist(), strict=True)
        added = _stem_each([raw[start:end] for start, end in bounds], language)
        stems = stems.add(hashes[new], added)
        memory[language] = stems if len(stems.hashes) <= MOST_STEMS else _NOTHING
    is_last = np.append(docs[1:] != docs[:-1], True)
    firsts, lengths = stems.look_up(hashes[which])
    taken = lengths[inverse] + ~is_last
    stops = np.cumsum(taken)
    source = np.arange(stops[-1], dtype=np.int64) + np.repeat(
        firsts[inverse] - (stops - taken), taken
    )
    return stems.data[source], np.append(0, stops)[np.searchsorted(docs, np.arange(len(offsets)))]


@dataclass(frozen=True)
class _Stems:
    """Hashes of words, in order; where the stem of each starts in ``data``, and how long it is."""

    hashes: Words
    starts: Integers
    lengths: Integers
    data: Bytes

    def has(self, hashes: Words) -> Booleans:
        if not len(self.hashes):
            return np.zeros(len(hashes), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return self.hashes[at] == hashes

    def add(self, hashes: Words, stems: list[bytes]) -> _Stems:
        """Add words, in the order of their hashes; a space follows each stem."""
        at = np.searchsorted(self.hashes, hashes)
        lengths = np.array([len(stem) for stem in stems], dtype=np.int64)
        starts = len(self.data) + np.cumsum(lengths + 1) - (lengths + 1)
        return _Stems(
            np.insert(self.hashes, at, hashes),
            np.insert(self.starts, at, starts),
            np.insert(self.lengths, at, lengths),
            np.append(self.data, np.frombuffer(b" ".join([*stems, b""]), dtype=np.uint8)),
        )

    def look_up(self, hashes: Words) -> tuple[Integers, Integers]:
        at = np.searchsorted(self.hashes, hashes)
        return self.starts[at], self.lengths[at]


_NONE = np.zeros(0, dtype=np.int64)
_NOTHING = _Stems(_NONE.view(np.uint64), _NONE, _NONE, _NONE.view(np.uint8))


def _distinct(hashes: Words) -> tuple[Integers, Integers]:
    """Give the place of one of each distinct hash, and for every hash the number of that one."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    is_new = np.append(True, ordered[1:] != ordered[:-1])
    inverse = np.empty(len(hashes), dtype=np.int64)
    inverse[order] = np.cumsum(is_new) - 1
    return order[is_new], inverse


def _stem_each(words: list[bytes], language: str) -> list[bytes]:
    stemmer = once_per_worker(f"stemmer {language}", lambda: _build(language))
    return [_stem(word, stemmer) for word in words]


def _stem(word: bytes, stemmer: Any) -> bytes:  # noqa: ANN401 - snowballstemmer has no types
    if len(word) > LONGEST_BYTES:
        return word
    stem: str = stemmer.stemWord(word.decode("utf-8"))
    return stem.encode("utf-8") or word


def _build(language: str) -> Any:  # noqa: ANN401 - snowballstemmer has no types
    module = import_package(f"snowballstemmer.{language}_stemmer")
    return getattr(module, f"{language.title().replace('_', '')}Stemmer")()
