"""Sets of distinct fingerprints to search: uniform ones with planted pairs, and skewed ones.

All are the same in every run. Arrays are (n_fingerprints, n_words) uint64, as in the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simhash_spark import columns as c
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.words import as_signed
from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.steps import Characters, Count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from simhash_spark.core.typing import Words

PLANTED = 0.01
"""Share of the uniform fingerprints that get a neighbour."""

ROWS_PER_FILE = 4_000_000
ROWS_PER_GROUP = 250_000
"""Spark cuts a file between row groups only."""

SINGLE_CHARACTERS = Profile("single-characters", Characters((1,), 1), weigh=Count())
"""Deliberately bad: a text is little more than the frequencies of its commonest characters."""

RAW_CODE = Profile("raw-code", Characters((5,), 5), (), Count())
"""Deliberately bad for code: indentation is not cleaned away, and every blank of it counts."""


def write_uniform(folder: Path, n: int, *, bits: int, max_distance: int) -> int:
    """Write ``n`` uniform fingerprints and planted ones at distance 1 to ``max_distance``.

    Returns how many were planted. The mix is a bijection, so the uniform ones are distinct; that
    a planted one of 64 bits equals another has a chance of 1e-5 at 1e8.
    """
    n_planted = 0
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, n, ROWS_PER_FILE)):
        counter = np.arange(start, min(n, start + ROWS_PER_FILE), dtype=np.uint64)
        base = np.stack(
            [mix(counter + np.uint64(word << 60)) for word in range(bits // 64)], axis=1
        )
        chosen = base[: int(len(base) * PLANTED)]
        near = chosen ^ flips(len(chosen), bits=bits, max_distance=max_distance, seed=number)
        write_fingerprints(folder / f"{number:05}.parquet", np.concatenate([base, near]))
        n_planted += len(near)
    return n_planted


def uniform(n: int, bits: int) -> Words:
    """So many uniform fingerprints, nothing planted."""
    return np.random.default_rng(bits).integers(1 << 64, size=(n, bits // 64), dtype=np.uint64)


def mix(counter: np.ndarray) -> np.ndarray:
    """SplitMix64 of a counter: a bijection of 64-bit words."""
    words = (counter + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def flips(n: int, *, bits: int, max_distance: int, seed: int) -> Words:
    """Masks of 1, 2, ..., ``max_distance``, 1, 2, ... bits: one in each arc of the bits' circle."""
    rng = np.random.default_rng([bits, max_distance, seed])
    arc = bits // max_distance
    first = rng.integers(bits, size=(n, 1))
    places = first + rng.integers(arc, size=(n, max_distance)) + arc * np.arange(max_distance)
    places %= bits
    is_flipped = np.arange(max_distance) <= np.arange(n)[:, np.newaxis] % max_distance
    masks = np.zeros((n, bits // 64), dtype=np.uint64)
    for step in range(max_distance):
        bit = is_flipped[:, step].astype(np.uint64) << (places[:, step] % 64).astype(np.uint64)
        masks[np.arange(n), places[:, step] // 64] |= bit
    return masks


def write_fingerprints(path: Path, words: Words) -> None:
    names = c.fingerprint_words(64 * words.shape[1])
    columns = [pa.array(as_signed(np.ascontiguousarray(word))) for word in words.T]
    table = pa.table(dict(zip(names, columns, strict=True)))
    pq.write_table(table, path, compression="none", row_group_size=ROWS_PER_GROUP)


def sharing(n: int, *, bits: int, n_free: int = 16, spread: bool = True) -> Words:
    """``n`` draws of fingerprints that agree but for ``n_free`` bits; the distinct ones.

    The free bits are the lowest ones, or, ``spread``, anywhere.
    """
    rng = np.random.default_rng([n, bits, n_free])
    shared = rng.integers(1 << 64, size=bits // 64, dtype=np.uint64)
    places = np.sort(rng.permutation(bits)[:n_free]) if spread else np.arange(n_free)
    drawn = rng.integers(1 << n_free, size=n, dtype=np.uint64)
    words = np.tile(shared, (n, 1))
    for step, place in enumerate(places.tolist()):
        bit = (drawn >> np.uint64(step)) & np.uint64(1)
        words[:, place // 64] ^= bit << np.uint64(place % 64)
    return distinct(words)


def poems(path: Path, bits: int = 64) -> Words:
    """Fingerprints of single characters by their counts; ``path`` has a column ``text``."""
    texts = pq.read_table(path, columns=["text"])["text"].to_pylist()
    return fingerprints_of((text or "" for text in texts), SINGLE_CHARACTERS, bits)


def code(folder: Path | None, n_files: int, bits: int = 64) -> Words:
    """Fingerprints of raw source: of the files of a folder, or of as many that are made up."""
    texts = made_up_code(n_files) if folder is None else read_code(folder)
    return fingerprints_of(texts, RAW_CODE, bits)


def read_code(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCES and path.is_file():
            yield path.read_text("utf-8", errors="replace")


def made_up_code(n_files: int) -> Iterator[str]:
    """Sources like those of a large project: one license, few templates, names, indentation."""
    names = [f"{verb}_{noun}" for verb in VERBS.split() for noun in NOUNS.split()]
    for number in range(n_files):
        rng = np.random.default_rng([7, number])
        blanks = " " * int(rng.integers(1, 5))
        lines = [LICENSE, "import os", "import sys", ""]
        for template in rng.integers(len(TEMPLATES), size=rng.integers(3, 12)).tolist():
            drawn = (names[place] for place in rng.integers(len(names), size=8).tolist())
            lines.append(TEMPLATES[template].replace("    ", blanks).format(*drawn))
        yield "\n".join(lines)


SOURCES = (".c", ".cpp", ".go", ".h", ".java", ".js", ".py", ".rs", ".scala")
VERBS = "get set load store read write open close merge split check parse find list"
NOUNS = "file name path index table column value record user cache query result"
LICENSE = "# " + "All rights reserved under the terms of the license of this project. " * 2
TEMPLATES = (
    """\
class {0}:
    def {1}(self, {2}, {3}):
        with self.{4}:
            if self.{2} is None:
                self.{2} = {5}({3})
            return self.{2}.{6}({7})
""",
    """\
def {0}(items, {1}=None):
    for item in items:
        if item.{2}:
            try:
                item.{3}({1}.{4})
                yield {5}(item.{6})
            except {7}:
                continue
""",
    """\
    def test_{0}(self):
        self.assertEqual(
            self.{1}(
                {2}=self.{3},
                {4}='{5}',
            ),
            {6}.{7},
        )
""",
    """\
    @property
    def {0}(self):
        # {1} before {2}, but not {3}
        return (
            self.{4}.{5}
            or self.{6}.{7}
        )
""",
)


def fingerprints_of(texts: Iterable[str], profile: Profile, bits: int) -> Words:
    """The distinct fingerprints of texts, in an order that has nothing to do with their values."""
    raw = [text.encode("utf-8", errors="replace") for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    batch = fingerprint_texts(data, offsets, FingerprintSettings(profile, bits))
    return distinct(batch.words[batch.has_fingerprint])


def distinct(words: Words) -> Words:
    found = np.unique(words, axis=0)
    return found[np.random.default_rng(3).permutation(len(found))]


def skew_of(words: Words) -> float:
    """Pairs that share 16 neighbouring bits, over those of as many uniform fingerprints."""
    n, n_pairs, n_bands = len(words), 0, 4 * words.shape[1]
    for band in range(n_bands):
        keys = (words[:, band // 4] >> np.uint64(16 * (band % 4))) & np.uint64(0xFFFF)
        sizes = np.bincount(keys.astype(np.int64))
        n_pairs += int((sizes * (sizes - 1) // 2).sum())
    return n_pairs / n_bands / max(1, n * (n - 1) / 2 / 65536)
