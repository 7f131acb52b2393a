"""Fingerprints that others published, or that their programs gave: see golden/vectors.json."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simhash_spark.core.fingerprints import fingerprint_features, fingerprint_texts
from simhash_spark.core.vote.votes import count_votes, majority, total_weights
from simhash_spark.core.vote.weights import as_whole
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Blake2b, Characters, Count, Fnv1, Hash, Jenkins, Md5

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors.json").read_text("utf-8"))
HASHES = {
    "MD5 first 8 bytes, big-endian": Md5("first"),
    "MD5 last 8 bytes, big-endian": Md5("last"),
    "MD5 all 16 bytes, big-endian": Md5(),
    "FNV-1 64 (not 1a)": Fnv1(),
    "FNV-1 64 of each rune in UTF-8": Fnv1(),
    "Jenkins lookup3 hashlittle2: (pc<<32)|pb, seeds 0": Jenkins(),
    "BLAKE2b digest_size=8, big-endian": Blake2b(),
}
SEOMOZ = Profile(
    "seomoz", Characters((4,), 4), ("lower", "only-words"), Count(), Md5("first"), min_features=1
)
BY_RULE = {
    "lower; keep [\\w]+ joined; 4-char grams with counts; short text is one gram": PROFILES[
        "pypi-simhash"
    ],
    "lower; re.split(\\W+) joined; 4-char grams": SEOMOZ,
}
GIVEN = [vector for vector in VECTORS if isinstance(vector["features"], list)]
HASHED = [vector for vector in VECTORS if vector["features"] == "pre-hashed"]
TEXTS = [vector for vector in VECTORS if vector["features"] in list(BY_RULE)]


def title_of(vector: dict) -> str:
    return f"{vector['source']}: {vector['value_hex']}"


def number_of(words: np.ndarray) -> str:
    return "".join(f"{word:016x}" for word in words[0, ::-1].tolist())


def buffer_of(*texts: str) -> tuple[np.ndarray, np.ndarray]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def of_features(features: list[str], rule: Hash, vector: dict) -> str:
    settings = FingerprintSettings(
        Profile("vector", weigh=Count(), hash=rule, tie=vector["tie_bit"]), vector["bits"]
    )
    weights = vector.get("weights")
    batch = fingerprint_features(
        buffer_of(*features),
        np.array([len(features)], dtype=np.int64),
        settings,
        None if weights is None else np.array(weights, dtype=np.float64),
    )
    return number_of(batch.words)


def test_every_vector_is_tested():
    assert len(GIVEN) + len(HASHED) + len(TEXTS) == len(VECTORS)


@pytest.mark.parametrize("vector", GIVEN, ids=title_of)
def test_given_features_give_the_published_fingerprint(vector: dict):
    actual = of_features(vector["features"], HASHES[vector["feature_hash"]], vector)

    assert actual == vector["value_hex"]


@pytest.mark.parametrize("vector", HASHED, ids=title_of)
def test_given_hashes_give_the_published_fingerprint(vector: dict):
    hashes = np.array([[int(value, 0)] for value in vector["hashes"]], dtype=np.uint64)
    n_features = np.array([len(hashes)], dtype=np.int64)
    weights = np.array(vector.get("weights", [1.0] * len(hashes)), dtype=np.float64)

    whole = as_whole(weights, np.zeros(len(hashes), dtype=np.int64), 1)
    votes = count_votes(hashes, n_features, whole)

    actual = majority(votes, total_weights(n_features, whole), vector["tie_bit"])
    assert number_of(actual) == vector["value_hex"]


@pytest.mark.parametrize("vector", TEXTS, ids=title_of)
def test_texts_give_the_published_fingerprint(vector: dict):
    profile = BY_RULE[vector["features"]]

    batch = fingerprint_texts(*buffer_of(vector["text"]), FingerprintSettings(profile))

    if vector["text"]:
        assert number_of(batch.words) == vector["value_hex"]
    else:  # PyPI simhash hashes the empty text as a feature; here it has no fingerprint
        assert not batch.has_fingerprint[0]
        assert of_features([""], profile.hash, vector) == vector["value_hex"]


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("世界卫生组织", "0000000001010000000100101011010110110101010101011010001110010010"),
        ("世界组织", "0100000010000110000100110000000010001000110010000000010010010000"),
    ],
)
def test_md5_jieba_prints_what_the_tutorial_prints(text: str, bits: str):
    batch = fingerprint_texts(*buffer_of(text), FingerprintSettings(PROFILES["md5-jieba"]))

    assert f"{batch.words[0, 0]:064b}" == bits
