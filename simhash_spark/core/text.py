"""Raw text to clean text: NFKC, lower case, white space runs as one space.

Texts stand in one UTF-8 buffer with offsets, as in an Arrow string column, on
the way in and on the way out. A whole chunk of documents is cleaned at once:
a lone surrogate between the documents, which no valid text contains, keeps
them apart, because neither composition nor the rule for a final sigma looks
across it.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simhash_spark.core.typing import Booleans, Bytes, CodePoints, Integers

SEPARATOR = 0xD800
SPACE = 0x20
PIECE_BYTES = 1 << 18
"""Longer texts are cleaned in pieces of about this size, to bound memory."""

CUTS = b"\t\n\r ,;!?()<>=/0123456789"
"""Bytes that a text may be cut before: ASCII composes with nothing before it, and none of these
is a letter or is looked through by the rule for a final sigma (as full stop and colon are)."""


def clean_texts(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """Clean every text of a chunk.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts, one after the other; invalid bytes count as U+FFFD.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, and the end of the last one.

    Returns
    -------
    data : ndarray of shape (n_clean_bytes,), dtype uint8
        UTF-8 of the clean texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each clean text starts, from 0.

    Notes
    -----
    Per text: ``" ".join(unicodedata.normalize("NFKC", text).lower().split())``.

    Examples
    --------
    >>> data = np.frombuffer(" Ａ\\tB ".encode() + b"C", dtype=np.uint8)
    >>> clean, offsets = clean_texts(data, np.array([0, 7, 8], dtype=np.int64))
    >>> clean.tobytes(), offsets.tolist()
    (b'a bc', [0, 3, 4])
    """
    data = data[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    if len(offsets) == 2 and len(data) > 2 * PIECE_BYTES:  # noqa: PLR2004 - one document
        return _clean_long(data)
    return squeeze(*_fold(data, offsets))


def squeeze(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """Make every run of spaces one space, and drop those at the ends of a text.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts, from 0.

    Returns
    -------
    data, offsets : ndarray
        The same for the shorter texts.

    Examples
    --------
    >>> data = np.frombuffer(b" a  b  ", dtype=np.uint8)
    >>> squeeze(data, np.array([0, 7], dtype=np.int64))[0].tobytes()
    b'a b'
    """
    is_space = data == SPACE
    is_dropped = np.zeros(len(data), dtype=np.bool_)
    np.logical_and(is_space[1:], is_space[:-1], out=is_dropped[1:])
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    is_dropped[starts] = is_space[starts]
    data, offsets = _drop(data, offsets, is_dropped)
    ends = offsets[1:][offsets[:-1] < offsets[1:]] - 1
    trailing = ends[data[ends] == SPACE]
    if not len(trailing):
        return data, offsets
    is_dropped = np.zeros(len(data), dtype=np.bool_)
    is_dropped[trailing] = True
    return _drop(data, offsets, is_dropped)


def code_points(data: Bytes) -> CodePoints:
    """Decode valid UTF-8.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.

    Returns
    -------
    ndarray of shape (n_characters,), dtype uint32
        Code points.

    Examples
    --------
    >>> code_points(np.frombuffer("aé世".encode(), dtype=np.uint8)).tolist()
    [97, 233, 19990]
    """
    return _codes_of(data.tobytes().decode("utf-8"))


def encode(codes: CodePoints) -> Bytes:
    """Encode code points as UTF-8.

    Parameters
    ----------
    codes : ndarray of shape (n_characters,), dtype uint32
        Code points without surrogates.

    Returns
    -------
    ndarray of shape (n_bytes,), dtype uint8
        UTF-8.

    Examples
    --------
    >>> encode(np.array([97, 0x4E16], dtype=np.uint32)).tobytes().decode()
    'a世'
    """
    return np.frombuffer(_string_of(codes).encode("utf-8"), dtype=np.uint8)


def character_starts(data: Bytes) -> Integers:
    """Find the byte at which each character starts, and the end of the data.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        Valid UTF-8.

    Returns
    -------
    ndarray of shape (n_characters + 1,), dtype int64
        Positions in ``data``.

    Examples
    --------
    >>> character_starts(np.frombuffer("aéb".encode(), dtype=np.uint8)).tolist()
    [0, 1, 3, 4]
    """
    if is_ascii(data):
        return np.arange(len(data) + 1, dtype=np.int64)
    return np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))


def is_ascii(data: Bytes) -> bool:
    """Tell whether no byte is above 127.

    >>> is_ascii(np.frombuffer(b"abc", dtype=np.uint8))
    True
    """
    return len(data) == 0 or int(data.max()) < 0x80  # noqa: PLR2004 - the end of ASCII


def pieces(data: Bytes, cuts: bytes) -> Iterator[Bytes]:
    """Cut a long text into pieces of about ``PIECE_BYTES``, each but the first at a byte of cuts.

    >>> [piece.tobytes() for piece in pieces(np.frombuffer(b"a b", dtype=np.uint8), b" ")]
    [b'a b']
    """
    is_cut = np.zeros(256, dtype=np.bool_)
    is_cut[list(cuts)] = True
    start = 0
    while start < len(data):
        end = min(start + PIECE_BYTES, len(data))
        while end < len(data) and not (hits := is_cut[data[end : end + PIECE_BYTES]]).any():
            end = min(end + PIECE_BYTES, len(data))
        end += int(hits.argmax()) if end < len(data) else 0
        yield data[start:end]
        start = end


def _clean_long(data: Bytes) -> tuple[Bytes, Integers]:
    folded = [_fold(piece, _whole(piece))[0] for piece in pieces(data, CUTS)]
    joined = np.concatenate([_collapse_runs(piece) for piece in folded])
    del folded
    return squeeze(joined, _whole(joined))


def _collapse_runs(data: Bytes) -> Bytes:
    is_space = data == SPACE
    is_kept = ~is_space
    is_kept[1:] |= ~is_space[:-1]
    is_kept[:1] = True
    return data[is_kept]


def _whole(data: Bytes) -> Integers:
    return np.array([0, len(data)], dtype=np.int64)


def _fold(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    """NFKC, lower case, white space as spaces."""
    if is_ascii(data):
        return _ascii_fold()[data], offsets
    codes, starts = _decode(data, offsets)
    separated = _string_of(np.insert(codes, starts[1:], SEPARATOR))
    codes = _codes_of(unicodedata.normalize("NFKC", separated).lower())
    is_separator = codes == SEPARATOR
    starts = np.append(0, np.flatnonzero(is_separator) - np.arange(len(starts) - 1))
    codes = codes[~is_separator]
    codes[_is_space()[np.minimum(codes, 0x3001)]] = SPACE
    data = encode(codes)
    return data, character_starts(data)[starts]


def _decode(data: Bytes, offsets: Integers) -> tuple[CodePoints, Integers]:
    """Code points, and where each text starts among them."""
    inner = offsets[:-1][offsets[:-1] < len(data)]
    try:
        text = data.tobytes().decode("utf-8")
        is_valid = not ((data[inner] & 0xC0) == 0x80).any()  # noqa: PLR2004 - a continuation byte
    except UnicodeDecodeError:
        is_valid = False
    if not is_valid:
        return _decode(*_repair(data, offsets))
    return _codes_of(text), np.searchsorted(character_starts(data), offsets)


def _repair(data: Bytes, offsets: Integers) -> tuple[Bytes, Integers]:
    raw = data.tobytes()
    texts = [
        raw[start:end].decode("utf-8", errors="replace").encode("utf-8")
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    lengths = np.array([0, *map(len, texts)], dtype=np.int64)
    return np.frombuffer(b"".join(texts), dtype=np.uint8), np.cumsum(lengths)


def _drop(data: Bytes, offsets: Integers, is_dropped: Booleans) -> tuple[Bytes, Integers]:
    dropped = np.flatnonzero(is_dropped)
    if not len(dropped):
        return data, offsets
    return data[~is_dropped], offsets - np.searchsorted(dropped, offsets)


def _codes_of(text: str) -> CodePoints:
    # A NumPy string is UCS-4 and, unlike a codec, holds surrogates as they are.
    return np.array([text], dtype=f"U{max(len(text), 1)}").view(np.uint32)[: len(text)]


def _string_of(codes: CodePoints) -> str:
    # NumPy drops U+0000 at the end of a string: end it on something else.
    ended = np.append(codes, np.uint32(SPACE))
    return str(ended.view(f"U{len(ended)}")[0])[:-1]


def _ascii_fold() -> Bytes:
    folded = bytes(range(128)).lower() + bytes(128)
    return once_per_worker(
        "ascii_fold",
        lambda: np.array([SPACE if chr(b).isspace() else b for b in folded], dtype=np.uint8),
    )


def _is_space() -> Booleans:
    return once_per_worker(
        "is_space",
        lambda: np.array([chr(code).isspace() for code in range(0x3002)], dtype=np.bool_),
    )
