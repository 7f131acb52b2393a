"""Raw text to clean text: by default NFKC, lower case, white space runs as one space.

Texts stand in one UTF-8 buffer with offsets, as in an Arrow string column, on
the way in and on the way out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.core.clean.cleaning import clean_text
from simhash_spark.core.clean.folding import fold
from simhash_spark.core.scripts import join_unspaced
from simhash_spark.core.utf8 import PIECE_BYTES, SPACE, bounds_of_one, drop_bytes, pieces
from simhash_spark.profiles.steps import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simhash_spark.core.typing import Bytes, Integers

CUTS = b"\t\n\r ,;!?()<>=/0123456789"
"""Bytes that a text may be cut before: ASCII composes with nothing before it, and none of these
is a letter or is looked through by the rule for a final sigma (as full stop and colon are)."""


def clean_texts(
    data: Bytes, offsets: Integers, steps: tuple[str, ...] = USUAL
) -> tuple[Bytes, Integers]:
    r"""Clean every text of a chunk.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the texts, one after the other; invalid bytes count as U+FFFD.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, and the end of the last one.
    steps : tuple of str
        Names of ``steps.CLEANERS``, in order.

    Returns
    -------
    data : ndarray of shape (n_clean_bytes,), dtype uint8
        UTF-8 of the clean texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each clean text starts, from 0.

    Notes
    -----
    Per text: what ``cleaning.clean_text`` gives. The usual steps, where they are
    the last ones, run on all texts at once: NFKC, lower case, one space between
    two words are ``" ".join(unicodedata.normalize("NFKC", text).lower().split())``.

    Examples
    --------
    >>> data = np.frombuffer(" Ａ\tB ".encode() + b"C", dtype=np.uint8)
    >>> clean, offsets = clean_texts(data, np.array([0, 7, 8], dtype=np.int64))
    >>> clean.tobytes(), offsets.tolist()
    (b'a bc', [0, 3, 4])
    """
    data = data[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    n_joined = int(steps[-1:] == ("unspaced",))
    usual = steps[-3 - n_joined : len(steps) - n_joined]
    if usual != USUAL:
        return _clean_each(data, offsets, steps)
    if len(steps) > len(USUAL) + n_joined:
        data, offsets = _clean_each(data, offsets, steps[: -3 - n_joined])
    if len(offsets) == 2 and len(data) > 2 * PIECE_BYTES:
        folded = (fold(piece, bounds_of_one(piece))[0] for piece in pieces(data, CUTS))
        data, offsets = squeeze_pieces(folded)
    else:
        data, offsets = squeeze(*fold(data, offsets))
    return join_unspaced(data, offsets) if n_joined else (data, offsets)


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
    spaces = np.flatnonzero(data == SPACE)
    filled = offsets[:-1] < offsets[1:]
    starts, ends = offsets[:-1][filled], offsets[1:][filled] - 1
    leading = np.searchsorted(spaces, starts[data[starts] == SPACE])
    trailing = np.searchsorted(spaces, ends[data[ends] == SPACE])
    is_first = np.ones(len(spaces), dtype=np.bool_)  # of its run
    np.not_equal(spaces[1:], spaces[:-1] + 1, out=is_first[1:])
    is_kept = is_first.copy()
    is_kept[leading] = False
    if len(trailing):
        is_kept[np.flatnonzero(is_first)[np.cumsum(is_first)[trailing] - 1]] = False
    return drop_bytes(data, offsets, spaces[~is_kept])


def squeeze_pieces(parts: Iterable[Bytes]) -> tuple[Bytes, Integers]:
    """Do the same for one long text, without a list of all its spaces or a copy of the result.

    >>> parts = (np.frombuffer(part, dtype=np.uint8) for part in (b" a ", b" b", b"c "))
    >>> squeeze_pieces(parts)[0].tobytes()
    b'a bc'
    """
    text = bytearray(b" ")
    for part in parts:
        kept = _collapse_runs(part)
        continues_run = text[-1] == SPACE and len(kept) > 0 and kept[0] == SPACE
        text += kept[int(continues_run) :].data
    data = np.frombuffer(text, dtype=np.uint8)[1 : len(text) - int(text[-1] == SPACE)]
    return data, bounds_of_one(data)


def _clean_each(data: Bytes, offsets: Integers, steps: tuple[str, ...]) -> tuple[Bytes, Integers]:
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    texts = (data[start:end].tobytes().decode("utf-8", errors="replace") for start, end in bounds)
    cleaned = [clean_text(text, steps).encode("utf-8") for text in texts]
    lengths = np.array([0, *map(len, cleaned)], dtype=np.int64)
    return np.frombuffer(b"".join(cleaned), dtype=np.uint8), np.cumsum(lengths)


def _collapse_runs(data: Bytes) -> Bytes:
    is_space = data == SPACE
    is_kept = ~is_space
    is_kept[1:] |= ~is_space[:-1]
    is_kept[:1] = True
    return data[is_kept]
