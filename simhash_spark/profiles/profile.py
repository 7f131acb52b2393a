"""A profile: how text becomes a fingerprint, as named steps, in the order in which they run.

clean → tokenize → weigh → hash → tie. The same form stands in
``conf/profiles/*.toml``, where a step is its name, or a table of its name and
its options.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simhash_spark.checks import check_keys, check_member, check_range
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.callback import Callback
from simhash_spark.profiles.dictionaries import UserDictionary
from simhash_spark.profiles.learned import THRESHOLDS, Idf
from simhash_spark.profiles.lists import WordList
from simhash_spark.profiles.scored import Keywords, Scored, ScoringTokenizer, Tagged
from simhash_spark.profiles.steps import (
    CLEANERS,
    PACKAGES,
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
    tokenize : Characters, Words, Jieba, Keywords, Tagged, Scored or Callback
        Clean text to features.
    clean : tuple of str
        Raw text to clean text: names out of ``CLEANERS``, in order.
    weigh : Once, Count, Log, Capped, Idf or Given
        What a feature weighs by how often it occurs; ``Given`` goes with those
        of ``tokenize`` that give weights: the last four.
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
    tokenize: Tokenizer | ScoringTokenizer | Callback = Characters()
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
            if type(getattr(self, role)) not in kinds.values() and not self._is_callback(role):
                message = f"{role} must be a step out of {', '.join(kinds)}."
                raise ConfigError(message)
        is_given = isinstance(self.weigh, Given)
        if self.is_scored != is_given and not self._is_callback("tokenize"):
            message = (
                f"tokenize = {self.tokenize.step} does not go with weigh = {self.weigh.step}: "
                "given goes with keywords, tagged and scored, and they with it."
            )
            raise ConfigError(message)
        if isinstance(self.weigh, Idf) and self._is_callback("tokenize"):
            message = "weigh = idf does not go with a callback: let the function give the weights."
            raise ConfigError(message)
        check_range("tie", self.tie, 0, 1)
        check_range("min_features", self.min_features, 1, 1_000_000)
        check_member("threshold", self.threshold, THRESHOLDS)

    def _is_callback(self, role: str) -> bool:
        return role == "tokenize" and isinstance(self.tokenize, Callback)

    @property
    def is_scored(self) -> bool:
        """Whether the tokenizer says what a feature weighs."""
        return isinstance(self.tokenize, Keywords | Tagged | Scored)

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that its steps need, beside what is always there.

        >>> Profile("p", Jieba(), ("html", *USUAL)).packages
        ('jieba', 'selectolax')
        """
        cleaning = (PACKAGES[step] for step in self.clean if step in PACKAGES)
        return tuple(sorted({*self.tokenize.packages, *cleaning}))

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

    def to_mapping(self, files: str = "source") -> dict[str, Any]:  # Any: values of TOML
        """Give what a file of this profile says, every option of its steps included.

        In place of the function of a ``Callback``, which no file can hold, stands its name; in
        place of word lists and dictionaries their path, or with ``files="digest"`` their digest.

        >>> Profile("p", Words((2,))).to_mapping()["tokenize"]
        {'step': 'words', 'sizes': [2], 'stem': ''}
        """
        return {
            "clean": list(self.clean),
            "tie": self.tie,
            "min_features": self.min_features,
            "threshold": self.threshold,
            **{role: _described(getattr(self, role), files) for role in STEPS},
        }


def _described(step: Any, files: str) -> dict[str, Any]:  # noqa: ANN401 - a step of any kind
    """Give the name of a step and its options."""
    if isinstance(step, Callback):
        return {"step": step.step, "name": step.name}
    options = {field.name: getattr(step, field.name) for field in dataclasses.fields(step)}
    return {"step": step.step, **{name: _plain(value, files) for name, value in options.items()}}


def _plain(value: object, files: str) -> object:
    if isinstance(value, WordList | UserDictionary):
        return getattr(value, files)
    if isinstance(value, tuple):
        return [_plain(one, files) for one in value]
    if isinstance(value, Mapping):
        return dict(value)
    return "" if value is None else value


def _step(role: str, value: object) -> Any:  # noqa: ANN401 - a step of any kind
    options = dict(value) if isinstance(value, dict) else {"step": value}
    name = options.pop("step", None)
    if role == "tokenize" and name == Callback.step:
        message = (
            "tokenize = callback is a function of Python, which no file can hold: use "
            "Profile(..., tokenize=Callback(function, name=...)) in Python."
        )
        raise ConfigError(message)
    check_member(f"{role}: step", name, tuple(STEPS[role]))
    kind = STEPS[role][str(name)]
    known = [field.name for field in dataclasses.fields(kind)]
    if misplaced := sorted(set(options) & {"clean", "tie", "min_features", "threshold"}):
        message = (
            f"Unknown key {misplaced[0]!r} in {role} = {name}: it belongs to the profile, so write "
            "it above the first [table] of the file."
        )
        raise ConfigError(message)
    check_keys(options, known, where=f"{role} = {name}")
    return kind(**options)
