"""What defines a fingerprint, as one value, and the digest of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simhash_spark.errors import ConfigError
from simhash_spark.profiles.learned import Idf, Statistics
from simhash_spark.profiles.profile import STEPS

if TYPE_CHECKING:
    from simhash_spark.profiles.profile import Profile

DEFINITION = 2
"""Version of the rule that turns text into fingerprints; a change of it is a breaking change."""


@dataclass(frozen=True)
class FingerprintSettings:
    """Everything that defines a fingerprint, as one value.

    Parameters
    ----------
    profile : Profile
        How text becomes a fingerprint.
    bits : {64, 128}
        Length of the fingerprint.
    features_column : str or None
        Column of features that are hashed in place of those of the text.
    statistics : Statistics, optional
        What the profile has learned from a corpus.

    Raises
    ------
    ConfigError
        If the hash of the profile has fewer bits, or the statistics are not
        those of this profile and length.
    """

    profile: Profile
    bits: int = 64
    features_column: str | None = None
    statistics: Statistics | None = None

    def __post_init__(self) -> None:
        if self.profile.hash.bits < self.bits:
            fitting = [name for name, kind in STEPS["hash"].items() if kind.bits >= self.bits]
            message = (
                f"hash {self.profile.hash.step} of profile '{self.profile.name}' has "
                f"{self.profile.hash.bits} bits, not {self.bits}: use --bits 64, or one of "
                f"{', '.join(fitting)}."
            )
            raise ConfigError(message)
        if self.features_column is not None and self.profile.needs_statistics:
            message = (
                f"Profile '{self.profile.name}' learns from the features of texts, which a "
                "features column replaces: give the features their weights, or take a profile "
                "such as auto."
            )
            raise ConfigError(message)
        if self.statistics is not None:
            self._check_statistics(self.statistics)

    def _check_statistics(self, statistics: object) -> None:
        profile, bits = self.profile, self.bits
        if not isinstance(statistics, Statistics):
            message = (
                f"statistics must be Statistics, got {statistics!r}: load them with "
                "load_statistics(spark, path)."
            )
            raise ConfigError(message)
        if not profile.needs_statistics:
            message = (
                f"Profile '{profile.name}' learns nothing from a corpus: leave the statistics out, "
                "or use a profile with weigh = idf or threshold = median."
            )
            raise ConfigError(message)
        if statistics.definition != self.definition:
            message = (
                f"The statistics were learned with profile '{statistics.profile}' at "
                f"{statistics.bits} bits ({statistics.definition}), not with '{profile.name}' at "
                f"{bits} ({self.definition}): learn them anew, in another folder."
            )
            raise ConfigError(message)

    @property
    def n_words(self) -> int:
        """Words of 64 bits that a fingerprint takes."""
        return self.bits // 64

    @property
    def is_cut(self) -> bool:
        """Whether ``idf`` knows as many features as it keeps; the rest count as of one document."""
        weigh, learned = self.profile.weigh, self.statistics
        return isinstance(weigh, Idf) and learned is not None and learned.n_features >= weigh.top

    def check_learned(self) -> None:
        """Refuse a profile that has not yet learned what it needs."""
        is_complete = self.statistics is not None and (
            self.profile.threshold == "half" or self.statistics.thresholds
        )
        if self.profile.needs_statistics and not is_complete:
            message = (
                f"Profile '{self.profile.name}' learns from a corpus and got no statistics: learn "
                "them with learn_statistics(documents, config), or name a folder with --statistics."
            )
            raise ConfigError(message)

    @property
    def definition(self) -> str:
        """Hash of profile and length, without what was learned."""
        return _digest_of(self._definition)

    @property
    def digest(self) -> str:
        """Hash that is equal exactly where fingerprints can be compared."""
        if self.statistics is None:
            return self.definition
        return _digest_of(self._definition | {"statistics": self.statistics.digest})

    @property
    def _definition(self) -> dict[str, Any]:  # Any: values of TOML
        definition = self.profile.to_mapping(files="digest") | {"bits": self.bits, "v": DEFINITION}
        if self.features_column is not None:
            definition |= {"clean": [], "tokenize": {"column": self.features_column}}
        return definition


def _digest_of(definition: dict[str, Any]) -> str:  # Any: values of TOML
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:16]
