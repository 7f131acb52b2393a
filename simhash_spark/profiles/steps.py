"""The pieces that a profile is put together from: one frozen value per step, with its options.

A step is a class with a name; its options are its fields, checked when the
value is made. What a step does stands in ``core``, under the same name.
Adding one is a class here, an entry in ``profiles.STEPS``, its function there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from simhash_spark.checks import check_flag, check_member, check_range
from simhash_spark.errors import ConfigError

CLEANERS = (
    "nfkc",
    "lower",
    "casefold",
    "halfwidth",
    "html",
    "urls",
    "emails",
    "digits",
    "simplified",
    "no-punctuation",
    "only-words",
    "spaces",
    "no-spaces",
    "unspaced",
)
USUAL = ("nfkc", "lower", "spaces")
"""Cleaning steps; they have no options.

``nfkc``, ``lower``, ``casefold``: Unicode. ``halfwidth``: full-width ASCII alone. ``html``: markup
to its text. ``urls``, ``emails``, ``digits``: each as the same word or digit. ``simplified``:
traditional Chinese to simplified. ``no-punctuation``: a space for each mark or symbol.
``only-words``: nothing but letters, digits and underscores. ``spaces``: white space runs as one
space. ``no-spaces``: none. ``unspaced``: none beside a character of a script written without them.
"""


def _check_sizes(step: Characters | Words | Jieba) -> None:
    """Refuse sizes that are no sizes of n-grams; make a list of them a tuple."""
    if not isinstance(step.sizes, (list, tuple)):
        message = f"sizes must be a list such as [5], got {step.sizes!r}."
        raise ConfigError(message)
    for size in step.sizes or (0,):
        check_range("sizes", size, 1, 16)
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
    """

    step: ClassVar[str] = "words"
    sizes: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        _check_sizes(self)


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
    """

    step: ClassVar[str] = "jieba"
    sizes: tuple[int, ...] = (1,)
    mode: str = "default"
    hmm: bool = True
    punctuation: bool = False

    def __post_init__(self) -> None:
        _check_sizes(self)
        check_member("mode", self.mode, ("default", "search"))
        check_flag("hmm", self.hmm)
        check_flag("punctuation", self.punctuation)


@dataclass(frozen=True)
class Once:
    """Every distinct feature of a document weighs 1."""

    step: ClassVar[str] = "set"


@dataclass(frozen=True)
class Count:
    """Every occurrence of a feature weighs 1."""

    step: ClassVar[str] = "count"


@dataclass(frozen=True)
class Log:
    """A feature that occurs n times weighs 1 + ln n."""

    step: ClassVar[str] = "log"


@dataclass(frozen=True)
class Capped:
    """A feature that occurs n times weighs n, but no more than the cap.

    Parameters
    ----------
    cap : int
        Largest weight.
    """

    step: ClassVar[str] = "capped"
    cap: int = 6

    def __post_init__(self) -> None:
        check_range("cap", self.cap, 1, 1_000_000)


@dataclass(frozen=True)
class Given:
    """A feature weighs what ``keywords``, ``tagged`` or ``scored`` say."""

    step: ClassVar[str] = "given"


@dataclass(frozen=True)
class Mmh3:
    """MurmurHash3 x64 128, seed 0: the one to use."""

    step: ClassVar[str] = "mmh3"
    bits: ClassVar[int] = 128


@dataclass(frozen=True)
class Md5:
    """MD5, read as a number.

    Parameters
    ----------
    take : {'first', 'last'}
        Which end of the digest's 16 bytes is read.
    byte_order : {'big', 'little'}
        Which byte of those counts most: the first, or the last.
    """

    step: ClassVar[str] = "md5"
    bits: ClassVar[int] = 128
    take: str = "first"
    byte_order: str = "big"

    def __post_init__(self) -> None:
        check_member("take", self.take, ("first", "last"))
        check_member("byte_order", self.byte_order, ("big", "little"))


@dataclass(frozen=True)
class Blake2b:
    """BLAKE2b with a digest as long as the fingerprint, read with the first byte counting most."""

    step: ClassVar[str] = "blake2b"
    bits: ClassVar[int] = 128


@dataclass(frozen=True)
class Fnv1:
    """FNV-1 of 64 bits; leaves bits constant on short Chinese features: to reproduce only."""

    step: ClassVar[str] = "fnv1"
    bits: ClassVar[int] = 64


@dataclass(frozen=True)
class Fnv1a:
    """FNV-1a of 64 bits; leaves bits constant on short Chinese features: to reproduce only."""

    step: ClassVar[str] = "fnv1a"
    bits: ClassVar[int] = 64


@dataclass(frozen=True)
class Jenkins:
    """Jenkins' lookup3 (``hashlittle2``), seeds 0, the first result in the high half."""

    step: ClassVar[str] = "jenkins"
    bits: ClassVar[int] = 64


@dataclass(frozen=True)
class Polynomial:
    """The string hash of the tutorials, over code points; weak: to reproduce only.

    Parameters
    ----------
    pad : int
        Shorter features are made this long by repeating their first character.
    """

    step: ClassVar[str] = "polynomial"
    bits: ClassVar[int] = 128
    pad: int = 1

    def __post_init__(self) -> None:
        check_range("pad", self.pad, 1, 16)


Tokenizer: TypeAlias = Characters | Words | Jieba
Weighing: TypeAlias = Once | Count | Log | Capped | Given
Hash: TypeAlias = Mmh3 | Md5 | Blake2b | Fnv1 | Fnv1a | Jenkins | Polynomial
