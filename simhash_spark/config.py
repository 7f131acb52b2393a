"""Every setting: one frozen value, validated when it is made, with its default in one place.

A profile and the number of bits define a fingerprint (``profiles``). Everything else
decides what is done with fingerprints and may change between runs over the
same stored fingerprints.
"""

from __future__ import annotations

from dataclasses import dataclass

from simhash_spark.checks import check_member
from simhash_spark.errors import ConfigError
from simhash_spark.keep import parse_keep
from simhash_spark.profiles import FingerprintSettings, Profile, Statistics, profile_of

LARGEST_MAX_DISTANCE = {64: 16, 128: 32}
"""Largest ``max_distance`` for each number of bits."""

CLUSTER_RULES = ("components",)


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
        fingerprints that count as near-duplicates; at most 16 of 64 bits and
        32 of 128.
    recall : float, optional
        Share of the pairs at ``max_distance`` that are found at least, above 0 and below
        1; of nearer pairs more are found. None: all pairs are found.
    bucket_pairs : int
        Pairs of one bucket (fingerprints that agree on some bits) that are listed
        in full. Of a bucket with more only a spanning forest is listed, with the
        same clusters, and the pairs left out are counted. 0: all are listed. A search
        by windows, for a recall, has no buckets.
    cluster : {'components'}
        How pairs become clusters: connected components.
    keep : str
        ``ORDER BY`` list that ranks the members of a cluster; the first one
        survives. Any column of the input, ``length`` (characters of the text)
        and ``id``. Nulls and NaN come last. Ties go to the smallest id.
    features_column : str or None
        Column with features, of type ``array<string>``, ``array<struct<feature:
        string, weight: number>>`` or ``map<string, number>``: they are taken in
        place of those of the text, and the text column may be missing then
        (``length`` is null). Weights of repeated features add up; features
        without weights get theirs from the step ``weigh`` of the profile, whose
        steps before it do not count. *Defines the fingerprint.*
    statistics : Statistics, optional
        What the profile has learned from a corpus, where it does.
        *Defines the fingerprint.*

    Raises
    ------
    ConfigError
        If a value is unknown, of the wrong type or out of range, or the
        statistics are those of another profile or length.
    """

    id_column: str | None = "id"
    text_column: str = "text"
    profile: Profile | str = "auto"
    bits: int = 64
    max_distance: int = 3
    recall: float | None = None
    bucket_pairs: int = 10_000
    cluster: str = "components"
    keep: str = "length desc, id asc"
    features_column: str | None = None
    statistics: Statistics | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", profile_of(self.profile))
        if not isinstance(self.bits, int) or self.bits not in LARGEST_MAX_DISTANCE:
            message = f"bits must be 64 or 128, got {self.bits!r}."
            raise ConfigError(message)
        assert self.settings  # noqa: S101 - made to be checked
        self._check_search()
        check_member("cluster", self.cluster, CLUSTER_RULES)
        named = ("text_column", "keep", "features_column")
        for name in named[: 2 if self.features_column is None else 3]:
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                message = f"{name} must be a text that is not empty, got {getattr(self, name)!r}."
                raise ConfigError(message)
        parse_keep(self.keep)

    def _check_search(self) -> None:
        limit = LARGEST_MAX_DISTANCE[self.bits]
        if type(self.max_distance) is not int or not 0 <= self.max_distance <= limit:
            hint = " --bits 128 allows up to 32." if self.bits == 64 else ""
            message = (
                f"max_distance must be a whole number from 0 to {limit} at {self.bits} bits, "
                f"got {self.max_distance!r}.{hint}"
            )
            raise ConfigError(message)
        is_number = isinstance(self.recall, (int, float))
        if self.recall is not None and not (is_number and 0 < self.recall < 1):
            message = (
                f"recall must be a number above 0 and below 1, got {self.recall!r}: say 0.95, or "
                "leave it out to find all pairs."
            )
            raise ConfigError(message)
        if type(self.bucket_pairs) is not int or self.bucket_pairs < 0:
            message = (
                "bucket_pairs must be a whole number from 1 up, or 0 to list all pairs, "
                f"got {self.bucket_pairs!r}."
            )
            raise ConfigError(message)

    @property
    def settings(self) -> FingerprintSettings:
        """Everything that defines a fingerprint."""
        assert isinstance(self.profile, Profile)  # noqa: S101 - __post_init__ made it one
        return FingerprintSettings(self.profile, self.bits, self.features_column, self.statistics)
