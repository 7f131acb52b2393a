"""Dictionaries of the user: words that jieba shall know, in jieba's own format.

Each line holds a word, then, where wanted, its frequency and its part of
speech, with one space between: ``云计算 5 n``. jieba chooses a frequency where
none is given. A word has to stand as it does in the clean text, in lower case
for instance. A file is read when the profile is made, and its words travel
with the profile: no executor needs it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from simhash_spark.errors import ConfigError

_LINE = re.compile(r"(\S+)(?: ([0-9]{1,9}))?(?: ([a-z]+))?")
_WORD = re.compile(r"[+#&._%-]*[\u4e00-\u9fd5a-zA-Z0-9][\u4e00-\u9fd5a-zA-Z0-9+#&._%-]*")
"""What jieba looks for words in: ``re_han_default`` of its version 0.42.1."""

_FORM = (
    "write a word, then, if wanted, its frequency (a whole number from 1 on) and its part of "
    "speech (small letters), one space between"
)
_LETTERS = (
    "jieba finds words of Han, ASCII letters, digits and +#&._%- only, with a letter or digit, so "
    "leave it out"
)


@dataclass(frozen=True)
class UserDictionary:
    r"""Words that jieba shall know.

    Parameters
    ----------
    source : str
        Path of the file.
    text : str
        Its content; read from the source where none is given.

    Raises
    ------
    ConfigError
        If there is no such file, it holds no word, or a line cannot be read.

    Examples
    --------
    >>> UserDictionary("own.txt", "云计算 5 n\n凯特琳\n").entries
    [('云计算', 5, 'n'), ('凯特琳', None, None)]
    """

    source: str
    text: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.text:
            object.__setattr__(self, "text", read_text(self.source, "user dictionary"))
        if not self.entries:
            message = f"user dictionary {self.source} holds no word: add some, or leave it out."
            raise ConfigError(message)

    @property
    def entries(self) -> list[tuple[str, int | None, str | None]]:
        """Words with frequency and part of speech, in their order, which jieba minds."""
        lines = ((n, line.strip()) for n, line in enumerate(self.text.split("\n"), 1))
        return [self._entry(line, number) for number, line in lines if line]

    @property
    def digest(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def _entry(self, line: str, number: int) -> tuple[str, int | None, str | None]:
        match = _LINE.fullmatch(line)
        if match is None or (match[2] is not None and int(match[2]) < 1):
            raise self._error(line, number, _FORM)
        if not _WORD.fullmatch(match[1]):
            raise self._error(match[1], number, _LETTERS)
        return match[1], None if match[2] is None else int(match[2]), match[3]

    def _error(self, got: str, number: int, rule: str) -> ConfigError:
        return ConfigError(f"user dictionary {self.source}, line {number}: got {got!r}; {rule}.")


def as_dictionary(given: UserDictionary | str | None) -> UserDictionary | None:
    """Read the dictionary of that path; a dictionary is given back, "" and None mean none."""
    if given is None or isinstance(given, UserDictionary):
        return given
    if not isinstance(given, str):
        message = f'dictionary must be a path such as "words.txt", got {given!r}.'
        raise ConfigError(message)
    return UserDictionary(given) if given else None


def read_text(path: str, what: str) -> str:
    """Read a file of words, without the byte order mark that some editors put in front."""
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        message = f"{what} {path} cannot be read: {error}."
        raise ConfigError(message) from error
