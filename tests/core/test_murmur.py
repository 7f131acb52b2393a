from __future__ import annotations

import mmh3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.hash import murmur
from simhash_spark.core.hash.murmur import hash_spans


def hashed(*spans: bytes, n_words: int = 2) -> list[tuple[int, ...]]:
    lengths = np.array(list(map(len, spans)), dtype=np.int64)
    data = np.frombuffer(b"".join(spans), dtype=np.uint8)
    hashes = hash_spans(data, np.cumsum(lengths) - lengths, lengths, n_words=n_words)
    return [tuple(row) for row in hashes.tolist()]


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (b"foo", (0xE271865701F54561, 0x7EAF87E42BBA7D87)),
        (b"The quick brown fox jumps over the lazy dog", (0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347)),
        (b"\x00", (0x4610ABE56EFF5CB5, 0x51622DAA78F83583)),
    ],
)
def test_published_vectors_are_met(span: bytes, words: tuple[int, int]):
    assert hashed(span) == [words]


@given(st.lists(st.binary(min_size=1, max_size=70), min_size=1, max_size=20))
def test_spans_of_any_bytes_hash_as_in_mmh3(spans: list[bytes]):
    assert hashed(*spans) == [mmh3.hash64(span, signed=False) for span in spans]


@pytest.mark.parametrize("length", [*range(1, 50), 255, 256, 1000, 4099])
def test_spans_of_any_length_hash_as_in_mmh3(length: int):
    span = bytes(range(251)) * 17

    assert hashed(span[:length]) == [mmh3.hash64(span[:length], signed=False)]


def test_overlapping_spans_hash_as_in_mmh3(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(murmur, "SPANS_AT_ONCE", 7)
    data = np.random.default_rng(3).integers(0, 256, size=100, dtype=np.uint8)
    starts = np.repeat(np.arange(50, dtype=np.int64), 40)
    lengths = np.tile(np.arange(1, 41, dtype=np.int64), 50)

    actual = hash_spans(data, starts, lengths, n_words=2).tolist()

    raw = data.tobytes()
    spans = [raw[s : s + n] for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)]
    assert [tuple(row) for row in actual] == [mmh3.hash64(span, signed=False) for span in spans]


def test_the_first_word_does_not_depend_on_the_number_of_words():
    assert hashed(b"one", n_words=1) == [hashed(b"one")[0][:1]]
