"""Checks of a setting, each with a message that says what is allowed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_range(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is not a whole number from low to high."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        message = f"{name} must be a whole number from {low} to {high}, got {value!r}."
        raise ConfigError(message)


def check_member(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse what is not one of the allowed names."""
    if value not in allowed:
        message = f"{name} must be one of {', '.join(allowed)}; got {value!r}."
        raise ConfigError(message)


def check_keys(values: Mapping[str, object], known: list[str], *, where: str) -> None:
    """Refuse keys that are not known."""
    if unknown := sorted(set(values) - set(known)):
        allowed = f"known keys: {', '.join(known)}" if known else "it has no options"
        message = f"Unknown key {unknown[0]!r} in {where}; {allowed}."
        raise ConfigError(message)


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        message = f"{name} must be true or false, got {value!r}."
        raise ConfigError(message)


def check_weight(name: str, value: object) -> float:
    """Refuse what is no finite number from 0 on; give it as a float."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= sys.float_info.max:  # type: ignore[operator]
        message = f"{name} must be a finite number, not negative, got {value!r}."
        raise ConfigError(message)
    return float(value)  # type: ignore[arg-type]
