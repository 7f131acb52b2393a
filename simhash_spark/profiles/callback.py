"""The step that is a user's own function: text to features, with weights or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from simhash_spark.errors import ConfigError

Features: TypeAlias = Iterable[str] | Iterable[tuple[str, float]] | Mapping[str, float]
"""What a function gives: features, or features with their weights."""


@dataclass(frozen=True)
class Callback:
    """Features that a function of the user finds, called for one document after the other.

    Parameters
    ----------
    function : callable
        Called as ``function(text)`` with the clean text of each document, except
        for empty ones. It returns a list of features (str), which the step
        ``weigh`` of the profile weighs; or, where that is ``Given()``, a list of
        (feature, weight) or a dict of feature to weight, the weights of repeated
        features adding up. It must give the same for the same text, on any machine.
    name : str
        Says which function this is, and which version of it: part of the
        definition, as its code cannot be. Another function needs another name.

    Raises
    ------
    ConfigError
        If ``function`` cannot be called, or ``name`` is empty.

    Notes
    -----
    The function travels to the workers by pickling. No profile file can hold it.
    It is called in Python for each document: the slow way, at the function's speed.
    """

    step: ClassVar[str] = "callback"
    packages: ClassVar[tuple[str, ...]] = ()
    function: Callable[[str], Features]
    name: str = field(kw_only=True)

    def __post_init__(self) -> None:
        if not callable(self.function):
            message = f"Callback needs a function of one text, got {self.function!r}."
            raise ConfigError(message)
        if not isinstance(self.name, str) or not self.name.strip():
            message = (
                f"The name of a Callback must be a text that is not empty, got {self.name!r}: "
                "name the function and its version, such as 'my-words-1'."
            )
            raise ConfigError(message)
