from __future__ import annotations

import pytest

from simhash_spark.config import PROFILES, DedupConfig, Profile
from simhash_spark.errors import ConfigError
from simhash_spark.keep import KeepKey, parse_keep


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_distance": -1}, "from 0 to 8 at 64 bits, got -1"),
        ({"max_distance": 9}, "--bits 128 allows up to 16"),
        ({"max_distance": 17, "bits": 128}, "from 0 to 16 at 128 bits, got 17"),
        ({"max_distance": "3"}, "got '3'"),
        ({"max_distance": True}, "got True"),
        ({"max_distance": 2.5}, "got 2.5"),
        ({"bits": 65}, "bits must be 64 or 128, got 65"),
        ({"profile": "klingon"}, "one of auto, zh-words, en-words; got 'klingon'"),
        ({"cluster": "star"}, "cluster must be one of components; got 'star'"),
        ({"text_column": " "}, "text_column must be a text that is not empty"),
        ({"keep": "quality down"}, "keep must read like"),
        ({"keep": "quality desc,"}, "keep must read like"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_allowed(values: dict, message: str):
    with pytest.raises(ConfigError, match=message):
        DedupConfig(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"features": "bytes"}, "features must be one of characters, words, jieba"),
        ({"sizes": []}, "sizes must be whole numbers"),
        ({"sizes": [0]}, "sizes must be whole numbers"),
        ({"sizes": 5}, "sizes must be a list"),
        ({"unspaced_size": 0}, "unspaced_size must be a whole number from 1 to 16, got 0"),
        ({"min_features": 0}, "min_features must be a whole number"),
        ({"ngrams": 5}, "Unknown key 'ngrams' in profile 'mine'; known keys: features, sizes"),
    ],
)
def test_a_wrong_profile_is_refused(values: dict, message: str):
    with pytest.raises(ConfigError, match=message):
        Profile.from_mapping("mine", values)


def test_a_profile_name_stands_for_the_built_in_profile():
    assert DedupConfig(profile="en-words").settings.profile is PROFILES["en-words"]


def test_the_digest_changes_with_what_defines_a_fingerprint_and_only_with_that():
    digest = DedupConfig().settings.digest

    assert DedupConfig(max_distance=0, keep="id", text_column="t").settings.digest == digest
    assert DedupConfig(profile=Profile("renamed")).settings.digest == digest
    assert DedupConfig(bits=128).settings.digest != digest
    assert DedupConfig(profile=Profile("auto", sizes=(4,))).settings.digest != digest


def test_keep_reads_like_order_by():
    keys = parse_keep(" quality DESC,`length` desc , id")

    assert keys == (
        KeepKey("quality", is_descending=True),
        KeepKey("length", is_descending=True),
        KeepKey("id", is_descending=False),
    )
