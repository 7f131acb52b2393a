"""Steps that cut words with jieba and weigh them, too: they go with ``weigh = given``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from simhash_spark.checks import check_flag, check_range, check_weight
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.dictionaries import UserDictionary, as_dictionary
from simhash_spark.profiles.lists import WordList

_TAG = re.compile("[a-z]+")


@dataclass(frozen=True)
class Keywords:
    """The keywords of a document by TF-IDF, as ``jieba.analyse.extract_tags`` finds them.

    Parameters
    ----------
    top : int
        How many.
    integer : bool
        Whether weights lose their fraction; keywords that weigh less than 1 are
        then without effect.
    dictionary : UserDictionary or str, optional
        Further words for jieba, or the path of their file; "" or None: none.
    """

    step: ClassVar[str] = "keywords"
    packages: ClassVar[tuple[str, ...]] = ("jieba",)
    top: int = 10
    integer: bool = False
    dictionary: UserDictionary | None = None

    def __post_init__(self) -> None:
        check_range("top", self.top, 1, 1_000_000)
        check_flag("integer", self.integer)
        object.__setattr__(self, "dictionary", as_dictionary(self.dictionary))


@dataclass(frozen=True)
class Tagged:
    """Words weighed by their part of speech; those without letter or digit are dropped.

    Parts of speech are jieba's: ``n`` noun, ``nr`` name of a person, ``ns`` of
    a place, ``v`` verb, ``a`` adjective, ``u...`` particles, ``eng`` Latin
    letters, ``x`` anything else. Each stands for itself alone: ``n`` is not
    ``nr``.

    Parameters
    ----------
    tags : mapping of str to float
        Weights of parts of speech; every other word weighs 1.
    drop : tuple of str
        Parts of speech whose words are dropped.
    most : int
        Occurrences of a word that count.
    dictionary : UserDictionary or str, optional
        Further words for jieba, or the path of their file; "" or None: none.
    """

    step: ClassVar[str] = "tagged"
    packages: ClassVar[tuple[str, ...]] = ("jieba",)
    tags: Mapping[str, float] = field(default_factory=lambda: {"n": 2.0}, hash=False)
    drop: tuple[str, ...] = ()
    most: int = 6
    dictionary: UserDictionary | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.tags, Mapping):
            message = f"tags must be a table such as {{n = 2.0, v = 1.5}}, got {self.tags!r}."
            raise ConfigError(message)
        if not isinstance(self.drop, (list, tuple)):
            message = f'drop must be a list such as ["x", "uj"], got {self.drop!r}.'
            raise ConfigError(message)
        for tag in (*self.tags, *self.drop):
            if not isinstance(tag, str) or not _TAG.fullmatch(tag):
                message = f"A part of speech is written in small letters, such as nr, got {tag!r}."
                raise ConfigError(message)
        if both := sorted(set(self.tags) & set(self.drop)):
            message = f"Part of speech {both[0]} has a weight and is dropped: take it out of one."
            raise ConfigError(message)
        weights = {tag: check_weight(f"tags: {tag}", w) for tag, w in self.tags.items()}
        object.__setattr__(self, "tags", weights)
        object.__setattr__(self, "drop", tuple(self.drop))
        check_range("most", self.most, 1, 1_000_000)
        object.__setattr__(self, "dictionary", as_dictionary(self.dictionary))


@dataclass(frozen=True)
class Scored:
    """Words by TF-IDF with log TF, times the coefficient of the last list that names them.

    Parameters
    ----------
    lists : tuple of WordList or str
        Word lists, by name or path.
    dictionary : UserDictionary or str, optional
        Further words for jieba, or the path of their file; "" or None: none.
    """

    step: ClassVar[str] = "scored"
    packages: ClassVar[tuple[str, ...]] = ("jieba",)
    lists: tuple[WordList, ...] = ()
    dictionary: UserDictionary | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.lists, (list, tuple)):
            message = f'lists must be a list such as ["stop", "exempt"], got {self.lists!r}.'
            raise ConfigError(message)
        made = [one if isinstance(one, WordList) else WordList(one) for one in self.lists]
        object.__setattr__(self, "lists", tuple(made))
        object.__setattr__(self, "dictionary", as_dictionary(self.dictionary))

    @property
    def coefficients(self) -> dict[str, float]:
        """Coefficient of each word that a list names."""
        return {word: c for one in self.lists for word, c in one.coefficients.items()}


ScoringTokenizer: TypeAlias = Keywords | Tagged | Scored
