"""The pieces that a profile is put together from: one frozen value per step, with its options.

A step is a class with a name; its options are its fields, checked when the
value is made. What a step does stands in ``core``, under the same name.
Adding one is a class here, an entry in ``profiles.STEPS``, its function there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from simhash_spark.checks import check_member, check_range
from simhash_spark.profiles.tokenizers import Characters as Characters
from simhash_spark.profiles.tokenizers import Jieba as Jieba
from simhash_spark.profiles.tokenizers import Tokenizer as Tokenizer
from simhash_spark.profiles.tokenizers import Words as Words

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
PACKAGES = {"html": "selectolax", "simplified": "opencc"}
"""Modules that cleaning steps need."""

USUAL = ("nfkc", "lower", "spaces")
"""Cleaning steps; they have no options.

``nfkc``, ``lower``, ``casefold``: Unicode. ``halfwidth``: full-width ASCII alone. ``html``: markup
to its text. ``urls``, ``emails``, ``digits``: each as the same word or digit. ``simplified``:
traditional Chinese to simplified. ``no-punctuation``: a space for each mark or symbol.
``only-words``: nothing but letters, digits and underscores. ``spaces``: white space runs as one
space. ``no-spaces``: none. ``unspaced``: none beside a character of a script written without them.
"""


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


Weighing: TypeAlias = Once | Count | Log | Capped | Given
Hash: TypeAlias = Mmh3 | Md5 | Blake2b | Fnv1 | Fnv1a | Jenkins | Polynomial
