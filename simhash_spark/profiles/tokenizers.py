"""Steps that cut clean text into features: n-grams of characters, of words, of jieba's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from simhash_spark.checks import check_flag, check_member, check_range
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.dictionaries import UserDictionary, as_dictionary

STEMMERS = (
    "arabic armenian basque catalan czech danish dutch dutch_porter english esperanto estonian "
    "finnish french german greek hindi hungarian indonesian irish italian lithuanian nepali "
    "norwegian persian polish porter portuguese romanian russian serbian sesotho spanish swedish "
    "tamil turkish yiddish"
)
"""Languages of the package snowballstemmer; ``porter`` is Porter's first English one."""


def _check_sizes(step: Characters | Words | Jieba) -> None:
    """Refuse sizes that are no sizes of n-grams; make a list of them a tuple."""
    if not isinstance(step.sizes, (list, tuple)):
        message = f"sizes must be a list such as [5], got {step.sizes!r}."
        raise ConfigError(message)
    for size in step.sizes or (0,):
        check_range("sizes", size, 1, 16)
    if len(set(step.sizes)) < len(step.sizes):
        message = f"sizes must differ from each other, got {list(step.sizes)!r}."
        raise ConfigError(message)
    object.__setattr__(step, "sizes", tuple(step.sizes))


@dataclass(frozen=True)
class Characters:
    """N-grams of characters.

    Parameters
    ----------
    sizes : tuple of int
        n of the n-grams.
    unspaced_size : int
        n of the n-grams that start at a character of a script written without
        spaces (Han, Kana, Thai, ...).
    """

    step: ClassVar[str] = "characters"
    packages: ClassVar[tuple[str, ...]] = ()
    sizes: tuple[int, ...] = (5,)
    unspaced_size: int = 3

    def __post_init__(self) -> None:
        _check_sizes(self)
        check_range("unspaced_size", self.unspaced_size, 1, 16)


@dataclass(frozen=True)
class Words:
    """N-grams of words: runs of letters, marks and digits.

    Parameters
    ----------
    sizes : tuple of int
        n of the n-grams.
    stem : str
        Language whose Snowball stemmer cuts each word down ("running" to
        "run"): a name out of ``STEMMERS``, or "" for none.
    """

    step: ClassVar[str] = "words"
    sizes: tuple[int, ...] = (1,)
    stem: str = ""

    def __post_init__(self) -> None:
        _check_sizes(self)
        if self.stem != "":
            check_member("stem", self.stem, tuple(STEMMERS.split()))

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that this step needs."""
        return ("snowballstemmer",) if self.stem else ()


@dataclass(frozen=True)
class Jieba:
    """N-grams of the words that jieba cuts.

    Parameters
    ----------
    sizes : tuple of int
        n of the n-grams.
    mode : {'default', 'search'}
        ``search`` gives the short words inside of a long one, too.
    hmm : bool
        Whether words that the dictionary lacks are guessed.
    punctuation : bool
        Whether words without letter or digit are kept.
    dictionary : UserDictionary or str, optional
        Further words, or the path of their file; "" or None: none.
    engine : {'jieba', 'rjieba'}
        ``rjieba`` is written in Rust and many times as fast. Without ``hmm`` it
        cuts the same words. With ``hmm`` it does not cut Latin words at full
        stops, hyphens and underscores: 13 % of the words of technical articles
        differ, 0.04 % of those of reviews. It takes no dictionary.
    """

    step: ClassVar[str] = "jieba"
    sizes: tuple[int, ...] = (1,)
    mode: str = "default"
    hmm: bool = True
    punctuation: bool = False
    dictionary: UserDictionary | None = None
    engine: str = "jieba"

    def __post_init__(self) -> None:
        _check_sizes(self)
        check_member("mode", self.mode, ("default", "search"))
        check_flag("hmm", self.hmm)
        check_flag("punctuation", self.punctuation)
        object.__setattr__(self, "dictionary", as_dictionary(self.dictionary))
        check_member("engine", self.engine, ("jieba", "rjieba"))
        if self.engine == "rjieba" and self.dictionary:
            message = (
                f"engine = rjieba has no user dictionary, got dictionary = "
                f"{self.dictionary.source}: use engine = jieba, or none."
            )
            raise ConfigError(message)

    @property
    def packages(self) -> tuple[str, ...]:
        """Modules that this step needs."""
        return (self.engine,)


Tokenizer: TypeAlias = Characters | Words | Jieba
