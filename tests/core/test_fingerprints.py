from __future__ import annotations

import itertools
import json
from importlib.util import find_spec
from pathlib import Path

import mmh3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_spark.core import counting
from simhash_spark.core.fingerprints import FingerprintBatch, fingerprint_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import (
    USUAL,
    Blake2b,
    Capped,
    Characters,
    Count,
    Fnv1,
    Fnv1a,
    Log,
    Md5,
    Polynomial,
    Words,
)
from tests import oracles

FROZEN = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((FROZEN / "fingerprints.json").read_text("utf-8"))
PRESETS = json.loads((FROZEN / "presets.json").read_text("utf-8"))
"""The same texts, 64 bits, for the profiles that reproduce what others do."""

TINY = Profile("tiny", Characters((1, 3), 2), (*USUAL, "unspaced"), min_features=1)
OTHERS = [
    Profile("log", Characters((2,), 1), weigh=Log(), hash=Blake2b()),
    Profile("capped", Words(), ("lower",), Capped(2), Md5("last", "little"), tie=1),
    Profile("once", Words((1, 2)), hash=Polynomial(3), tie=1, min_features=1),
]
NARROW = [
    Profile("fnv1", Characters((3,), 1), weigh=Count(), hash=Fnv1(), min_features=1),
    Profile("fnv1a", Characters((3,), 1), hash=Fnv1a(), min_features=2),
]


def where_installed(profile: Profile) -> object:
    """Give the profile, to be skipped where a package that it needs is missing."""
    missing = [name for name in profile.packages if find_spec(name) is None]
    return pytest.param(profile, marks=pytest.mark.skipif(bool(missing), reason=f"no {missing}"))


OURS = [where_installed(PROFILES[name]) for name in ("auto", "zh-words", "en-words")]
PLAIN = [profile for profile in PROFILES.values() if not profile.is_scored]
MOST = [where_installed(profile) for profile in (*PLAIN, TINY, *OTHERS)]
BY_NAME = pytest.mark.parametrize("profile", MOST, ids=lambda profile: profile.name)
VALID = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
MIXED = st.text(
    "aA b ,.\n'\x00\u0301Σéß世界数据库ไทนัहि한글ガ😀👍🏽\u200dשל…Ａ\u2028𠀀7", max_size=60
)


def fingerprint_all(texts: list[str | bytes], profile: Profile, bits: int = 64) -> FingerprintBatch:
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    return fingerprint_texts(data, offsets, FingerprintSettings(profile, bits))


def words_of(batch: FingerprintBatch) -> list[tuple[int, ...] | None]:
    rows = zip(batch.words.tolist(), batch.has_fingerprint, strict=True)
    return [tuple(words) if has_fingerprint else None for words, has_fingerprint in rows]


def test_five_lines_of_mmh3_reproduce_a_fingerprint():
    text = "The quick brown fox jumps over the lazy dog"
    features = {text.lower()[i : i + 5] for i in range(len(text) - 4)}
    hashes = [mmh3.hash64(feature.encode(), signed=False)[0] for feature in features]
    votes = [sum(h >> bit & 1 for h in hashes) for bit in range(64)]
    expected = sum(1 << bit for bit in range(64) if 2 * votes[bit] > len(hashes))

    assert words_of(fingerprint_all([text], PROFILES["auto"])) == [(expected,)]


@BY_NAME
@settings(max_examples=60)
@given(texts=st.lists(st.one_of(VALID, MIXED), max_size=6), bits=st.sampled_from([64, 128]))
def test_any_text_has_the_fingerprint_of_the_oracle(profile: Profile, texts: list[str], bits: int):
    batch = fingerprint_all(texts, profile, bits)

    assert words_of(batch) == [oracles.fingerprint(text, profile, bits) for text in texts]
    assert batch.n_features.tolist() == [oracles.count_features(t, profile) for t in texts]


@pytest.mark.parametrize("profile", NARROW, ids=lambda profile: profile.name)
@settings(max_examples=60)
@given(texts=st.lists(st.one_of(VALID, MIXED), max_size=6))
def test_hashes_of_64_bits_give_the_fingerprint_of_the_oracle(profile: Profile, texts: list[str]):
    batch = fingerprint_all(texts, profile)

    assert words_of(batch) == [oracles.fingerprint(text, profile) for text in texts]


@pytest.mark.parametrize("profile", OURS, ids=lambda profile: profile.name)
def test_the_first_word_of_128_bits_is_the_fingerprint_of_64(profile: Profile):
    texts = ["to be or not to be that is the question " * 3, "近似重复的文档只差几个比特", "世"]

    short, long = fingerprint_all(texts, profile), fingerprint_all(texts, profile, 128)

    assert long.words[:, 0].tolist() == short.words[:, 0].tolist()


@pytest.mark.parametrize(("chunk_bytes", "chunk_docs"), [(1, 100), (30, 100), (1 << 20, 2)])
def test_chunks_leave_no_trace(chunk_bytes: int, chunk_docs: int, monkeypatch: pytest.MonkeyPatch):
    texts = [text * 3 for text in GOLDEN["texts"]]
    expected = words_of(fingerprint_all(texts, PROFILES["auto"]))

    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", chunk_bytes)
    monkeypatch.setattr(counting, "CHUNK_DOCS", chunk_docs)

    assert words_of(fingerprint_all(texts, PROFILES["auto"])) == expected


def test_the_order_of_documents_leaves_no_trace():
    texts = GOLDEN["texts"]
    forward = words_of(fingerprint_all(texts, PROFILES["auto"]))

    assert words_of(fingerprint_all(texts[::-1], PROFILES["auto"])) == forward[::-1]


SCRIPTS = {
    "Chinese and English": (
        "我们用 Apache Spark 处理大规模数据，然后 SimHash 找出 near-duplicate 文档",
        "下周二的 meeting 改到上午十点，请大家提前看完 design document 再来讨论",
    ),
    "Thai": (
        "ภาษาไทยไม่มีช่องว่างระหว่างคำ จึงต้องตัดคำก่อนเสมอ",
        "เมื่อวานนี้ฝนตกหนักมาก ถนนหลายสายในกรุงเทพน้ำท่วม",
    ),
    "Hindi": (
        "हिन्दी में लिखा हुआ एक वाक्य जिसमें कई शब्द हैं",
        "कल सुबह हम लोग नदी के किनारे घूमने जाएँगे",
    ),
    "Japanese": (
        "日本語の文章には空白がありませんので、分かち書きが必要です",
        "昨日は友達と一緒にカレーライスを食べて、映画を見ました",
    ),
    "Korean": (
        "한국어 문장은 띄어쓰기가 있어서 단어를 나누기 쉽습니다",
        "어제 저녁에는 친구와 함께 시장에서 떡볶이를 먹었어요",
    ),
    "Arabic": (
        "هذه جملة طويلة مكتوبة باللغة العربية لاختبار البرنامج",
        "ذهب الأطفال إلى المدرسة في الصباح الباكر مع أصدقائهم",
    ),
    "Hebrew": (
        "זהו משפט ארוך שנכתב בעברית כדי לבדוק את התוכנה",
        "אתמול בערב הלכנו לשוק וקנינו לחם, גבינה ותפוחים",
    ),
    "Cyrillic": (
        "Это длинное предложение на русском языке для проверки",
        "Вчера вечером дети пошли в лес собирать грибы и ягоды",
    ),
    "emoji": ("😀😃😄😁😆😅🤣😂🙂🙃😉😊😇🥰😍🤩", "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔"),
}


@pytest.mark.parametrize("bits", [64, 128])
def test_texts_of_any_script_get_fingerprints_as_far_apart_as_unrelated_ones(bits: int):
    texts = [text for pair in SCRIPTS.values() for text in pair]

    words = words_of(fingerprint_all(texts, PROFILES["auto"], bits))

    assert None not in words
    values = [sum(word << 64 * place for place, word in enumerate(found)) for found in words]
    apart = [(a ^ b).bit_count() / bits for a, b in itertools.combinations(values, 2)]
    assert min(apart) > 0.25  # of 153 pairs; four deviations of 64 independent bits
    assert 0.45 <= sum(apart) / len(apart) <= 0.55


@pytest.mark.parametrize(
    ("text", "n_features"),
    [("", 0), (" \n\u3000", 0), ("a", 1), ("世", 1), ("ab", 1), ("世界", 1), ("!", 1), ("?!?", 1)],
)
@pytest.mark.parametrize("profile", OURS, ids=lambda profile: profile.name)
def test_texts_of_a_few_characters_have_no_fingerprint(
    profile: Profile, text: str, n_features: int
):
    batch = fingerprint_all([text], profile)

    assert batch.n_features.tolist() == [n_features]
    assert batch.has_fingerprint.tolist() == [False]


@pytest.mark.parametrize(("n_characters", "has_fingerprint"), [(8, False), (9, True)])
def test_min_features_is_the_least_that_suffices(n_characters: int, has_fingerprint: bool):  # noqa: FBT001
    batch = fingerprint_all(["abcdefghi"[:n_characters]], PROFILES["auto"])

    assert batch.has_fingerprint.tolist() == [has_fingerprint]


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_invalid_bytes_count_as_the_replacement_character(raw: list[bytes]):
    texts = [text.decode("utf-8", errors="replace") for text in raw]

    actual = words_of(fingerprint_all(raw, PROFILES["auto"]))

    assert actual == words_of(fingerprint_all(texts, PROFILES["auto"]))


def test_no_document_gives_no_fingerprint():
    assert fingerprint_all([], PROFILES["auto"], 128).words.shape == (0, 2)


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("profile", OURS, ids=lambda profile: profile.name)
def test_fingerprints_are_those_frozen(profile: Profile, bits: int):
    """A change here is a breaking change: indexes that users keep no longer match."""
    frozen = [words and tuple(int(word, 16) for word in words) for words in GOLDEN[profile.name]]

    actual = words_of(fingerprint_all(GOLDEN["texts"], profile, bits))

    assert actual == [words and words[: bits // 64] for words in frozen]


@pytest.mark.parametrize("name", PRESETS)
def test_fingerprints_of_the_presets_are_those_frozen(name: str):
    frozen = [word and (int(word, 16),) for word in PRESETS[name]]

    assert words_of(fingerprint_all(GOLDEN["texts"], PROFILES[name])) == frozen


def test_every_profile_has_frozen_fingerprints():
    assert set(PROFILES) == set(PRESETS) | set(GOLDEN) - {"texts"}
