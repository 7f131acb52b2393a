from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simhash_spark.core import lengths
from simhash_spark.core.lengths import count_characters

BYTE = st.sampled_from(
    [0x61, 0x20, 0x80, 0xBF, 0xC1, 0xC3, 0xDF, 0xE4, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]
)
TEXT = st.one_of(st.lists(BYTE, max_size=9).map(bytes), st.text(max_size=5).map(str.encode))


def counted(texts: list[bytes]) -> list[int]:
    data = np.frombuffer(b"skipped" + b"".join(texts) + b"unread", dtype=np.uint8)
    return count_characters(data, np.cumsum([7, *map(len, texts)], dtype=np.int64)).tolist()


def steps_through(text: bytes) -> int:
    """As UTF8String.numChars of Spark."""
    n_steps, at = 0, 0
    while at < len(text):
        byte = text[at]
        at += (
            4
            if 0xF0 <= byte < 0xF5
            else 3
            if 0xE0 <= byte < 0xF0
            else 2
            if 0xC2 <= byte < 0xE0
            else 1
        )
        n_steps += 1
    return n_steps


@given(st.lists(TEXT, max_size=8))
@example([b"\xe4", b"\x80"])  # a byte that the end of the text before lays claim to
@example([b"\xe4", b"a\x80"])
def test_any_bytes_are_counted_by_steps(texts: list[bytes]):
    assert counted(texts) == [steps_through(text) for text in texts]


@pytest.mark.parametrize("piece_bytes", [1, 2, 5, 64])
def test_pieces_leave_no_trace(piece_bytes: int, monkeypatch: pytest.MonkeyPatch):
    texts = ["aé世😀".encode(), b"", b"ab", b"\xe4", b"a\x80", "世界".encode() * 9, b"x\xf0\x9f"]
    expected = [steps_through(text) for text in texts]

    monkeypatch.setattr(lengths, "PIECE_BYTES", piece_bytes)

    assert counted(texts) == expected


@pytest.mark.parametrize("piece_bytes", [1, 2, 5, 64])
def test_valid_text_is_counted_without_a_walk(piece_bytes: int, monkeypatch: pytest.MonkeyPatch):
    texts = ["naïve", "近似重复", "👍🏽 ok", ""]

    monkeypatch.setattr(lengths, "PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(lengths, "STEP", None)

    assert counted([text.encode() for text in texts]) == [5, 4, 5, 0]
