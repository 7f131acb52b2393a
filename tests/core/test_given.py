"""Features that are given, with weights or without."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_spark.core import counting, longtexts
from simhash_spark.core.fingerprints import FingerprintBatch, fingerprint_features
from simhash_spark.core.vote import ranges
from simhash_spark.core.vote.weights import as_whole, exponents_of
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Capped, Count, Fnv1a, Given, Log, Md5, Once
from tests import oracles

SET = Profile("set", min_features=1)
TIE = Profile("tie", hash=Md5(), tie=1, min_features=3)
RULES = [
    Profile(rule.step, weigh=rule, hash=hash_, min_features=2)
    for rule in (Once(), Count(), Log(), Capped(2))
    for hash_ in (Md5("last"), Fnv1a())
]
FEATURE = st.sampled_from(["", "a", "b", "世界", "dog", "a longer feature of many bytes"])
DYADIC = st.integers(0, 2**20).map(lambda n: n / 64)


def fingerprint_all(
    documents: list[list[str]] | list[list[tuple[str, float]]], profile: Profile, bits: int = 64
) -> FingerprintBatch:
    rows = [row for document in documents for row in document]
    is_weighed = any(not isinstance(row, str) for row in rows)
    raw = [(row[0] if is_weighed else row).encode() for row in rows]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    return fingerprint_features(
        (data, offsets),
        np.array([len(document) for document in documents], dtype=np.int64),
        FingerprintSettings(profile, bits),
        np.array([row[1] for row in rows], dtype=np.float64) if is_weighed else None,
    )


def words_of(batch: FingerprintBatch) -> list[tuple[int, ...] | None]:
    rows = zip(batch.words.tolist(), batch.has_fingerprint, strict=True)
    return [tuple(words) if has_fingerprint else None for words, has_fingerprint in rows]


@pytest.mark.parametrize(("profile", "bits"), [(SET, 64), (SET, 128), (TIE, 64), (TIE, 128)])
@settings(max_examples=60)
@given(st.lists(st.lists(st.tuples(FEATURE, DYADIC), max_size=8), max_size=5))
def test_weighed_features_give_the_fingerprint_of_the_oracle(profile, bits, documents):
    batch = fingerprint_all(documents, profile, bits)

    assert words_of(batch) == [oracles.fingerprint_given(d, profile, bits) for d in documents]
    distinct = [len({feature for feature, weight in d if weight}) for d in documents]
    assert batch.n_features.tolist() == distinct


@pytest.mark.parametrize("profile", RULES, ids=lambda p: f"{p.name}-{p.hash.step}")
@settings(max_examples=40)
@given(st.lists(st.lists(FEATURE, max_size=9), max_size=5))
def test_features_without_weights_are_weighed_by_the_profile(profile, documents):
    batch = fingerprint_all(documents, profile)

    assert words_of(batch) == [oracles.fingerprint_given(d, profile) for d in documents]


@pytest.mark.parametrize("name", ["auto", "md5-jieba", "en-words", "pypi-simhash"])
def test_the_features_of_a_profile_give_its_fingerprint(name: str):
    texts = ["to be or not to be, that is the question", "世界卫生组织 WHO", "x", ""]
    documents = [oracles.features_of(text, PROFILES[name]) for text in texts]

    actual = words_of(fingerprint_all(documents, PROFILES[name]))

    assert actual == [oracles.fingerprint(text, PROFILES[name]) for text in texts]


def test_weights_of_a_repeated_feature_add_up():
    apart = [[("dog", 1.5), ("cat", 2.0), ("dog", 0.75)]]
    together = [[("dog", 2.25), ("cat", 2.0)]]

    assert words_of(fingerprint_all(apart, SET)) == words_of(fingerprint_all(together, SET))
    assert fingerprint_all(apart, SET).n_features.tolist() == [2]
    # dog outweighs cat only by both of its weights, so every bit is dog's
    assert words_of(fingerprint_all(apart, SET)) == [oracles.hash_of("dog", SET.hash, 64)]


def test_features_of_weight_0_are_none():
    documents = [[("a", 0.0), ("b", 0.0)], [("a", 0.0), ("b", 1.0)], []]

    batch = fingerprint_all(documents, SET)

    assert batch.n_features.tolist() == [0, 1, 0]
    assert words_of(batch) == [None, oracles.hash_of("b", SET.hash, 64), None]


@pytest.mark.parametrize("factor", [2.0**-1060, 2.0**-300, 0.125, 2.0**900])
def test_the_unit_of_the_weights_leaves_no_trace(factor: float):
    weights = {"a": 3.0, "b": 5.0, "c": 7.0, "d": 9.0, "e": 6.0}
    scaled = [[(feature, weight * factor) for feature, weight in weights.items()]]

    actual = words_of(fingerprint_all(scaled, SET))

    assert actual == words_of(fingerprint_all([list(weights.items())], SET))


def random_documents(*, is_weighed: bool) -> list:
    rng = np.random.default_rng(5)
    sizes = [0, 3, 1, 40, 700, 2, 0, 90]
    drawn = [rng.integers(0, 120, size=(size, 2)).tolist() for size in sizes]
    if not is_weighed:
        return [[f"feature {n}" for n, _ in pairs] for pairs in drawn]
    return [[(f"feature {n}", float(w % 7)) for n, w in pairs] for pairs in drawn]


@pytest.mark.parametrize("most_hashes", [16, 10_000])
@pytest.mark.parametrize("profile", [SET, TIE, *RULES], ids=lambda p: f"{p.name}-{p.hash.step}")
@pytest.mark.parametrize("is_weighed", [True, False])
def test_chunks_and_pieces_leave_no_trace(
    profile: Profile,
    is_weighed: bool,  # noqa: FBT001
    most_hashes: int,
    monkeypatch: pytest.MonkeyPatch,
):
    documents = random_documents(is_weighed=is_weighed)
    whole = fingerprint_all(documents, profile)
    assert words_of(whole) == [oracles.fingerprint_given(d, profile) for d in documents]

    monkeypatch.setattr(counting, "CHUNK_FEATURES", 5)
    monkeypatch.setattr(counting, "LONG_FEATURES", 20)
    monkeypatch.setattr(longtexts, "PIECE_FEATURES", 7)
    monkeypatch.setattr(ranges, "MOST_HASHES", most_hashes)
    in_pieces = fingerprint_all(documents, profile)

    assert in_pieces.words.tolist() == whole.words.tolist()
    assert in_pieces.n_features.tolist() == whole.n_features.tolist()


@pytest.mark.parametrize("weight", [-1.0, -1e-300, float("nan"), float("inf"), float("-inf")])
def test_a_weight_that_is_no_finite_number_from_0_on_is_refused(weight: float):
    message = f"The weight of feature 'b' is {weight}: it must be finite and not negative."
    with pytest.raises(ConfigError, match=message):
        fingerprint_all([[("a", 1.0)] * 3, [("a", 1.0), ("b", weight)]], SET)
    with pytest.raises(ConfigError, match=f"feature '1' is {weight}"):
        as_whole(np.array([1.0, weight]), np.zeros(2, dtype=np.int64), 1)


def test_a_wrong_weight_is_found_in_any_chunk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counting, "CHUNK_FEATURES", 2)
    with pytest.raises(ConfigError, match=r"feature 'b' is -1\.0"):
        fingerprint_all([[("a", 1.0)] * 5, [("b", -1.0)]], SET)


def test_given_weights_must_be_given():
    with pytest.raises(ConfigError, match="weigh = given needs features with weights"):
        fingerprint_all([["a"]], PROFILES["mmh3-weighted"])
    assert PROFILES["mmh3-weighted"].weigh == Given()


@given(st.integers(1, 2**40), st.floats(1e-320, 1.7e308))
def test_the_sum_of_the_weights_of_a_document_fits_a_long(n_features: int, largest: float):
    (exponent,) = exponents_of(np.array([largest]), np.array([n_features])).tolist()

    mantissa, scale = np.frexp(largest)
    assert round(mantissa * 2.0 ** float(scale + exponent)) * n_features <= 2**61


MEASURE = """
import resource
import numpy as np
from simhash_spark.core.fingerprints import fingerprint_features
from simhash_spark.profiles import FingerprintSettings, Profile
n = 4_000_000
rng = np.random.default_rng(1)
data = rng.integers(97, 123, size=12 * n, dtype=np.uint8)
offsets = np.arange(n + 1, dtype=np.int64) * 12
weights = rng.random(n)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
batch = fingerprint_features(
    (data, offsets), np.array([n], dtype=np.int64), FingerprintSettings(Profile("p")), WEIGHTS
)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) >> 10, int(batch.n_features[0]))
"""


@pytest.mark.parametrize("weights", ["weights", "None"])
def test_a_document_of_millions_of_features_takes_bounded_memory(weights: str):
    seen = subprocess.run(
        [sys.executable, "-c", MEASURE.replace("WEIGHTS", weights)],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )

    megabytes, n_features = map(int, seen.stdout.split())
    assert megabytes < 300
    assert n_features == 4_000_000
