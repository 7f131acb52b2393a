from __future__ import annotations

import itertools
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core import scripts, utf8
from simhash_spark.core.clean import chunks
from simhash_spark.core.clean.chunks import clean_texts, squeeze
from simhash_spark.core.clean.folding import IN_CONTEXT, fold
from simhash_spark.core.clean.folding import _table as folding_table
from simhash_spark.core.scripts import join_unspaced
from tests import oracles

NASTY = (
    "aA \t\n\x00\x1c\x85Σςσ\u0301\u0345é\uff9e\uff76가\u1161\u11a8\u0e33"
    "ไ世…ﬁ①İß\u2028\u3000\ufeff😀\U0001d6ba"
)
NASTY_TEXT = st.text(st.one_of(st.sampled_from(NASTY), st.characters(exclude_categories=["Cs"])))


def packed(raw: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def unpacked(data: np.ndarray, offsets: np.ndarray) -> list[str]:
    raw = data.tobytes()
    return [raw[a:b].decode() for a, b in itertools.pairwise(offsets)]


def cleaned(*texts: str) -> list[str]:
    return unpacked(*clean_texts(*packed([text.encode() for text in texts])))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("", ""),
        (" \t\n", ""),
        ("ＡＢＣ１２３", "abc123"),
        ("  two\r\n\u3000 words  ", "two words"),
        ("ΟΔΟΣ ΣΟΦΟΣ", "οδος σοφος"),
        ("e\u0301", "é"),
        ("STRASSE Straße", "strasse straße"),
        ("İ", "i\u0307"),
        ("……①㎏", "......1kg"),
        ("ｶﾞ", "ガ"),
        ("กำ", "ก\u0e4d\u0e32"),
        ("नमस्ते", "नमस्ते"),
        ("\x00 A\x00", "\x00 a\x00"),
        ("\ufb01 𝚺", "fi σ"),
        ("가각", "가각"),
    ],
)
def test_a_text_is_cleaned(raw: str, clean: str):
    assert cleaned(raw) == [clean]


@given(st.lists(NASTY_TEXT, max_size=8))
def test_documents_of_a_chunk_are_cleaned_as_if_alone(texts: list[str]):
    assert cleaned(*texts) == [oracles.clean(text) for text in texts]


def test_no_context_crosses_from_one_document_to_the_next():
    assert cleaned("e", "\u0301", "ΑΣ", "Α", "Σ", "ᄀ", "ᅡ", "a ", " b") == [
        *("e", "\u0301", "ας", "α", "σ", "ᄀ", "ᅡ", "a", "b")
    ]


def test_every_character_folds_as_in_python():
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    batches = [characters[start : start + 4096] for start in range(0, len(characters), 4096)]

    actual = [unpacked(*fold(*packed([c.encode() for c in batch]))) for batch in batches]

    expected = [
        [
            "".join(" " if d.isspace() else d for d in unicodedata.normalize("NFKC", c).lower())
            for c in b
        ]
        for b in batches
    ]
    assert actual == expected


def test_no_character_of_the_table_depends_on_the_one_before_it():
    # Starters that compose with a following mark or jamo are all that could go wrong.
    starters = (
        "aeoAᄀ가\u09c7\u0b47\u0bc6\u0cc6\u0d46\u0dd9\u1025\u1b05\U00011131\U00011347\U000114b9"
    )
    looked_up = np.flatnonzero(folding_table().values != IN_CONTEXT)
    followers = [chr(code) for code in looked_up if not 0xD800 <= code < 0xE000]

    for starter in starters:
        pairs = [starter + follower for follower in followers]
        assert cleaned(*pairs) == [oracles.clean(pair) for pair in pairs]


@given(st.lists(st.binary(max_size=12), max_size=6))
def test_invalid_bytes_count_as_the_replacement_character(raw: list[bytes]):
    expected = [oracles.clean(text.decode("utf-8", errors="replace")) for text in raw]

    assert unpacked(*clean_texts(*packed(raw))) == expected


def test_a_character_cut_between_two_documents_is_not_mended():
    assert unpacked(*clean_texts(*packed([b"a\xe4", b"\xb8\x96b"]))) == ["a\ufffd", "\ufffd\ufffdb"]


@given(NASTY_TEXT, st.integers(1, 9))
def test_a_long_text_is_cleaned_alike_in_pieces_of_any_size(text: str, size: int):
    text = text + " , 1" + text + text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "PIECE_BYTES", size)
        patch.setattr(utf8, "PIECE_BYTES", size)
        actual = cleaned(text)

    assert actual == [oracles.clean(text)]


def test_no_piece_begins_inside_a_word_or_before_a_full_stop(monkeypatch: pytest.MonkeyPatch):
    # Greek: a capital sigma is final unless a letter follows, be it after a full stop.
    text = "ΑΣ.Αa ΑΣaΣ:Α1 " * 40
    monkeypatch.setattr(chunks, "PIECE_BYTES", 2)
    monkeypatch.setattr(utf8, "PIECE_BYTES", 2)

    assert cleaned(text) == [oracles.clean(text)]


@given(st.lists(st.text(" ab", max_size=6), max_size=8))
def test_squeezing_leaves_single_spaces_inside(texts: list[str]):
    actual = unpacked(*squeeze(*packed([text.encode() for text in texts])))

    assert actual == [" ".join(text.split()) for text in texts]


def test_a_chunk_is_read_where_its_offsets_say():
    data = np.frombuffer(b"before A B after", dtype=np.uint8)

    clean, offsets = clean_texts(data, np.array([7, 8, 11], dtype=np.int64))

    assert unpacked(clean, offsets) == ["a", "b"]


@given(st.lists(st.text("世 aé", max_size=9), max_size=5), st.integers(1, 9))
def test_spaces_beside_han_are_dropped_alike_in_pieces_of_any_size(texts: list[str], size: int):
    texts = [" ".join(text.split()) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scripts, "PIECE_BYTES", size)
        actual = unpacked(*join_unspaced(*packed([text.encode() for text in texts])))

    assert actual == [text.replace("世 ", "世").replace(" 世", "世") for text in texts]
