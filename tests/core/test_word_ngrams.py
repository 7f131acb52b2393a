"""N-grams of words: what their order says, and texts of several scripts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simhash_spark.core.clean.chunks import clean_texts
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.tokenize.ngrams import find_features
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Jieba, Words

ZH_WORDS = PROFILES["zh-words"]
SINGLE = Profile("single", Jieba((1,)), min_features=1)
PAIRS = replace(ZH_WORDS, min_features=1)


def buffer_of(text: str) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    return data, np.array([0, len(data)], dtype=np.int64)


def features(text: str, profile: Profile) -> set[str]:
    data, offsets = prepare_texts(*clean_texts(*buffer_of(text), profile.clean), profile.tokenize)
    spans = find_features(data, offsets, profile.tokenize)
    pairs = zip(spans.starts.tolist(), spans.lengths.tolist(), strict=True)
    return {data[start : start + length].tobytes().decode() for start, length in pairs}


def fingerprint(text: str, profile: Profile) -> int | None:
    batch = fingerprint_texts(*buffer_of(text), FingerprintSettings(profile))
    return int(batch.words[0, 0]) if batch.has_fingerprint[0] else None


def test_pairs_of_words_tell_good_quality_from_quality_good():
    assert features("质量好", PAIRS) == {"质量", "好", "质量 好"}
    assert features("好质量", PAIRS) == {"质量", "好", "好 质量"}
    assert fingerprint("质量好", PAIRS) != fingerprint("好质量", PAIRS)


def test_single_words_do_not():
    assert features("质量好", SINGLE) == features("好质量", SINGLE) == {"质量", "好"}
    assert fingerprint("质量好", SINGLE) == fingerprint("好质量", SINGLE)


def test_zh_words_tells_two_orders_of_the_same_words_apart():
    left, right = "这家店的质量好，物流慢", "这家店的物流慢，质量好"

    assert features(left, SINGLE) == features(right, SINGLE)
    assert None is not fingerprint(left, ZH_WORDS) != fingerprint(right, ZH_WORDS) is not None


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        # jieba cuts Kana and Hangul at every character.
        (SINGLE, {"使用", "apache", "spark", "3.5", "处理", "大", "数据", *"データ한국어", "ok"}),
        (
            Profile("words", Words()),
            {"使用apache", "spark", "3", "5处理大数据データ", "한국어", "ok"},
        ),
    ],
)
def test_words_of_text_in_several_scripts(profile: Profile, expected: set[str]):
    assert features("使用Apache Spark 3.5处理大数据データ 한국어 ＯＫ！", profile) == expected


@pytest.mark.parametrize("name", ["auto", "zh-words"])
def test_texts_in_several_scripts_have_fingerprints_of_their_own(name: str):
    texts = [
        "使用 Apache Spark 3.5 处理大规模数据集，性能很好",
        "使用 Apache Flink 1.19 处理大规模数据流，性能很好",
        "Apache Spark で大規模データを処理する 이것은 한국어 문장입니다",
        "This is 一个混合 of 两种语言 and नमस्ते दुनिया สวัสดี",
    ]

    found = [fingerprint(text, PROFILES[name]) for text in texts]

    assert None not in found
    assert len(set(found)) == len(texts)
