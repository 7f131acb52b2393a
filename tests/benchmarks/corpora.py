"""Corpora with known near-duplicates: read, rid of exact copies, and sampled by whole clusters.

A corpus is a file of documents (``id``, ``text``) with files of labelled pairs
(``id1``, ``id2``, ``jaccard...``, perhaps ``label``). Two layouts are read:
``FOLDER/NAME/docs.*`` beside ``pairs.jsonl`` and ``gold_jaccard.jsonl``, and
``FOLDER/NAME.*`` beside ``NAME_pairs.jsonl`` or ``NAME_gold.jsonl``.

The lists of pairs name one document of those whose texts are equal but for
white space, so one stands for all here, too: the first in the file.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from simhash_spark.core.clusters import spanning_forest
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from simhash_spark.core.typing import Integers

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
SHORTEST = {"zh_poetry": 20, "zh_reviews": 20, "poems": 20}
"""Characters, white space aside, below which the authors of the lists did not look for pairs."""

HAN = re.compile("[\u3400-\u9fff]")
CHINESE = 0.1
"""Share of Han characters from which a corpus counts as Chinese: prose with code has a third."""


@dataclass(frozen=True)
class Corpus:
    """Distinct documents, with what is known about their pairs.

    Parameters
    ----------
    name : str
        What the corpus is called.
    texts : list of str
        One text per document.
    clusters : ndarray of shape (n_docs,), dtype int64
        Documents that labelled pairs connect have the same number; those of
        different clusters count as unrelated.
    true_pairs : ndarray of shape (n_pairs, 2), dtype int64
        Positions of the documents that should be found, smaller one first.
    rate : float
        Share of the clusters of the whole corpus that are here.
    pair_rate : float
        Share of the pairs of such clusters that are here.
    """

    name: str
    texts: list[str]
    clusters: Integers
    true_pairs: Integers
    rate: float = 1.0
    pair_rate: float = 1.0

    @property
    def is_chinese(self) -> bool:
        """Whether a good part of the characters are Han, by the first hundred texts."""
        start = "".join(self.texts[:100])
        return len(HAN.findall(start)) > CHINESE * len(start)


def find_corpora(folder: Path) -> dict[str, tuple[Path, list[Path]]]:
    """Find documents and lists of pairs, by the name of the corpus."""
    docs = {path.parent.name: path for path in folder.glob("*/docs.*")}
    docs |= {path.name.split(".")[0]: path for path in folder.iterdir() if path.is_file()}
    found = {}
    for name, path in sorted(docs.items()):
        if not path.name.endswith(SUFFIXES):
            continue
        stems = ("pairs", "gold_jaccard") if path.name.startswith("docs.") else _stems(name)
        labels = [path.with_name(f"{stem}.jsonl") for stem in stems]
        labels = [label for label in labels if label.exists()]
        if labels:
            found[name] = (path, labels)
    if not found:
        message = f"{folder} holds no corpus: FOLDER/NAME/docs.* with pairs.jsonl beside it."
        raise ConfigError(message)
    return found


def read_corpus(name: str, docs: Path, labels: list[Path], *, least: float = 0.8) -> Corpus:
    """Read a corpus; pairs with a Jaccard similarity of ``least`` or more, in any list, are true.

    A pair in a list, but for those labelled 0, connects its documents: both
    are of one cluster, whatever their similarity.
    """
    rows = [(str(row["id"]), row["text"] or "") for row in _rows(docs)]
    position_of, texts = _distinct(rows, SHORTEST.get(name, 0))
    pairs = [row for path in labels for row in _rows(path)]
    related = [row for row in pairs if row.get("label") != 0 or similarity(row) >= least]
    ends = _positions(related, position_of)
    true = _positions((row for row in related if similarity(row) >= least), position_of)
    forest = spanning_forest(ends[:, 0], ends[:, 1], n_nodes=len(texts))
    return Corpus(name, texts, forest.components, true)


def sample_corpus(corpus: Corpus, *, most_docs: int, most_characters: int) -> Corpus:
    """Draw whole clusters, in an order that looks random but is always the same.

    A pair inside a cluster is then here with probability ``rate``, one of two
    clusters with ``pair_rate``: dividing by these estimates the whole corpus.
    A corpus within the bounds is given back.
    """
    firsts, cluster_of = np.unique(corpus.clusters, return_inverse=True)
    keys = [hashlib.sha256(corpus.texts[first].encode()).digest() for first in firsts]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    sizes = np.bincount(cluster_of)
    lengths = np.bincount(cluster_of, weights=[len(text) for text in corpus.texts])
    fits = (np.cumsum(sizes[order]) <= most_docs) & (np.cumsum(lengths[order]) <= most_characters)
    n_drawn, n_all = int(fits.sum()), len(firsts)
    if n_drawn == n_all:
        return corpus
    if n_drawn < 2:
        message = f"{corpus.name}: the sample is of {n_drawn} clusters; allow more."
        raise ConfigError(message)
    is_drawn = np.isin(cluster_of, order[:n_drawn])
    places = np.cumsum(is_drawn) - 1
    return Corpus(
        corpus.name,
        [text for text, drawn in zip(corpus.texts, is_drawn, strict=True) if drawn],
        cluster_of[is_drawn],
        places[corpus.true_pairs[is_drawn[corpus.true_pairs].all(axis=1)]],
        n_drawn / n_all,
        n_drawn * (n_drawn - 1) / (n_all * (n_all - 1)),
    )


def similarity(row: dict[str, Any]) -> float:
    """Jaccard similarity of a labelled pair, whatever the column is called."""
    return max(float(value) for key, value in row.items() if key.startswith("jaccard"))


def _stems(name: str) -> tuple[str, str]:
    return f"{name}_pairs", f"{name}_gold"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".parquet":
        columns = [name for name in pq.read_schema(path).names if name in ("id", "text")]
        yield from pq.read_table(path, columns=columns).to_pylist()
        return
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _distinct(rows: list[tuple[str, str]], shortest: int) -> tuple[dict[str, int], list[str]]:
    """Position of each id's text among the distinct texts, and these."""
    position_of: dict[str, int] = {}
    texts: list[str] = []
    seen: dict[str, int] = {}
    for doc_id, text in rows:
        key = "".join(text.split())
        if len(key) < max(shortest, 1):
            continue
        position = seen.setdefault(key, len(texts))
        if position == len(texts):
            texts.append(text)
        position_of[doc_id] = position
    return position_of, texts


def _positions(pairs: Iterable[dict[str, Any]], position_of: dict[str, int]) -> Integers:
    """Pairs of distinct documents by their positions, ascending, each once."""
    known = [
        (position_of[str(row["id1"])], position_of[str(row["id2"])])
        for row in pairs
        if {str(row["id1"]), str(row["id2"])} <= position_of.keys()
    ]
    found = {(min(pair), max(pair)) for pair in known if pair[0] != pair[1]}
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
