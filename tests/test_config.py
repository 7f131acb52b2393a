from __future__ import annotations

from dataclasses import replace

import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.errors import ConfigError
from simhash_spark.keep import KeepKey, parse_keep
from simhash_spark.profiles import PROFILES, Profile
from simhash_spark.profiles.steps import Capped, Characters, Fnv1, Log, Md5, Mmh3, Words

CHARACTERS = {"step": "characters"}


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
        ({"profile": "klingon"}, "one of auto, zh-words, en-words, .*; got 'klingon'"),
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
        ({"tokenize": "bytes"}, "tokenize: step must be one of characters, words, .*; got 'by"),
        ({"tokenize": {"sizes": [5]}}, "tokenize: step must be one of .*; got None"),
        ({"tokenize": CHARACTERS | {"sizes": []}}, "from 1 to 16, got 0"),
        ({"tokenize": CHARACTERS | {"sizes": [0]}}, "sizes must be a whole number from 1 to 16"),
        ({"tokenize": CHARACTERS | {"sizes": 5}}, "sizes must be a list"),
        ({"tokenize": CHARACTERS | {"unspaced_size": 0}}, "unspaced_size must be .* to 16, got 0"),
        ({"tokenize": CHARACTERS | {"hmm": True}}, "key 'hmm' in .*characters; known keys: sizes"),
        ({"tokenize": {"step": "jieba", "mode": "all"}}, "mode must be one of default, search"),
        ({"tokenize": {"step": "jieba", "hmm": 1}}, "hmm must be true or false, got 1"),
        ({"weigh": "heavy"}, "weigh: step must be one of set, count, .*; got 'heavy'"),
        ({"weigh": {"step": "capped", "cap": 0}}, "cap must be a whole number from 1"),
        ({"hash": "rot13"}, "hash: step must be one of mmh3, md5, .*; got 'rot13'"),
        ({"hash": {"step": "md5", "take": "middle"}}, "take must be one of first, last"),
        ({"clean": ["nfkc", "bleach"]}, "each step of clean must be one of nfkc, .*; got 'bleach'"),
        ({"clean": "nfkc"}, "clean must be a list"),
        ({"tie": 2}, "tie must be a whole number from 0 to 1, got 2"),
        ({"min_features": 0}, "min_features must be a whole number"),
        ({"ngrams": 5}, "Unknown key 'ngrams' in profile 'mine'; known keys: tokenize, clean"),
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
    assert DedupConfig(profile=replace(PROFILES["auto"], name="new")).settings.digest == digest
    assert DedupConfig(bits=128).settings.digest != digest


def test_a_profile_refuses_a_step_in_the_wrong_place():
    with pytest.raises(ConfigError, match="weigh must be a step out of set, count"):
        Profile("mine", weigh=Mmh3())


def test_a_hash_of_fewer_bits_than_asked_is_refused():
    with pytest.raises(
        ConfigError, match="fnv1 of profile 'mine' has 64 bits, not 128: use --bits"
    ):
        DedupConfig(profile=Profile("mine", hash=Fnv1()), bits=128)


@pytest.mark.parametrize(
    "change",
    [
        {"tokenize": Characters((4,))},
        {"tokenize": Characters((5,), unspaced_size=2)},
        {"tokenize": Words((5,))},
        {"clean": ("lower",)},
        {"weigh": Log()},
        {"weigh": Capped(2)},
        {"weigh": Capped(3)},
        {"hash": Md5()},
        {"hash": Md5(take="last")},
        {"hash": Md5(byte_order="little")},
        {"tie": 1},
        {"min_features": 4},
    ],
)
def test_every_option_of_a_profile_changes_the_digest(change: dict):
    profile = replace(PROFILES["auto"], **change)

    assert DedupConfig(profile=profile).settings.digest != DedupConfig().settings.digest


def test_keep_reads_like_order_by():
    keys = parse_keep(" quality DESC,`length` desc , id")

    assert keys == (
        KeepKey("quality", is_descending=True),
        KeepKey("length", is_descending=True),
        KeepKey("id", is_descending=False),
    )
