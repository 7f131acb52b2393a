"""The recall of a run that looks for most pairs: what was asked, predicted, and measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simhash_spark.core.plan.window_plans import WindowPlan
from simhash_spark.stages.windows import measure_recall

if TYPE_CHECKING:
    from simhash_spark.pipeline import Dedup

STANDARD_ERRORS = 3
"""Further below what was asked than this, a measured recall is not bad luck."""


@dataclass(frozen=True)
class Recall:
    """The share of the pairs at the maximal distance that are found.

    Parameters
    ----------
    max_distance : int
        The maximal distance.
    asked, predicted : float
        What was asked, and what the plan expects; 1 where all pairs are found.
    n_planted, n_found : int
        Planted pairs that could be found, and those that were; 0 where none were needed.
    """

    max_distance: int
    asked: float
    predicted: float
    n_planted: int = 0
    n_found: int = 0

    @property
    def measured(self) -> float | None:
        """Share of the planted pairs that was found.

        >>> Recall(12, 0.95, 0.96, 1000, 953).measured
        0.953
        """
        return self.n_found / self.n_planted if self.n_planted else None

    def __str__(self) -> str:
        """Tell people.

        >>> str(Recall(12, 0.95, 0.96, 1000, 953))
        '0.953, measured on 1,000 planted pairs'
        >>> str(Recall(12, 0.95, 1.0))
        '1, as the exact search costs less'
        """
        if self.measured is None:
            return "1, as the exact search costs less"
        return f"{self.measured:.3f}, measured on {self.n_planted:,} planted pairs"

    @property
    def shortfall(self) -> str:
        """One line where the measured recall is clearly below what was asked, else empty.

        >>> Recall(12, 0.95, 0.96, 1000, 930).shortfall
        ''
        >>> Recall(12, 0.95, 0.96, 1000, 900).shortfall[:66]
        'The recall at distance 12 is 0.900, measured on 1,000 planted pair'
        """
        error = math.sqrt(self.asked * (1 - self.asked) / max(self.n_planted, 1))
        if self.measured is None or self.measured >= self.asked - STANDARD_ERRORS * error:
            return ""
        return (
            f"The recall at distance {self.max_distance} is {self}, and {self.asked} was asked: "
            "raise --recall, or use --bits 128."
        )

    def to_mapping(self) -> dict[str, Any]:  # Any: JSON
        """Give what the summary tells."""
        planted = {"n_planted": self.n_planted, "n_found": self.n_found}
        return {"asked": self.asked, "predicted": self.predicted, "measured": self.measured} | (
            planted if self.n_planted else {}
        )


def read_recall(found: Dedup, asked: float | None) -> Recall | None:
    """Measure the recall of a search; None where none was asked for.

    Parameters
    ----------
    found : Dedup
        What a run found.
    asked : float or None
        The recall asked for.

    Returns
    -------
    Recall or None
        Runs a small Spark job where most pairs were looked for.
    """
    plan = found.plan
    if asked is None:
        return None
    if not isinstance(plan, WindowPlan):
        return Recall(plan.max_distance, asked, 1.0)
    measured = measure_recall(found.found, plan)
    return Recall(plan.max_distance, asked, plan.predicted_recall, *measured)
