"""The built-in profiles, by name; ``conf/profiles`` holds the same as files."""

from __future__ import annotations

from simhash_spark.checks import check_member
from simhash_spark.profiles.files import read_profile
from simhash_spark.profiles.lists import WordList
from simhash_spark.profiles.profile import Profile
from simhash_spark.profiles.scored import Keywords, Scored, Tagged
from simhash_spark.profiles.steps import (
    USUAL,
    Characters,
    Count,
    Given,
    Jieba,
    Md5,
    Polynomial,
    Words,
)

LETTERS = ("lower", "only-words")
COMPACT = ("html", "lower", "halfwidth", "no-spaces")

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("auto", Characters((5,), unspaced_size=3), (*USUAL, "unspaced")),
        Profile("zh-words", Jieba((1, 2))),
        Profile("en-words", Words((3,), stem="english")),
        Profile("md5-jieba", Jieba(punctuation=True), (), Count(), Md5(), min_features=1),
        Profile("pypi-simhash", Characters((4,), 4), LETTERS, Count(), Md5("last"), min_features=1),
        Profile("tfidf-keywords", Keywords(10), (), Given(), Polynomial(), min_features=1),
        Profile("pos-weighted", Tagged(), COMPACT, Given(), Polynomial(3), tie=1, min_features=1),
        Profile("mmh3-weighted", Scored((WordList("stop"), WordList("exempt"))), USUAL, Given()),
    )
}
"""The profiles that can be asked for by name."""


def profile_of(profile: Profile | str) -> Profile:
    """Give the built-in profile of that name, or that of a file; a profile is given back.

    >>> profile_of("en-words").tokenize
    Words(sizes=(3,), stem='english')
    """
    if isinstance(profile, Profile):
        return profile
    if isinstance(profile, str) and profile.endswith(".toml"):
        return read_profile(profile)
    check_member("profile", profile, (*PROFILES, "FILE.toml"))
    return PROFILES[profile]
