from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.scripts import UNSPACED, is_unspaced, join_unspaced
from simhash_spark.core.tokenize.ngrams import find_features
from simhash_spark.profiles.steps import Characters, Tokenizer, Words
from tests import oracles

CHARACTERS = Characters((5,), 3)
WORDS = Words((2,))


def features_of(tokenize: Tokenizer, *texts: str) -> list[list[str]]:
    raw = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    spans = find_features(data, np.cumsum([0, *map(len, raw)], dtype=np.int64), tokenize)
    found: list[list[str]] = [[] for _ in texts]
    for start, length, doc in zip(spans.starts, spans.lengths, spans.docs, strict=True):
        found[doc].append(data[start : start + length].tobytes().decode())
    return [sorted(features) for features in found]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("", []),
        ("a", ["a"]),
        ("abcd", ["abcd"]),
        ("abcdef", ["abcde", "bcdef"]),
        ("aaaaaa", ["aaaaa", "aaaaa"]),
        ("世", ["世"]),
        ("近似重复", ["近似重", "似重复"]),
        ("ab世界", ["ab世界"]),
        ("abc世界", ["abc世界"]),
        ("a世界ok", ["a世界ok", "世界o", "界ok"]),
        ("é😀 ab", ["é😀 ab"]),
        ("ไทยดี", ["ไทย", "ทยด", "ยดี"]),
    ],
)
def test_characters_give_ngrams(text: str, features: list[str]):
    assert features_of(CHARACTERS, text) == [sorted(features)]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("", []),
        ("one", ["one"]),
        ("to be or", ["be or", "to be"]),
        ("数据 库 é", ["库 é", "数据 库"]),
    ],
)
def test_words_give_ngrams(text: str, features: list[str]):
    assert features_of(WORDS, text) == [features]


def test_several_sizes_are_all_taken_but_one_for_unspaced_scripts():
    tokenize = Characters((2, 3), 1)

    assert features_of(tokenize, "abc世") == [["ab", "abc", "bc", "bc世", "c世", "世"]]


@pytest.mark.parametrize("tokenize", [CHARACTERS, WORDS], ids=["characters", "words"])
def test_no_ngram_reaches_into_the_next_document(tokenize: Tokenizer):
    texts = ["to be", "or not to be", "", "x", "近似重复", "abcdefgh"]

    together = features_of(tokenize, *texts)

    assert together == [features_of(tokenize, text)[0] for text in texts]


def test_the_table_of_scripts_is_that_of_the_oracle():
    codes = [code for code in range(0x40000) if not 0xD800 <= code < 0xE000]

    actual = is_unspaced(np.array(codes, dtype=np.uint32)).tolist()

    assert actual == [oracles.is_unspaced(chr(code)) for code in codes]


def test_the_blocks_of_scripts_stand_in_ascending_order_or_apart():
    edges = sorted(UNSPACED)

    assert all(last < first for (_, last), (first, _) in itertools.pairwise(edges))


@given(st.lists(st.text("a é世ไ𠀀ß", max_size=12), max_size=6))
def test_spaces_beside_unspaced_scripts_are_dropped(texts: list[str]):
    texts = [" ".join(text.split()) for text in texts]
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)

    data, bounds = join_unspaced(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets)

    joined = data.tobytes()
    actual = [joined[a:b].decode() for a, b in itertools.pairwise(bounds)]
    assert actual == [oracles.join_unspaced(text) for text in texts]
