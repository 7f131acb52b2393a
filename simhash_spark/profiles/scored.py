"""Steps that cut words with jieba and weigh them, too: they go with ``weigh = given``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from simhash_spark.checks import check_flag, check_range
from simhash_spark.profiles.lists import WordList


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
    """

    step: ClassVar[str] = "keywords"
    top: int = 10
    integer: bool = False

    def __post_init__(self) -> None:
        check_range("top", self.top, 1, 1_000_000)
        check_flag("integer", self.integer)


@dataclass(frozen=True)
class Tagged:
    """Words with their part of speech: nouns (``n``) weigh more, punctuation is dropped.

    Parameters
    ----------
    noun : int
        Weight of a noun; every other word weighs 1.
    most : int
        Occurrences of a word that count.
    """

    step: ClassVar[str] = "tagged"
    noun: int = 2
    most: int = 6

    def __post_init__(self) -> None:
        check_range("noun", self.noun, 0, 1_000_000)
        check_range("most", self.most, 1, 1_000_000)


@dataclass(frozen=True)
class Scored:
    """Words by TF-IDF with log TF, times the coefficient of the last list that names them.

    Parameters
    ----------
    lists : tuple of WordList or str
        Word lists, by name or path.
    """

    step: ClassVar[str] = "scored"
    lists: tuple[WordList, ...] = ()

    def __post_init__(self) -> None:
        made = [one if isinstance(one, WordList) else WordList(one) for one in self.lists]
        object.__setattr__(self, "lists", tuple(made))

    @property
    def coefficients(self) -> dict[str, float]:
        """Coefficient of each word that a list names."""
        return {word: c for one in self.lists for word, c in one.coefficients.items()}


ScoringTokenizer: TypeAlias = Keywords | Tagged | Scored
