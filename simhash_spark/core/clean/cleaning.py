"""Steps of cleaning, each a function from text to text.

The usual ones run on whole chunks instead, to the same effect: see ``text``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from simhash_spark.core.packages import import_package
from simhash_spark.core.scripts import UNSPACED
from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FULL_TO_HALF = {0x3000: 0x20} | {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
URL = (
    r"(?:https?|ftp)://[\w.~:/?#\[\]@!$&()*+,;=%-]*[\w/#&=-]|www\.[\w.~:/?#@!$&()*+,;=%-]*[\w/#&=-]"
)
EMAIL = r"[\w.+-]++(@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})?"
"""Takes what has no @, too, so as not to look for one again from each character of it."""
NOT_TEXT = "script, style, noscript, template, title"
BLOCKS = (
    "address, article, aside, blockquote, br, dd, div, dl, dt, figcaption, footer, form, h1, h2, "
    "h3, h4, h5, h6, header, hr, li, main, nav, ol, option, p, pre, section, table, td, th, tr, ul"
)


def clean_text(text: str, steps: Iterable[str]) -> str:
    """Apply cleaning steps to a text, in order.

    Parameters
    ----------
    text : str
        Text without surrogates.
    steps : iterable of str
        Names of ``steps.CLEANERS``.

    Returns
    -------
    str
        The clean text.

    Raises
    ------
    ConfigError
        If a step needs a package that is not installed.

    Examples
    --------
    >>> clean_text("Ｆｕｌｌ  Width", ["nfkc", "lower", "spaces"])
    'full width'
    >>> clean_text("Call 0800-1234, or a.b@example.org", ["emails", "digits"])
    'Call 0000-0000, or email'
    >>> clean_text("See https://example.org/a?b=1。好", ["urls"])
    'See url。好'
    """
    for step in steps:
        text = FUNCTIONS[step](text)
    return text


def _html(text: str) -> str:
    tree = import_package("selectolax.lexbor").LexborHTMLParser(text)
    for node in tree.css(NOT_TEXT):
        node.decompose()
    for node in tree.css(BLOCKS):  # or the words of two table cells would be one
        node.insert_before("\n")
        node.insert_after("\n")
    return tree.root.text(deep=True) if tree.root else ""


class _Translation(dict[int, "str | None"]):
    """Characters to what takes their place (None: nothing), asked for once each."""

    def __init__(self, place: Callable[[str], str | None]) -> None:
        super().__init__()
        self.place = place

    def __missing__(self, code: int) -> str | None:
        self[code] = self.place(chr(code))
        return self[code]


def _translating(name: str, place: Callable[[str], str | None]) -> Callable[[str], str]:
    """Give a step that looks at one character at a time, without an object for each."""
    return lambda text: text.translate(
        once_per_worker(f"translation {name}", lambda: _Translation(place))
    )


def _spaces(text: str) -> str:
    text = _blanks(text)
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")


def _simplified(text: str) -> str:
    converted: str = once_per_worker("opencc", _build_converter).convert(text)
    return converted


def _build_converter() -> Any:  # noqa: ANN401 - opencc has no types
    return import_package("opencc").OpenCC("t2s")


def _replacing(pattern: str, replacement: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, replacement, text)


_blanks = _translating("blanks", lambda c: " " if c.isspace() else c)
_UNSPACED = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED) + "]"

FUNCTIONS: dict[str, Callable[[str], str]] = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "lower": str.lower,
    "casefold": str.casefold,
    "halfwidth": lambda text: text.translate(FULL_TO_HALF),
    "html": _html,
    "urls": _replacing(f"(?ai:{URL})", "url"),
    "emails": lambda text: re.sub(f"(?ai:{EMAIL})", lambda m: "email" if m[1] else m[0], text),
    "digits": _translating("digits", lambda c: "0" if c.isdigit() else c),
    "simplified": _simplified,
    "no-punctuation": _translating(
        "no-punctuation", lambda c: " " if unicodedata.category(c)[0] in "PS" else c
    ),
    "only-words": _translating("only-words", lambda c: c if c.isalnum() or c == "_" else None),
    "spaces": _spaces,
    "no-spaces": _translating("no-spaces", lambda c: None if c.isspace() else c),
    "unspaced": _replacing(f"(?<={_UNSPACED}) +|(?<! ) +(?={_UNSPACED})", ""),
}
"""What each step does."""
