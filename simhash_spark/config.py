"""Every setting: one frozen value, validated when it is made, with its default in one place.

A :class:`Profile` and the number of bits define a fingerprint. Everything else
decides what is done with fingerprints and may change between runs over the
same stored fingerprints.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simhash_spark.errors import ConfigError
from simhash_spark.keep import parse_keep

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFINITION = 1
"""Version of the rule that turns text into fingerprints; a change of it is a breaking change."""

LARGEST_MAX_DISTANCE = {64: 8, 128: 16}
"""Largest ``max_distance`` for each number of bits."""

FEATURE_KINDS = ("characters", "words", "jieba")
CLUSTER_RULES = ("components",)


@dataclass(frozen=True)
class Profile:
    """How text becomes a set of features.

    Parameters
    ----------
    name : str
        What the profile is called; not part of the definition.
    features : {'characters', 'words', 'jieba'}
        Character n-grams, words separated by anything that is not a letter,
        mark or digit, or words found by jieba.
    sizes : tuple of int
        n of the n-grams, in characters or words.
    unspaced_size : int
        For ``characters``: n of the n-grams that start at a character of a
        script written without spaces (Han, Kana, Thai, ...).
    min_features : int
        Documents with fewer distinct features get no fingerprint.

    Raises
    ------
    ConfigError
        If a value is unknown or out of range.
    """

    name: str
    features: str = "characters"
    sizes: tuple[int, ...] = (5,)
    unspaced_size: int = 3
    min_features: int = 5

    def __post_init__(self) -> None:
        _check_member("features", self.features, FEATURE_KINDS)
        if not self.sizes or not all(_is_int(size) and 1 <= size <= 16 for size in self.sizes):
            message = f"sizes must be whole numbers from 1 to 16, got {list(self.sizes)}."
            raise ConfigError(message)
        _check_range("unspaced_size", self.unspaced_size, 1, 16)
        _check_range("min_features", self.min_features, 1, 1_000_000)

    @classmethod
    def from_mapping(cls, name: str, values: Mapping[str, Any]) -> Profile:  # Any: parsed TOML
        """Build a profile from a parsed TOML file; unknown keys are errors."""
        known = [field.name for field in dataclasses.fields(cls) if field.name != "name"]
        _check_keys(values, known, where=f"profile '{name}'")
        sizes = values.get("sizes", cls.sizes)
        if not isinstance(sizes, (list, tuple)):
            message = f"sizes must be a list such as [5], got {sizes!r}."
            raise ConfigError(message)
        return cls(**{**values, "name": name, "sizes": tuple(sizes)})


@dataclass(frozen=True)
class DedupConfig:
    """What to read, how to compare and what to keep.

    Parameters
    ----------
    id_column : str or None
        Column that identifies a document: unique, not null, of a string,
        whole-number, decimal, date, timestamp or binary type. None: documents
        are identified by the content of their row.
    text_column : str
        Column with the text, of type string.
    profile : Profile or str
        How text becomes features; a name stands for the built-in profile.
        *Defines the fingerprint.*
    bits : {64, 128}
        Length of a fingerprint. *Defines the fingerprint.*
    max_distance : int
        Largest Hamming distance, in bits and inclusive, between two
        fingerprints that count as near-duplicates; at most 8 of 64 bits and
        16 of 128.
    cluster : {'components'}
        How pairs become clusters: connected components.
    keep : str
        ``ORDER BY`` list that ranks the members of a cluster; the first one
        survives. Any column of the input, ``length`` (characters of the text)
        and ``id``. Nulls and NaN come last. Ties go to the smallest id.

    Raises
    ------
    ConfigError
        If a value is unknown, of the wrong type or out of range.
    """

    id_column: str | None = "id"
    text_column: str = "text"
    profile: Profile | str = "auto"
    bits: int = 64
    max_distance: int = 3
    cluster: str = "components"
    keep: str = "length desc, id asc"

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", _profile_of(self.profile))
        if not _is_int(self.bits) or self.bits not in LARGEST_MAX_DISTANCE:
            message = f"bits must be 64 or 128, got {self.bits!r}."
            raise ConfigError(message)
        self._check_max_distance()
        _check_member("cluster", self.cluster, CLUSTER_RULES)
        for name in ("text_column", "keep"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                message = f"{name} must be a text that is not empty, got {getattr(self, name)!r}."
                raise ConfigError(message)
        parse_keep(self.keep)

    def _check_max_distance(self) -> None:
        limit = LARGEST_MAX_DISTANCE[self.bits]
        if not _is_int(self.max_distance) or not 0 <= self.max_distance <= limit:
            hint = " --bits 128 allows up to 16." if self.bits == 64 else ""
            message = (
                f"max_distance must be a whole number from 0 to {limit} at {self.bits} bits, "
                f"got {self.max_distance!r}.{hint}"
            )
            raise ConfigError(message)

    @property
    def settings(self) -> FingerprintSettings:
        """Everything that defines a fingerprint."""
        assert isinstance(self.profile, Profile)  # noqa: S101 - __post_init__ made it one
        return FingerprintSettings(self.profile, self.bits)


@dataclass(frozen=True)
class FingerprintSettings:
    """Everything that defines a fingerprint, as one value.

    Parameters
    ----------
    profile : Profile
        How text becomes features.
    bits : {64, 128}
        Length of the fingerprint.
    """

    profile: Profile
    bits: int = 64

    @property
    def digest(self) -> str:
        """Hash that is equal exactly where fingerprints can be compared."""
        definition = dataclasses.asdict(self.profile) | {"bits": self.bits, "v": DEFINITION}
        del definition["name"]
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:16]


def _profile_of(profile: Profile | str) -> Profile:
    if isinstance(profile, Profile):
        return profile
    _check_member("profile", profile, tuple(PROFILES))
    return PROFILES[profile]


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_range(name: str, value: object, low: int, high: int) -> None:
    if not _is_int(value) or not low <= value <= high:  # type: ignore[operator]
        message = f"{name} must be a whole number from {low} to {high}, got {value!r}."
        raise ConfigError(message)


def _check_member(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        message = f"{name} must be one of {', '.join(allowed)}; got {value!r}."
        raise ConfigError(message)


def _check_keys(values: Mapping[str, object], known: list[str], *, where: str) -> None:
    if unknown := sorted(set(values) - set(known)):
        message = f"Unknown key {unknown[0]!r} in {where}; known keys: {', '.join(known)}."
        raise ConfigError(message)


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("auto", features="characters", sizes=(5,), unspaced_size=3, min_features=5),
        Profile("zh-words", features="jieba", sizes=(1, 2), min_features=5),
        Profile("en-words", features="words", sizes=(3,), min_features=5),
    )
}
"""The profiles that can be asked for by name; conf/profiles holds the same as files."""
