"""NFKC, lower case and white space, for a whole chunk of documents at once.

Nearly every character folds to the same characters wherever it stands: those
are looked up in a table. Where a chunk holds others (combining marks, the
capital sigma), its documents are folded as one string, kept apart by a lone
surrogate, which no valid text contains: neither composition nor the rule for
a final sigma looks across it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.utf8 import (
    SPACE,
    codes_of,
    encode,
    is_ascii,
    string_of,
    sum_by_text,
)
from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, CodePoints, Integers

SEPARATOR = 0xD800
FINAL_SIGMA = "Σ"
TABLE_SIZE = 0x40000
"""Code points looked up: the first four planes, but for the last, which stands for all beyond."""

HAN_PLANES = 0x20000
VARIANTS = range(0x2F800, 0x2FA20)
"""Of the planes of rare Han characters, only these fold to others than themselves."""

IN_CONTEXT = 0x7FFFFFFF
"""Table value of a character whose folding depends on its neighbors."""

EXPANDED = 0x40000000
"""Table values from here to ``IN_CONTEXT`` number the characters that fold to several."""


@dataclass(frozen=True)
class FoldingTable:
    """What each character folds to.

    Parameters
    ----------
    values : ndarray of shape (0x40000,), dtype uint32
        A code point, ``EXPANDED`` plus the number of an expansion, or
        ``IN_CONTEXT``.
    pool : ndarray, dtype uint32
        Expansions, one after the other.
    bounds : ndarray of shape (n_expansions + 1,), dtype int64
        Where each expansion starts in the pool.
    """

    values: CodePoints
    pool: CodePoints
    bounds: Integers


def fold(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """Normalize every text to NFKC, make it lower case and its white space spaces.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts; invalid bytes count as U+FFFD.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.

    Returns
    -------
    data, offsets : ndarray
        The same for the folded texts.

    Examples
    --------
    >>> data = np.frombuffer("Ａ…ΟΣ".encode(), dtype=np.uint8)
    >>> fold(data, np.array([0, 10], dtype=np.int64))[0].tobytes().decode()
    'a...ος'
    """
    if is_ascii(data):
        folded = data.tobytes().translate(once_per_worker("ascii_folding", _ascii_table))
        return np.frombuffer(folded, dtype=np.uint8), offsets
    codes, starts = _decode(data, offsets)
    table = once_per_worker("folding", _table)
    values = table.values.take(codes, mode="clip")
    highest = int(values.max())
    if highest == IN_CONTEXT:
        codes, starts = _fold_in_context(codes, starts)
    elif highest >= EXPANDED:
        codes, starts = _expand(values, starts, table)
    else:
        codes = values
    return encode(codes), _byte_offsets(codes, starts)


def _byte_offsets(codes: CodePoints, starts: Integers) -> Integers:
    """Where each text starts in the UTF-8 of its characters."""
    n_bytes = (codes >= 0x80).view(np.uint8) + (codes >= 0x800).view(np.uint8)
    n_bytes += (codes >= 0x10000).view(np.uint8)
    return starts + np.append(0, np.cumsum(sum_by_text(n_bytes, starts)))


def _decode(data: Bytes, offsets: Integers) -> tuple[CodePoints, Integers]:
    """Code points, and where each text starts among them."""
    inner = offsets[:-1][offsets[:-1] < len(data)]
    try:
        text = data.tobytes().decode("utf-8")
        is_valid = not ((data[inner] & 0xC0) == 0x80).any()
    except UnicodeDecodeError:
        is_valid = False
    if not is_valid:
        return _decode(*_repair(data, offsets))
    n_characters = sum_by_text(((data & 0xC0) != 0x80).view(np.uint8), offsets)
    return codes_of(text), np.append(0, np.cumsum(n_characters))


def _repair(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    raw = data.tobytes()
    texts = [
        raw[start:end].decode("utf-8", errors="replace").encode("utf-8")
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    lengths = np.array([0, *map(len, texts)], dtype=np.int64)
    return np.frombuffer(b"".join(texts), dtype=np.uint8), np.cumsum(lengths)


def _fold_in_context(codes: CodePoints, starts: Integers) -> tuple[CodePoints, Integers]:
    separated = string_of(np.insert(codes, starts[1:], SEPARATOR))
    codes = codes_of(unicodedata.normalize("NFKC", separated).lower())
    is_separator = codes == SEPARATOR
    n_docs = len(starts) - 1
    ends = np.flatnonzero(is_separator) - np.arange(n_docs, dtype=np.int64)
    codes = codes[~is_separator]
    spaces = once_per_worker("spaces", _spaces)
    codes[spaces[np.minimum(codes, len(spaces) - 1)]] = SPACE
    return codes, np.append(0, ends)


def _expand(
    values: CodePoints, starts: Integers, table: FoldingTable
) -> tuple[CodePoints, Integers]:
    at = np.flatnonzero(values >= EXPANDED)
    numbers = values[at] - np.uint32(EXPANDED)
    lengths = np.diff(table.bounds)[numbers]
    grown = np.cumsum(lengths - 1)
    counts = np.ones(len(values), dtype=np.int64)
    counts[at] = lengths
    codes = np.repeat(values, counts)
    first = np.repeat(at + grown - (lengths - 1), lengths)
    within = np.arange(len(first), dtype=np.int64) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    codes[first + within] = table.pool[np.repeat(table.bounds[numbers], lengths) + within]
    return codes, starts + np.append(0, grown)[np.searchsorted(at, starts)]


def _table() -> FoldingTable:
    seconds = _seconds()
    values = np.arange(TABLE_SIZE, dtype=np.uint32)
    values[:HAN_PLANES] = values[-1] = IN_CONTEXT
    expansions: list[str] = []
    for code in (*range(HAN_PLANES), *VARIANTS):
        first = unicodedata.normalize("NFKD", chr(code))[0]
        normal = unicodedata.normalize("NFKC", chr(code))
        if unicodedata.combining(first) or first in seconds or FINAL_SIGMA in normal:
            continue
        folded = "".join(" " if c.isspace() else c for c in normal.lower())
        if len(folded) == 1:
            values[code] = ord(folded)
        else:
            values[code] = EXPANDED + len(expansions)
            expansions.append(folded)
    lengths = np.array([0, *map(len, expansions)], dtype=np.int64)
    return FoldingTable(values, codes_of("".join(expansions)), np.cumsum(lengths))


def _seconds() -> frozenset[str]:
    """Characters that compose with the one before them, combining marks left out."""
    parts = [unicodedata.decomposition(chr(code)).split() for code in range(HAN_PLANES)]
    pairs = [pair for pair in parts if len(pair) == 2 and not pair[0].startswith("<")]
    jamo = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]
    return frozenset(chr(int(pair[1], 16)) for pair in pairs) | frozenset(map(chr, jamo))


def _ascii_table() -> bytes:
    folded = bytes(range(128)).lower() + bytes(128)
    return bytes(SPACE if chr(b).isspace() else b for b in folded)


def _spaces() -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([chr(code).isspace() for code in range(0x3002)], dtype=np.bool_)
