"""What a finished run has counted, from the files it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from simhash_spark import columns as c
from simhash_spark.errors import InputError
from simhash_spark.runs.recall import Recall  # noqa: TC001 - a field, resolved at run time
from simhash_spark.runs.sources import CORRUPT_RECORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from simhash_spark.config import DedupConfig
    from simhash_spark.pipeline import Store


@dataclass(frozen=True)
class Counts:
    """The numbers of the closing table.

    Parameters
    ----------
    documents, duplicates, clusters, largest_cluster, pairs : int
        Rows and sizes in the output.
    unfingerprinted : mapping of str to int
        Documents without a fingerprint by reason.
    unlisted, not_compared : int
        Pairs of dense buckets that were found and left out, or ruled out unseen.
    malformed : int or None
        Records kept although malformed; None where a malformed record stops the run.
    recall : Recall or None
        Where most pairs were asked for, not all.
    """

    documents: int
    unfingerprinted: Mapping[str, int]
    duplicates: int
    clusters: int
    largest_cluster: int
    pairs: int
    unlisted: int = 0
    not_compared: int = 0
    malformed: int | None = None
    recall: Recall | None = None

    @property
    def fingerprinted(self) -> int:
        """Documents with a fingerprint."""
        return self.documents - sum(self.unfingerprinted.values())

    def labelled(self) -> list[tuple[str, str]]:
        """List the numbers with their names, for people."""
        share = self.duplicates / self.documents
        lines = [
            ("documents", f"{self.documents:,}"),
            ("fingerprinted", f"{self.fingerprinted:,}"),
            *((f"without: {name}", f"{n:,}") for name, n in self.unfingerprinted.items()),
            ("duplicates removed", f"{self.duplicates:,} ({share:.1%})"),
            ("clusters", f"{self.clusters:,}"),
            ("largest cluster", f"{self.largest_cluster:,}"),
            ("near-duplicate pairs", f"{self.pairs:,}"),
        ]
        if self.recall is not None:
            lines.append((f"recall at distance {self.recall.max_distance}", str(self.recall)))
        rare = {
            "pairs not listed": self.unlisted,
            "pairs not compared": self.not_compared,
        }
        lines += [(label, f"{n:,}") for label, n in rare.items() if n]
        if self.malformed is None:
            return lines
        return [*lines, ("malformed records kept", f"{self.malformed:,}")]


def check_documents(fingerprints: DataFrame, config: DedupConfig) -> None:
    """Fail early where there is nothing to compare.

    Parameters
    ----------
    fingerprints : DataFrame
        Columns ``n_characters``, null for a document without text, and
        ``n_features``, null for one without features.
    config : DedupConfig
        Names the column of texts, or of features.

    Raises
    ------
    InputError
        If there are no documents, or no document has a text, or features.
    """
    what, name, counted = "text", config.text_column, c.N_CHARACTERS
    if config.features_column is not None:
        what, name, counted = "features", config.features_column, c.N_FEATURES
    row = fingerprints.agg(F.count(F.lit(1)), F.count(counted)).first()
    n_documents, n_filled = row or (0, 0)
    if not n_documents:
        message = "The input holds no rows: nothing to compare."
        raise InputError(message)
    if not n_filled:
        message = (
            f"The {what} column '{name}' is null in all {n_documents} row(s): check "
            f"--{what}-column."
        )
        raise InputError(message)


def checking(store: Store, config: DedupConfig) -> Store:
    """Let a store look at the documents with :func:`check_documents`, once they are written."""

    def store_and_check(name: str, frame: DataFrame) -> DataFrame:
        stored = store(name, frame)
        if name == "fingerprints":
            check_documents(stored, config)
        return stored

    return store_and_check


def count_output(
    written: Mapping[str, DataFrame],
    n_rows: Mapping[str, int],
    effort: Mapping[str, int],
    recall: Recall | None = None,
) -> Counts:
    """Count what the closing table shows.

    Parameters
    ----------
    written : mapping of str to DataFrame
        The frames of the output by name, read from their files.
    n_rows : mapping of str to int
        Their rows.
    effort : mapping of str to int
        From :func:`read_effort`.
    recall : Recall, optional
        What was found of the pairs at the maximal distance.

    Returns
    -------
    Counts
        Three small aggregations, from the files.
    """
    reasons = written["unfingerprinted"].groupBy(c.REASON).count().orderBy(c.REASON).collect()
    clusters = written["clusters"].agg(F.count_distinct(c.CLUSTER_ID), F.max(c.CLUSTER_SIZE))
    n_clusters, largest = clusters.first() or (0, 0)
    survivors = written["survivors"]
    malformed = None
    if CORRUPT_RECORD in survivors.columns:
        malformed = survivors.where(F.col(CORRUPT_RECORD).isNotNull()).count()
    return Counts(
        documents=n_rows["fingerprints"],
        unfingerprinted={row[0]: row[1] for row in reasons},
        duplicates=n_rows["duplicates"],
        clusters=n_clusters,
        largest_cluster=largest or 0,
        pairs=n_rows["pairs"],
        unlisted=effort.get("n_unlisted", 0),
        not_compared=effort.get("n_not_compared", 0),
        malformed=malformed,
        recall=recall,
    )


def read_effort(effort: DataFrame) -> dict[str, int]:
    """Read what the search for pairs took: one row, a number per column."""
    row = effort.first()
    return {} if row is None else {name: value or 0 for name, value in row.asDict().items()}
