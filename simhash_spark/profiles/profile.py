"""A profile: how text becomes a fingerprint, as named steps, in the order in which they run.

clean → tokenize → weigh → hash → tie. The same form stands in
``conf/profiles/*.toml``, where a step is its name, or a table of its name and
its options.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simhash_spark.checks import check_keys, check_member, check_range
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.learned import THRESHOLDS, Idf, Statistics
from simhash_spark.profiles.scored import Keywords, Scored, ScoringTokenizer, Tagged
from simhash_spark.profiles.steps import (
    CLEANERS,
    USUAL,
    Blake2b,
    Capped,
    Characters,
    Count,
    Fnv1,
    Fnv1a,
    Given,
    Hash,
    Jenkins,
    Jieba,
    Log,
    Md5,
    Mmh3,
    Once,
    Polynomial,
    Tokenizer,
    Weighing,
    Words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFINITION = 1
"""Version of the rule that turns text into fingerprints; a change of it is a breaking change."""

STEPS: dict[str, dict[str, Any]] = {  # Any: classes of steps, with options of their own
    role: {kind.step: kind for kind in kinds}  # type: ignore[attr-defined]  # classes of steps
    for role, kinds in {
        "tokenize": (Characters, Words, Jieba, Keywords, Tagged, Scored),
        "weigh": (Once, Count, Log, Capped, Idf, Given),
        "hash": (Mmh3, Md5, Blake2b, Fnv1, Fnv1a, Jenkins, Polynomial),
    }.items()
}
"""The steps that can be named in a profile file, by the place where they can stand."""


@dataclass(frozen=True)
class Profile:
    """How text becomes a fingerprint.

    Parameters
    ----------
    name : str
        What the profile is called; not part of the definition.
    tokenize : Characters, Words, Jieba, Keywords, Tagged or Scored
        Clean text to features.
    clean : tuple of str
        Raw text to clean text: names out of ``CLEANERS``, in order.
    weigh : Once, Count, Log, Capped, Idf or Given
        What a feature weighs by how often it occurs; ``Given`` goes with the
        last three of ``tokenize``.
    hash : Mmh3, Md5, Blake2b, Fnv1, Fnv1a, Jenkins or Polynomial
        Feature to bits.
    tie : {0, 1}
        The bit where features with 1 weigh as much as those with 0.
    min_features : int
        Documents with fewer features get no fingerprint: distinct ones, but
        every occurrence where ``weigh`` is ``count``.
    threshold : {'half', 'median'}
        The share of the weight that a bit needs more than: half of it, or the
        median of a corpus.

    Raises
    ------
    ConfigError
        If a step is unknown or in the wrong place, or a value out of range.
    """

    name: str
    tokenize: Tokenizer | ScoringTokenizer = Characters()
    clean: tuple[str, ...] = USUAL
    weigh: Weighing | Idf = Once()
    hash: Hash = Mmh3()
    tie: int = 0
    min_features: int = 5
    threshold: str = "half"

    def __post_init__(self) -> None:
        if not isinstance(self.clean, (list, tuple)):
            message = f'clean must be a list such as ["nfkc", "lower"], got {self.clean!r}.'
            raise ConfigError(message)
        object.__setattr__(self, "clean", tuple(self.clean))
        for cleaner in self.clean:
            check_member("each step of clean", cleaner, CLEANERS)
        for role, kinds in STEPS.items():
            if type(getattr(self, role)) not in kinds.values():
                message = f"{role} must be a step out of {', '.join(kinds)}."
                raise ConfigError(message)
        if self.is_scored != isinstance(self.weigh, Given):
            message = (
                f"tokenize = {self.tokenize.step} does not go with weigh = {self.weigh.step}: "
                "given goes with keywords, tagged and scored, and they with it."
            )
            raise ConfigError(message)
        check_range("tie", self.tie, 0, 1)
        check_range("min_features", self.min_features, 1, 1_000_000)
        check_member("threshold", self.threshold, THRESHOLDS)

    @property
    def is_scored(self) -> bool:
        """Whether the tokenizer says what a feature weighs."""
        return isinstance(self.tokenize, Keywords | Tagged | Scored)

    @property
    def needs_jieba(self) -> bool:
        """Whether jieba cuts the words."""
        return self.is_scored or isinstance(self.tokenize, Jieba)

    @property
    def needs_statistics(self) -> bool:
        """Whether it must learn from a corpus before it can be used."""
        return isinstance(self.weigh, Idf) or self.threshold == "median"

    @classmethod
    def from_mapping(cls, name: str, values: Mapping[str, Any]) -> Profile:  # Any: parsed TOML
        """Build a profile from a parsed TOML file; unknown keys are errors."""
        known = [field.name for field in dataclasses.fields(cls) if field.name != "name"]
        check_keys(values, known, where=f"profile '{name}'")
        steps = {role: _step(role, values[role]) for role in STEPS if role in values}
        return cls(**{**values, **steps, "name": name})

    def to_mapping(self) -> dict[str, Any]:  # Any: values of TOML
        """Give what a file of this profile says, every option of its steps included.

        The threshold stands there only where it is not half.

        >>> Profile("p", Words((2,))).to_mapping()["tokenize"]
        {'step': 'words', 'sizes': [2]}
        """
        values = json.loads(json.dumps(dataclasses.asdict(self)))
        del values["name"]
        if self.threshold == "half":
            del values["threshold"]
        for role in STEPS:
            values[role] = {"step": getattr(self, role).step, **values[role]}
        if isinstance(self.tokenize, Scored):
            values["tokenize"]["lists"] = [one.source for one in self.tokenize.lists]
        return values  # type: ignore[no-any-return]


@dataclass(frozen=True)
class FingerprintSettings:
    """Everything that defines a fingerprint, as one value.

    Parameters
    ----------
    profile : Profile
        How text becomes a fingerprint.
    bits : {64, 128}
        Length of the fingerprint.
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
        if self.statistics is not None:
            self.statistics.check_use(self.profile, self.bits, self.definition)

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
        definition = self.profile.to_mapping() | {"bits": self.bits, "v": DEFINITION}
        if isinstance(self.profile.tokenize, Scored):
            definition["tokenize"]["lists"] = [one.digest for one in self.profile.tokenize.lists]
        return definition


def _digest_of(definition: dict[str, Any]) -> str:  # Any: values of TOML
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:16]


def _step(role: str, value: object) -> Any:  # noqa: ANN401 - a step of any kind
    options = dict(value) if isinstance(value, dict) else {"step": value}
    name = options.pop("step", None)
    check_member(f"{role}: step", name, tuple(STEPS[role]))
    kind = STEPS[role][str(name)]
    known = [field.name for field in dataclasses.fields(kind)]
    check_keys(options, known, where=f"{role} = {name}")
    return kind(**options)
