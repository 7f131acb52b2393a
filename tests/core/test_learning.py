from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_spark.core import counting, learning, longtexts
from simhash_spark.core.fingerprints import fingerprint_features, fingerprint_texts
from simhash_spark.core.learning import document_counts, shares_of_texts
from simhash_spark.core.vote import frequencies, ranges
from simhash_spark.core.vote.frequencies import count_equal, idf_of
from simhash_spark.core.vote.thresholds import median_shares
from simhash_spark.core.vote.weights import as_whole
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import FingerprintSettings, Profile, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Characters, Count, Jieba, Log, Md5, Words
from tests import oracles

PROFILES = [
    Profile("characters", Characters((2,), 1), weigh=Idf(), min_features=2),
    Profile("words", Words((1, 2)), weigh=Idf("set"), hash=Md5("last"), min_features=1),
    Profile("few", Characters((1,), 1), weigh=Idf("log", top=3), min_features=1, tie=1),
    Profile("jieba", Jieba((1, 2)), weigh=Idf(), min_features=1),
    Profile("median", Characters((2,), 1), threshold="median", min_features=1),
    Profile("log-median", Words(), weigh=Log(), threshold="median", min_features=1, tie=1),
    Profile("both", Characters((1, 3), 1), weigh=Idf(), threshold="median", min_features=1),
]
BY_NAME = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
WORDS = ["fox", "the ", " ", "数据", "库", "dog", "é", "\n"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map("".join), min_size=1, max_size=8)


def buffers(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def counted(batches: list[list[str]], wanted: FingerprintSettings) -> tuple[dict[int, int], int]:
    totals: Counter[int] = Counter()
    n_documents = 0
    for features, counts, n_more in document_counts(map(buffers, batches), wanted):
        totals.update(dict(zip(features.tolist(), counts.tolist(), strict=True)))
        n_documents += n_more
    return dict(totals), n_documents


def frequencies_of(learned: oracles.Learned) -> dict[str, object]:
    features = sorted(learned.frequencies)
    return {
        "n_documents": learned.n_documents,
        "features": np.array(features, dtype="<u8").tobytes(),
        "documents": np.array([learned.frequencies[f] for f in features], dtype="<i8").tobytes(),
    }


def settled(texts: list[str], profile: Profile, bits: int) -> FingerprintSettings:
    """Settings with statistics whose frequencies are the oracle's; thresholds are ours."""
    plain = FingerprintSettings(profile, bits)
    known = frequencies_of(oracles.Learned(texts, replace(profile, threshold="half"), bits))
    statistics = Statistics(profile.name, bits, plain.definition, **known)
    if profile.threshold == "median":
        weighing = replace(plain, statistics=statistics)
        shares = shares_of_texts(*buffers(sorted(set(texts))), weighing)
        medians = median_shares(shares) if len(shares) else (0,) * bits
        statistics = replace(statistics, n_sampled=len(shares), thresholds=medians)
    return replace(plain, statistics=statistics)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 3), st.integers(0, 9))))
def test_counts_of_equal_features_add_up(pairs: list[tuple[int, int]]):
    given_features = np.array([feature for feature, _ in pairs], dtype=np.uint64)
    given_counts = np.array([count for _, count in pairs], dtype=np.int64)

    features, counts = count_equal(given_features, given_counts)
    alone, times = count_equal(given_features)

    expected: Counter[int] = Counter()
    for feature, count in pairs:
        expected[feature] += count
    assert features.tolist() == alone.tolist() == sorted(expected)
    assert counts.tolist() == [expected[feature] for feature in sorted(expected)]
    occurrences = Counter(feature for feature, _ in pairs)
    assert times.tolist() == [occurrences[feature] for feature in sorted(expected)]


@BY_NAME
@settings(max_examples=30)
@given(texts=TEXTS, bits=st.sampled_from([64, 128]), cut=st.integers(0, 8))
def test_frequencies_are_those_of_a_counter(profile: Profile, texts: list[str], bits: int, cut):
    expected = Counter(
        feature
        for text in texts
        for feature in {
            oracles.hash_of(f, profile.hash, bits)[0] for f in oracles.features_of(text, profile)
        }
    )

    actual, n_documents = counted([texts[:cut], texts[cut:]], FingerprintSettings(profile, bits))

    assert actual == dict(expected)
    assert n_documents == sum(bool(oracles.features_of(text, profile)) for text in texts)


def test_frequencies_do_not_depend_on_the_pieces_they_are_counted_in(
    monkeypatch: pytest.MonkeyPatch,
):
    rng = random.Random(1)
    texts = ["".join(rng.choices(WORDS, k=200)) for _ in range(9)] + ["", "fox"]
    wanted = FingerprintSettings(PROFILES[0])
    whole = counted([texts], wanted)

    monkeypatch.setattr(counting, "LONG_BYTES", 100)
    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", 50)
    monkeypatch.setattr(longtexts, "WINDOW_BYTES", 64)
    monkeypatch.setattr(ranges, "MOST_HASHES", 16)
    monkeypatch.setattr(learning, "MOST_FEATURES", 10)

    assert counted([texts[:4], texts[4:]], wanted) == whole
    assert whole[1] == 10


def test_idf_is_that_of_scikit_learn_and_an_unknown_feature_counts_as_one_of_one_document():
    """1 + ln((1 + n) / (1 + d)): n = 9; d = 9, 4 and, unknown, 1."""
    known = np.array([5, 7], dtype="<u8").tobytes(), np.array([4, 9], dtype="<i8").tobytes()
    features = np.array([7, 5, 6, 8, 0, 2**64 - 1], dtype=np.uint64)

    idf = idf_of(features, Statistics("p", 64, "", 9, *known))
    without = idf_of(features[:1], Statistics("p", 64, "", 9))

    ln2, ln5 = 0.6931471805599453, 1.6094379124341003
    assert idf.tolist() == pytest.approx([1, 1 + ln2, *[1 + ln5] * 4])
    assert without.tolist() == pytest.approx([1 + ln5])


FEATURES = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 5),  # all with the same first bits
    st.integers(2**64 - 4, 2**64 - 1),
    st.integers(2**63 - 2, 2**63 + 2),
)


@pytest.mark.parametrize("most_alike", [0, 64])
@settings(max_examples=60)
@given(known=st.dictionaries(FEATURES, st.integers(2, 10**12)), others=st.lists(FEATURES))
def test_every_feature_finds_its_own_idf(most_alike: int, known: dict, others: list[int]):
    documents = np.array([known[feature] for feature in sorted(known)], dtype="<i8").tobytes()
    arrays = np.array(sorted(known), dtype="<u8").tobytes(), documents
    wanted = [*known, *others]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frequencies, "MOST_ALIKE", most_alike)
        patch.setattr(frequencies, "once_per_worker", lambda _, build: build())
        idf = idf_of(np.array(wanted, dtype=np.uint64), Statistics("p", 64, "", 10**12, *arrays))

    expected = [1 + math.log((1 + 10**12) / (1 + known.get(one, 1))) for one in wanted]
    assert idf.tolist() == pytest.approx(expected)


def test_other_statistics_give_another_idf_in_the_same_worker():
    feature = np.array([5], dtype=np.uint64)
    known = np.array([5], dtype="<u8").tobytes()
    three, nine = (
        Statistics("p", 64, "", 9, known, np.array([n], dtype="<i8").tobytes()) for n in (3, 9)
    )

    assert [idf_of(feature, one)[0] for one in (nine, three, nine)] == pytest.approx(
        [1, 1 + math.log(10 / 4), 1]
    )


@BY_NAME
@settings(max_examples=30)
@given(texts=TEXTS, bits=st.sampled_from([64, 128]))
def test_fingerprints_are_those_of_the_oracle(profile: Profile, texts: list[str], bits: int):
    wanted = settled(texts, profile, bits)

    batch = fingerprint_texts(*buffers(texts), wanted)

    learned = oracles.Learned(texts, profile, bits)
    if learned.thresholds:
        assert list(wanted.statistics.thresholds) == learned.thresholds
    rows = zip(batch.words.tolist(), batch.has_fingerprint, strict=True)
    assert [tuple(words) if has else None for words, has in rows] == [
        oracles.fingerprint(text, profile, bits, learned) for text in texts
    ]


@BY_NAME
def test_a_long_text_has_the_fingerprint_of_the_whole(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
):
    rng = random.Random(2)
    texts = ["".join(rng.choices(WORDS, k=300)) for _ in range(4)]
    wanted = settled(texts, profile, 64)
    whole = fingerprint_texts(*buffers(texts), wanted)

    monkeypatch.setattr(counting, "LONG_BYTES", 100)
    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", 50)
    monkeypatch.setattr(longtexts, "WINDOW_BYTES", 64)
    monkeypatch.setattr(ranges, "MOST_HASHES", 16)
    in_pieces = fingerprint_texts(*buffers(texts), wanted)

    assert in_pieces.words.tolist() == whole.words.tolist()
    assert settled(texts, profile, 64) == wanted


def test_every_bit_is_set_in_half_of_the_fingerprints():
    rng = random.Random(3)
    letters = "aaaaaaaaabcdefghij"
    texts = ["".join(rng.choices(letters, k=rng.randrange(50, 90))) for _ in range(400)]
    profile = Profile("p", Characters((3,)), weigh=Log())

    before = fingerprint_texts(*buffers(texts), FingerprintSettings(profile)).words
    balanced = settled(texts, replace(profile, threshold="median"), 64)
    after = fingerprint_texts(*buffers(texts), balanced).words

    shares = [np.unpackbits(words.view(np.uint8), axis=1).mean(axis=0) for words in (before, after)]
    assert shares[0].min() < 0.1
    assert shares[1].min() >= 0.48
    assert shares[1].max() <= 0.52


def test_shares_are_those_of_texts_with_a_fingerprint():
    wanted = FingerprintSettings(Profile("p", Words(), weigh=Count(), min_features=2))

    assert shares_of_texts(*buffers(["one two", "one", "", "..."]), wanted).shape == (1, 64)
    assert shares_of_texts(*buffers([]), wanted).shape == (0, 64)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused_with_its_feature(weight: float):
    data, offsets = buffers(["the", "雪", "fox"])
    weights = np.array([1.0, weight, 2.0])

    with pytest.raises(ConfigError, match=f"weight of feature '雪' is {weight}: it must be fin"):
        fingerprint_features(
            (data, offsets), np.array([3]), FingerprintSettings(Profile("p")), weights
        )


def test_weights_of_many_features_add_up_to_less_than_2_to_the_63(
    monkeypatch: pytest.MonkeyPatch,
):
    """Scaled to 40 bits each, 2^23 equal weights of one document overflowed."""
    monkeypatch.setattr("simhash_spark.core.vote.weights.FIXED_BITS", 60)
    docs = np.array([0] * 16 + [1] * 2, dtype=np.int64)

    whole = as_whole(np.array([3.0] * 16 + [1.0, 3.0]), docs, 3)

    sums = [sum(whole[docs == doc].tolist()) for doc in (0, 1)]
    assert all(2**58 < one < 2**63 for one in sums)
    assert whole[17] == 3 * whole[16]
