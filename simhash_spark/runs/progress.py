"""What a run says while it works: one plan, one line per stage, one closing table."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simhash_spark.config import DedupConfig
    from simhash_spark.runs.counts import Counts
    from simhash_spark.runs.sources import Source

_NAME_WIDTH = 16
_LABEL_WIDTH = 24


@dataclass(frozen=True)
class Stage:
    """A frame that was written: its name, its rows, and how long that took."""

    name: str
    n_rows: int
    seconds: float

    def __str__(self) -> str:
        """Render for the terminal.

        >>> str(Stage("fingerprints", 388462, 12.29))
        'fingerprints          388,462 rows       12.3 s       31,608 rows/s'
        """
        per_second = self.n_rows / max(self.seconds, 1e-9)
        return (
            f"{self.name:<{_NAME_WIDTH}} {self.n_rows:>12,} rows {self.seconds:>10.1f} s "
            f"{per_second:>12,.0f} rows/s"
        )


@dataclass
class Progress:
    """Writes lines as a run goes on, and remembers its stages.

    Parameters
    ----------
    out : TextIO
        Where the lines go.
    """

    out: TextIO
    stages: list[Stage] = field(default_factory=list)

    def plan(self, source: Source, config: DedupConfig) -> None:
        """Say in one line what is about to be done."""
        parts = {
            "input": f"{' '.join(source.paths)} ({source.format})",
            "id": config.id_column or "content of the row",
            "text": config.text_column,
            "features": config.features_column,
            "profile": getattr(config.profile, "name", config.profile),
            "bits": config.bits,
            "max distance": config.max_distance,
            "recall": config.recall,
            "keep": config.keep,
        }
        del parts["text" if config.features_column else "features"]
        told = [f"{name} {value}" for name, value in parts.items() if value is not None]
        self.line(f"plan: {' | '.join(told)}")

    def stage(self, stage: Stage) -> None:
        """Report a stage that is complete."""
        self.stages.append(stage)
        self.line(str(stage))

    def closing(self, counts: Counts, output: str) -> None:
        """Report what was found."""
        self.line("")
        for label, value in [*counts.labelled(), ("output", output)]:
            self.line(f"{label:<{_LABEL_WIDTH}} {value:>14}")
        if counts.recall is not None and counts.recall.shortfall:
            sys.stderr.write(f"dedup.py: {counts.recall.shortfall}\n")

    def line(self, text: str) -> None:
        """Write one line at once."""
        self.out.write(f"{text}\n")
        self.out.flush()


def seconds_by_name(stages: Iterable[Stage]) -> dict[str, float]:
    """Map the stages to the time they took, to the millisecond."""
    return {stage.name: round(stage.seconds, 3) for stage in stages}
