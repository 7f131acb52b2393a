"""Clean texts to what n-grams are made of: characters, or words between single spaces.

A word is a run of letters, marks and digits, or its stem, or what jieba cuts. Words come
back as text, one space between two, so that an n-gram of words is a span of
the buffer.
"""

from __future__ import annotations

import unicodedata
from itertools import filterfalse, pairwise
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.clean.chunks import squeeze, squeeze_pieces
from simhash_spark.core.tokenize.dictionary import cutter
from simhash_spark.core.tokenize.stemming import stem_words
from simhash_spark.core.utf8 import (
    PIECE_BYTES,
    SPACE,
    bounds_of_one,
    character_starts,
    code_points,
    encode,
    is_ascii,
    pieces,
)
from simhash_spark.core.worker import once_per_worker
from simhash_spark.profiles.steps import Characters, Jieba

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simhash_spark.core.typing import Booleans, Bytes, Integers
    from simhash_spark.profiles.steps import Tokenizer

CHARACTER_STARTS = bytes(range(0x80)) + bytes(range(0xC0, 0x100))
MOST_KNOWN = 1 << 16
"""Tokens of jieba that a worker remembers to have a letter or digit, or none; then it forgets."""

WORD_BYTES = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+#&._%-"
CUTS = bytes(set(range(0x80)) - set(WORD_BYTES)) + bytes((*range(0xC2, 0xE4), *range(0xEA, 0xF5)))
"""Bytes that start a character at which jieba ends a block, so that it sees no further: all but
Han, of which none starts below 0xE4, ASCII letters, digits and some signs."""


def prepare_texts(data: Bytes, offsets: Integers, tokenize: Tokenizer) -> tuple[Bytes, Integers]:
    """Reduce clean texts to the characters or words that their n-grams are made of.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.
    tokenize : Characters, Words or Jieba
        What a word is.

    Returns
    -------
    data, offsets : ndarray
        For ``Characters``: the same. Else: words with one space between two; a text without
        any word stays as it is, what lies between its spaces counting as words.

    Raises
    ------
    ConfigError
        If jieba or the stemmer is asked for and not installed.

    Notes
    -----
    An apostrophe ends a word, so that ``don't`` and ``don’t`` agree.

    Examples
    --------
    >>> from simhash_spark.profiles.steps import Words
    >>> data = np.frombuffer("don't (stop) ...".encode(), dtype=np.uint8)
    >>> words = prepare_texts(data, np.array([0, 13, 16]), Words())
    >>> words[0].tobytes(), words[1].tolist()
    (b'don t stop...', [0, 10, 13])
    """
    if isinstance(tokenize, Characters):
        return data, offsets
    if isinstance(tokenize, Jieba):
        words, bounds = _split_jieba(data, offsets, tokenize)
    else:
        words, bounds = _split_runs(data, offsets)
        if tokenize.stem:
            words, bounds = stem_words(words, bounds, tokenize.stem)
    is_wordless = (np.diff(bounds) == 0) & (np.diff(offsets) > 0)
    if not is_wordless.any():
        return words, bounds
    kept = [
        _split_spaces(data[offsets[doc] : offsets[doc + 1]])
        if is_wordless[doc]
        else words[bounds[doc] : bounds[doc + 1]]
        for doc in range(len(offsets) - 1)
    ]
    return np.concatenate(kept), _bounds([len(text) for text in kept])


def _split_runs(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    if len(offsets) > 2 or len(data) <= 2 * PIECE_BYTES:
        return squeeze(*_blank(data, offsets))
    parts = pieces(data, CHARACTER_STARTS)
    return squeeze_pieces(_blank(part, bounds_of_one(part))[0] for part in parts)


def _blank(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """Put a space in place of each character that belongs to no word."""
    if is_ascii(data):
        return np.where(_is_word()[data], data, np.uint8(SPACE)), offsets
    codes = code_points(data)
    starts = np.searchsorted(character_starts(data), offsets)
    words = encode(np.where(_is_word()[codes], codes, np.uint32(SPACE)))
    return words, character_starts(words)[starts]


def _split_jieba(data: Bytes, offsets: Integers, jieba: Jieba) -> tuple[Bytes, Integers]:
    cut, cuts = cutter(jieba), CUTS if jieba.engine == "jieba" else b" "
    keep = _visible if jieba.punctuation else _with_word
    texts = []
    for start, end in pairwise(offsets.tolist()):
        text = data[start:end]
        parts = pieces(text, cuts) if end - start > PIECE_BYTES else (text,)
        kept = [" ".join(keep(cut(part.tobytes().decode("utf-8")))) for part in parts]
        texts.append(" ".join(filter(None, kept)).encode("utf-8"))
    return np.frombuffer(b"".join(texts), dtype=np.uint8), _bounds([len(text) for text in texts])


def _visible(tokens: Iterable[str]) -> Iterable[str]:
    return filterfalse(str.isspace, tokens)


def _with_word(tokens: Iterable[str]) -> Iterable[str]:
    known = once_per_worker("has_word", _Known)
    if len(known) > MOST_KNOWN:
        known.clear()
    return filter(known.__getitem__, tokens)


class _Known(dict[str, bool]):
    """Remembers of each token whether it has a letter or digit."""

    def __missing__(self, token: str) -> bool:
        self[token] = has_word(token)
        return self[token]


def has_word(token: str) -> bool:
    """Tell whether a token has a letter or digit.

    >>> has_word("c++"), has_word("...")
    (True, False)
    """
    return token.isalnum() or any(map(str.isalnum, token))


def _split_spaces(data: Bytes) -> Bytes:
    words = " ".join(data.tobytes().decode("utf-8").split())
    return np.frombuffer(words.encode("utf-8"), dtype=np.uint8)


def _bounds(lengths: list[int]) -> Integers:
    return np.cumsum(np.array([0, *lengths], dtype=np.int64))


def _is_word() -> Booleans:
    return once_per_worker(
        "is_word",
        lambda: np.array(
            [unicodedata.category(chr(code))[0] in "LMN" for code in range(0x110000)],
            dtype=np.bool_,
        ),
    )
