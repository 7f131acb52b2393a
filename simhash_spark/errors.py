"""Exceptions raised by simhash_spark; each message says what, got what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


_SHOWN = 50
_EXCERPT = 40


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


class CallbackError(SimHashSparkError, RuntimeError):
    """A function of the user failed, or gave what are no features.

    Parameters
    ----------
    name : str
        Name of the function.
    said : str
        What it raised, or what is wrong with its result.
    document : str
        The document it failed on, in words.
    place : int
        The place of that in the batch.
    """

    def __init__(self, name: str, said: str, document: str, place: int) -> None:
        super().__init__(f"The function '{name}' failed on {document}: {said}.")
        self.name, self.said, self.document, self.place = name, said, document, place

    @classmethod
    def of(cls, name: str, error: BaseException, *, text: str, place: int) -> CallbackError:
        """Build the error from what was raised, and the text that the function got."""
        try:
            said = " ".join(f"{type(error).__name__}: {error}".split())
        except Exception:  # its own __str__ fails
            said = type(error).__name__
        excerpt = text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}..."
        return cls(name, said, f"the text {excerpt!r}", place)

    def moved(self, n_docs: int) -> CallbackError:
        """Count the place from a document that lies so many before."""
        return CallbackError(self.name, self.said, self.document, self.place + n_docs)

    def identified(self, doc_id: object) -> CallbackError:
        """Name the document by its id."""
        return CallbackError(self.name, self.said, f"document {doc_id!r}", self.place)


class PlanError(SimHashSparkError, ValueError):
    """A search cannot work as it is asked for: too long, too large for a task, too many parts."""

    _ADVICE = (
        "Use, where not done yet, a smaller --max-distance, a recall target (--recall), or "
        "--bits 128."
    )

    @classmethod
    def of_time(cls, core_hours: float, most: float, *, n_cores: float | None) -> PlanError:
        """Build the error from the core-hours predicted and those allowed."""
        where = "where --cores is not given" if n_cores is None else f"on {n_cores:,.0f} cores"
        allowed = f"at most {most:,.0f} are accepted {where}"
        return cls(f"The search would take {core_hours:,.0f} core-hours; {allowed}. {cls._ADVICE}")

    @classmethod
    def of_memory(cls, n_rows: float, most: float) -> PlanError:
        """Build the error from the fingerprints that one task would have to hold."""
        message = (
            f"One task would have to hold {n_rows:,.0f} fingerprints that agree on nearly all "
            f"their bits, at most {most:,.0f} are accepted: use a profile that tells these texts "
            "apart, --bits 128, or a recall target (--recall)."
        )
        return cls(message)

    @classmethod
    def of_parts(cls, n_partitions: int, n_routes: int) -> PlanError:
        """Build the error from the numbers of partitions and of routes."""
        message = f"The search would need {n_partitions:,} partitions and {n_routes:,} routes. "
        return cls(message + cls._ADVICE)


class OutputError(SimHashSparkError, OSError):
    """The output folder cannot be written, or must not be."""


class InvariantError(SimHashSparkError, RuntimeError):
    """A finished run contradicts itself; nothing of it is published."""
