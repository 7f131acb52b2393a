"""Exceptions raised by simhash_spark; each message says what, got what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


_SHOWN = 50


class SimHashSparkError(Exception):
    """Base class of every exception raised on purpose by this package."""


class ConfigError(SimHashSparkError, ValueError):
    """A setting is missing, out of range, or contradicts another setting."""


class MissingColumnError(SimHashSparkError, ValueError):
    """An input lacks a column that was asked for."""

    @classmethod
    def of(cls, missing: str, available: Iterable[str], *, option: str) -> MissingColumnError:
        """Build the error from the name that was looked for and those present."""
        names = [name if name.isprintable() else repr(name) for name in available]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        message = (
            f"The input has no column '{missing}'; it has: {', '.join(names[:_SHOWN])}{more}. "
            f"Set {option} to one of them."
        )
        return cls(message)


class SchemaError(SimHashSparkError, ValueError):
    """A column of the input has a type, or values, that cannot be used."""


class InputError(SimHashSparkError, ValueError):
    """The input cannot be read, or holds nothing."""


class OutputError(SimHashSparkError, OSError):
    """The output folder cannot be written, or must not be."""


class InvariantError(SimHashSparkError, RuntimeError):
    """A finished run contradicts itself; nothing of it is published."""
