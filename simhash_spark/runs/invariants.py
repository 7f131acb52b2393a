"""What must be true of every output, computed from the files before they are published.

These are promises to the user, so they are not checked by the code that keeps
them: each is counted again from what was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark.errors import InvariantError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Invariant:
    """A claim about an output, with the numbers that decide it."""

    claim: str
    holds: bool
    values: Mapping[str, int]

    def __str__(self) -> str:
        """Name the claim and its numbers.

        >>> str(Invariant("a = b", holds=False, values={"a": 1, "b": 2}))
        'a = b (a: 1, b: 2)'
        """
        values = ", ".join(f"{name}: {value}" for name, value in self.values.items())
        return f"{self.claim} ({values})"


def check_invariants(written: Mapping[str, DataFrame], max_distance: int) -> list[Invariant]:
    """Check an output.

    Parameters
    ----------
    written : mapping of str to DataFrame
        The frames of the output by name, read from their files.
    max_distance : int
        Largest distance that a pair may have.

    Returns
    -------
    list of Invariant
        All of them; all hold.

    Raises
    ------
    InvariantError
        If one does not hold; the message names the numbers.
    """
    pairs, clusters, duplicates = (written[name] for name in ("pairs", "clusters", "duplicates"))
    checked = [
        _nothing_lost(written),
        *_clusters_are_whole(clusters),
        _no_survivor_is_duplicate(clusters, duplicates),
        _removals_are_explained(clusters, duplicates),
        _pairs_are_near(pairs, max_distance),
        _clustering_converged(pairs, clusters),
        _members_are_explained(pairs, clusters),
    ]
    if broken := [str(invariant) for invariant in checked if not invariant.holds]:
        message = f"The output contradicts itself and was not published: {'; '.join(broken)}."
        raise InvariantError(message)
    return checked


def _nothing_lost(written: Mapping[str, DataFrame]) -> Invariant:
    names = ("survivors", "duplicates", "fingerprints")
    values = {name: written[name].count() for name in names}
    return Invariant(
        "survivors + duplicates = input rows",
        values["survivors"] + values["duplicates"] == values["fingerprints"],
        values,
    )


def _clusters_are_whole(clusters: DataFrame) -> Iterable[Invariant]:
    per_cluster = clusters.groupBy(c.CLUSTER_ID).agg(
        F.count(F.lit(1)).alias("n_members"),
        F.sum(F.col(c.IS_SURVIVOR).cast("int")).alias("n_survivors"),
        F.min(c.CLUSTER_SIZE).alias("smallest"),
        F.max(c.CLUSTER_SIZE).alias("largest"),
    )
    members = F.col("n_members")
    sizes_agree = (F.col("smallest") == members) & (F.col("largest") == members) & (members > 1)
    values = _count_each(
        per_cluster,
        "clusters",
        without_one_survivor=F.col("n_survivors") == 1,
        of_another_size=sizes_agree,
    )
    survivors = {name: values[name] for name in ("clusters", "without_one_survivor")}
    sizes = {name: values[name] for name in ("clusters", "of_another_size")}
    yield Invariant(
        "each cluster has exactly one survivor", not values["without_one_survivor"], survivors
    )
    yield Invariant(
        "each cluster has at least two members, and as many as it says",
        not values["of_another_size"],
        sizes,
    )


def _no_survivor_is_duplicate(clusters: DataFrame, duplicates: DataFrame) -> Invariant:
    kept = clusters.where(c.IS_SURVIVOR).select(c.ID)
    kept = kept.union(duplicates.select(c.SURVIVOR_ID))
    n_both = duplicates.join(kept, on=c.ID, how="left_semi").count()
    return Invariant("no survivor is a duplicate", not n_both, {"survivors_removed": n_both})


def _removals_are_explained(clusters: DataFrame, duplicates: DataFrame) -> Invariant:
    keys = [c.ID, c.CLUSTER_ID]
    removed = clusters.where(~F.col(c.IS_SURVIVOR)).select(*keys)
    values = {
        "members_not_kept": removed.count(),
        "duplicates": duplicates.count(),
        "duplicates_explained": duplicates.join(removed, on=keys, how="left_semi").count(),
    }
    return Invariant(
        "the duplicates are the members that do not survive", len(set(values.values())) == 1, values
    )


def _pairs_are_near(pairs: DataFrame, max_distance: int) -> Invariant:
    distance = F.col(c.DISTANCE)
    values = _count_each(
        pairs,
        "pairs",
        out_of_range=(distance >= 0) & (distance <= max_distance),
        out_of_order=F.col(c.ID_L) < F.col(c.ID_R),
    )
    return Invariant(
        f"each pair has id_l < id_r and a distance from 0 to {max_distance}",
        not values["out_of_range"] and not values["out_of_order"],
        values,
    )


def _clustering_converged(pairs: DataFrame, clusters: DataFrame) -> Invariant:
    ends = pairs
    for key, name in ((c.ID_L, "cluster_l"), (c.ID_R, "cluster_r")):
        side = clusters.select(F.col(c.ID).alias(key), F.col(c.CLUSTER_ID).alias(name))
        ends = ends.join(side, on=key, how="left")
    values = _count_each(
        ends,
        "pairs",
        across_clusters=F.col("cluster_l") == F.col("cluster_r"),
    )
    return Invariant(
        "both documents of each pair are in one cluster", not values["across_clusters"], values
    )


def _members_are_explained(pairs: DataFrame, clusters: DataFrame) -> Invariant:
    ends = pairs.select(F.col(c.ID_L).alias(c.ID)).union(pairs.select(c.ID_R))
    n_alone = clusters.join(ends, on=c.ID, how="left_anti").count()
    return Invariant(
        "each member of a cluster is in a pair", not n_alone, {"members_without_pair": n_alone}
    )


def _count_each(frame: DataFrame, total: str, **claims: Column) -> dict[str, int]:
    """Count the rows, and for each claim those of which it is not true."""
    is_broken = {name: F.when(claim, F.lit(None)).otherwise(1) for name, claim in claims.items()}
    counts = [F.count(value).alias(name) for name, value in is_broken.items()]
    row = frame.agg(F.count(F.lit(1)).alias(total), *counts).first()
    return {name: row[name] if row else 0 for name in (total, *claims)}
