"""Scripts written without spaces between words, where white space says nothing.

A space beside such a character is a matter of layout: between Han and Latin
letters some writers and editors put one, others none. It is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.utf8 import PIECE_BYTES, SPACE, drop_bytes
from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from simhash_spark.core.typing import Booleans, Bytes, CodePoints, Integers

UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan: a mark between syllables, none between words
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x1B00, 0x1B7F),  # Balinese
    (0xA980, 0xA9DF),  # Javanese
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # Kana repeat marks
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31BF),  # Bopomofo extended
    (0x31F0, 0x31FF),  # Katakana phonetic extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar extended B
    (0xAA60, 0xAADF),  # Myanmar extended A, Tai Viet
    (0xF900, 0xFAFF),  # Han compatibility
    (0x16FE0, 0x18DFF),  # ideographic symbols, Tangut, Khitan
    (0x1AFF0, 0x1B2FF),  # Kana supplement and extensions, Nushu
    (0x20000, 0x3FFFF),  # Han extensions B and later
)
"""First and last code point of each block."""

LEAD_MASKS = np.array([0x7F] * 12 + [0x1F] * 2 + [0x0F, 0x07], dtype=np.uint8)
"""Payload of the first byte of a character, by its upper four bits."""


def is_unspaced(codes: CodePoints) -> Booleans:
    """Tell which characters belong to a script written without spaces.

    Parameters
    ----------
    codes : ndarray of shape (n_characters,), dtype uint32
        Code points.

    Returns
    -------
    ndarray of shape (n_characters,), dtype bool
        True for Han, Kana, Thai and the other blocks of ``UNSPACED``.

    Examples
    --------
    >>> is_unspaced(np.array([ord(c) for c in "a世ไ한"], dtype=np.uint32)).tolist()
    [False, True, True, False]
    """
    return once_per_worker("unspaced", _table)[codes]


def join_unspaced(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """Drop the spaces beside a character of a script written without spaces.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean texts: no space at an end, no two in a row.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.

    Returns
    -------
    data, offsets : ndarray
        The same for the shorter texts.

    Examples
    --------
    >>> data = np.frombuffer("用 spark 3 算".encode(), dtype=np.uint8)
    >>> join_unspaced(data, np.array([0, 15], dtype=np.int64))[0].tobytes().decode()
    '用spark 3算'
    """
    parts, bounds = [data[:0]], np.zeros_like(offsets)
    for begin in range(0, len(data), PIECE_BYTES):
        piece = data[begin : begin + PIECE_BYTES]
        dropped = _beside_unspaced(data, begin + np.flatnonzero(piece == SPACE)) - begin
        part, ends = drop_bytes(piece, np.clip(offsets - begin, 0, len(piece)), dropped)
        parts.append(part)
        bounds += ends
    return (parts[1] if len(parts) == 2 else np.concatenate(parts)), bounds


def _beside_unspaced(data: Bytes, spaces: Integers) -> Integers:
    """Those of the spaces that stand beside such a character."""
    # A lone byte below 0x80 is ASCII; no character of these scripts starts below 0xE0.
    is_near = (data[spaces - 1] >= 0x80) | (data[spaces + 1] >= 0xE0)
    spaces = spaces[is_near]
    is_beside = is_unspaced(_codes_at(data, spaces + 1))
    is_beside |= is_unspaced(_codes_at(data, _character_before(data, spaces)))
    return spaces[is_beside]


def _character_before(data: Bytes, at: Integers) -> Integers:
    at = at - 1
    for _ in range(3):
        at -= (data[at] & 0xC0) == 0x80
    return at


def _codes_at(data: Bytes, at: Integers) -> CodePoints:
    lead = data[at]
    codes = (lead & LEAD_MASKS[lead >> 4]).astype(np.uint32)
    for follower, first_lead in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
        byte = data.take(at + follower, mode="clip")  # beyond the end: not of this character
        longer = codes << np.uint32(6) | (byte & np.uint8(0x3F))
        codes = np.where(lead >= first_lead, longer, codes)
    return codes


def _table() -> Booleans:
    table = np.zeros(0x110000, dtype=np.bool_)
    for first, last in UNSPACED:
        table[first : last + 1] = True
    return table
