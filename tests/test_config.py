from __future__ import annotations

from dataclasses import replace

import pytest

from simhash_spark.config import DedupConfig
from simhash_spark.errors import ConfigError
from simhash_spark.keep import KeepKey, parse_keep
from simhash_spark.profiles import PROFILES, Profile, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import Capped, Characters, Fnv1, Log, Md5, Mmh3, Words

CHARACTERS = {"step": "characters"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_distance": -1}, "from 0 to 16 at 64 bits, got -1"),
        ({"max_distance": 17}, "--bits 128 allows up to 32"),
        ({"max_distance": 33, "bits": 128}, "from 0 to 32 at 128 bits, got 33"),
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
        ({"weigh": {"step": "idf", "top": 0}}, "top must be a whole number from 1 to 4.*got 0"),
        ({"weigh": {"step": "idf", "tf": "count"}}, "tf must be one of log, set; got 'count'"),
        ({"threshold": "mean"}, "threshold must be one of half, median; got 'mean'"),
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
        {"weigh": Idf()},
        {"weigh": Idf("set")},
        {"weigh": Idf(top=9)},
        {"threshold": "median"},
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


def learned(profile: Profile, bits: int = 64, **values) -> Statistics:
    definition = DedupConfig(profile=profile, bits=bits).settings.definition
    return Statistics(profile.name, bits, definition, **values)


IDF = replace(PROFILES["auto"], name="rare", weigh=Idf())
MEDIAN = replace(IDF, name="even", threshold="median")


def test_statistics_of_another_profile_are_refused_and_both_are_named():
    with pytest.raises(ConfigError, match=r"learned with profile 'even' at 64 bits .*'rare' at 64"):
        DedupConfig(profile=IDF, statistics=learned(MEDIAN))


def test_statistics_of_another_length_are_refused_and_both_are_named():
    with pytest.raises(ConfigError, match=r"profile 'rare' at 64 bits .*, not with 'rare' at 128"):
        DedupConfig(profile=IDF, bits=128, statistics=learned(IDF))


def test_statistics_are_refused_where_nothing_is_learned():
    with pytest.raises(ConfigError, match="'auto' learns nothing from a corpus: leave the stat"):
        DedupConfig(statistics=learned(IDF))


@pytest.mark.parametrize(
    ("profile", "statistics"), [(IDF, None), (MEDIAN, None), (MEDIAN, learned(MEDIAN))]
)
def test_a_profile_that_has_not_learned_is_refused_where_it_is_used(profile, statistics):
    settings = DedupConfig(profile=profile, statistics=statistics).settings

    with pytest.raises(ConfigError, match=r"got no statistics: learn them with learn_statistics"):
        settings.check_learned()


def test_a_profile_that_has_learned_can_be_used():
    DedupConfig(profile=IDF, statistics=learned(IDF)).settings.check_learned()
    thresholds = learned(MEDIAN, thresholds=(1,) * 64)
    DedupConfig(profile=MEDIAN, statistics=thresholds).settings.check_learned()
    DedupConfig().settings.check_learned()


def test_a_name_changes_nothing_that_was_learned():
    renamed = replace(IDF, name="other")

    assert DedupConfig(profile=renamed, statistics=learned(IDF)).settings.statistics is not None


@pytest.mark.parametrize(
    "change",
    [
        {"n_documents": 2},
        {"features": b"12345678"},
        {"documents": b"12345678"},
        {"n_sampled": 1},
        {"thresholds": (1, 2)},
    ],
)
def test_whatever_was_learned_changes_the_digest_of_the_fingerprints(change: dict):
    digests = {
        DedupConfig(profile=MEDIAN, statistics=statistics).settings.digest
        for statistics in (None, learned(MEDIAN), learned(MEDIAN, **change))
    }

    assert len(digests) == 3


def test_where_statistics_lie_does_not_change_the_digest():
    statistics = learned(IDF)

    assert replace(statistics, source="folder").digest == statistics.digest


def test_a_profile_says_what_it_learns():
    assert IDF.needs_statistics
    assert replace(PROFILES["auto"], threshold="median").needs_statistics
    assert MEDIAN.to_mapping()["weigh"] == {"step": "idf", "tf": "log", "top": 1_000_000}
    assert Profile.from_mapping("even", MEDIAN.to_mapping()) == MEDIAN
    assert not any(PROFILES[name].needs_statistics for name in ("auto", "zh-words"))


def test_keep_reads_like_order_by():
    keys = parse_keep(" quality DESC,`length` desc , id")

    assert keys == (
        KeepKey("quality", is_descending=True),
        KeepKey("length", is_descending=True),
        KeepKey("id", is_descending=False),
    )
