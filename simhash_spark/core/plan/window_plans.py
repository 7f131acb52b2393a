"""What a search by sorted windows will do: tables, tasks, passes, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from simhash_spark.core.join.bands import WORD_BITS
from simhash_spark.core.plan.plans import Plan
from simhash_spark.core.windows.permutations import TURNS

if TYPE_CHECKING:
    from simhash_spark.core.plan.plans import Alternative, Prediction
    from simhash_spark.core.windows.planted import PlantedPairs


@dataclass(frozen=True)
class WindowPlan:
    """How most pairs within a distance are found.

    Parameters
    ----------
    name : str
        What it does.
    bits : {64, 128}
        Length of a fingerprint.
    max_distance : int
        Largest Hamming distance, in bits and inclusive.
    n_nodes : int
        Distinct fingerprints.
    recall : float
        Share of the pairs at the largest distance that was asked for.
    predicted_recall : float
        The share that is expected.
    window, n_tables : int
        Successors compared, and tables of each pass.
    passes, width : int
        How often fingerprints are sent to groups, and by how many bits; a width of 0:
        there is one pass, and every task gets all of them.
    seed : int
        Seed of the bits that make groups.
    n_shares : int
        Tasks that share the tables of a pass; 1 where there are groups.
    n_partitions : int
        Partitions that the shares, or the groups, are dealt to.
    prediction : Prediction
        What it takes.
    planted : PlantedPairs
        Pairs at the largest distance that are looked up beside.
    alternatives : tuple of Alternative
        All that were considered, this one included.
    """

    name: str
    bits: int
    max_distance: int
    n_nodes: int
    recall: float
    predicted_recall: float
    window: int
    n_tables: int
    passes: int
    width: int
    seed: int
    n_shares: int
    n_partitions: int
    prediction: Prediction
    planted: PlantedPairs = field(compare=False, repr=False)
    alternatives: tuple[Alternative, ...] = ()

    @property
    def n_top(self) -> int:
        """Copies sent of each fingerprint."""
        return self.passes * self.n_shares

    @property
    def band_bits(self) -> tuple[int, ...]:
        """No bands: nothing is grouped by bits of one place."""
        return ()

    @property
    def routes(self) -> tuple[()]:
        """No routes by key."""
        return ()

    def tables_of(self, share: int) -> range:
        """Give the tables of a share: those of whole permutations, which cost less together."""
        each = TURNS * self.bits // WORD_BITS
        n_orders = -(-self.n_tables // each)
        first, last = (n_orders * at // self.n_shares for at in (share, share + 1))
        return range(first * each, min(last * each, self.n_tables))


SearchPlan: TypeAlias = Plan | WindowPlan
"""The two ways to look for pairs."""
