"""What zh-words costs beside jieba's own cutting, and where it goes.

Run: python tests/benchmarks/bench_words.py [FILE.parquet] [MEGABYTES]    (column "text"; 2 MB)
jieba.cut on the clean texts against the way from raw text to fingerprint, alternating: the whole
way, and, as the difference of two long times is noisy, the way with jieba's words handed in. CPU
seconds of one process; medians over the repeats, and the spread. Then what hashing takes: every
word and pair where it stands, in NumPy, as it is done; or each distinct word of a chunk once,
looked up in a Python dictionary, which is the alternative.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import mmh3
import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.clean.chunks import clean_texts
from simhash_spark.core.counting import CHUNK_CHARACTERS
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.hash.murmur import hash_spans
from simhash_spark.core.tokenize import segmentation
from simhash_spark.core.tokenize.dictionary import tokenizer_of_worker
from simhash_spark.core.tokenize.ngrams import find_features
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.profiles import PROFILES, FingerprintSettings

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "data" / "poems.parquet"
REPEATS = 5
BAR = 15
SETTINGS = FingerprintSettings(PROFILES["zh-words"])
Buffer = tuple[np.ndarray, np.ndarray]


def buffer_of(texts: list[str]) -> Buffer:
    raw = [text.encode() for text in texts]
    return (
        np.frombuffer(b"".join(raw), dtype=np.uint8),
        np.cumsum([0, *map(len, raw)], dtype=np.int64),
    )


def texts_of(buffer: Buffer) -> list[str]:
    raw, bounds = buffer[0].tobytes(), buffer[1].tolist()
    return [raw[a:b].decode() for a, b in itertools.pairwise(bounds)]


def read_texts(path: Path, n_bytes: int) -> list[str]:
    texts = [text or "" for text in pq.read_table(path, columns=["text"])["text"].to_pylist()]
    ends = np.cumsum([len(text.encode()) for text in texts])
    return texts[: int(np.searchsorted(ends, n_bytes)) + 1]


def seconds_of(run: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return max(time.process_time() - start, 1e-9)


def with_words(words_of: dict[str, list[str]], run: Callable[[], object]) -> None:
    """Run with the words of jieba looked up: what is left is everything else."""
    with mock.patch.object(segmentation, "cutter", return_value=words_of.__getitem__):
        run()


def hash_each(chunks: list[tuple[Buffer, list[list[str]]]]) -> None:
    for (data, offsets), _ in chunks:
        spans = find_features(data, offsets, SETTINGS.profile.tokenize)
        hash_spans(data, spans.starts, spans.lengths, n_words=1)


def hash_distinct(chunks: list[tuple[Buffer, list[list[str]]]]) -> None:
    for _, documents in chunks:
        known: dict[str, int] = {}
        for words in documents:
            for word in (*words, *map(" ".join, itertools.pairwise(words))):
                if word not in known:
                    known[word] = mmh3.hash64(word.encode(), signed=False)[0]


def chunks_of(clean: Buffer) -> list[tuple[Buffer, list[list[str]]]]:
    chunks, begin = [], 0
    data, offsets = clean
    while begin < len(offsets) - 1:
        end = max(int(np.searchsorted(offsets, offsets[begin] + CHUNK_CHARACTERS)) - 1, begin + 1)
        bounds = offsets[begin : end + 1] - offsets[begin]
        words = prepare_texts(
            data[offsets[begin] : offsets[end]], bounds, SETTINGS.profile.tokenize
        )
        chunks.append((words, [text.split() for text in texts_of(words)]))
        begin = end
    return chunks


def report(path: Path, n_bytes: int) -> None:
    raw = buffer_of(read_texts(path, n_bytes))
    clean = clean_texts(*raw)
    clean_parts = texts_of(clean)
    jieba = tokenizer_of_worker()
    times = [
        (
            seconds_of(lambda: [list(jieba.cut(text)) for text in clean_parts]),
            seconds_of(lambda: fingerprint_texts(*raw, SETTINGS)),
        )
        for _ in range(REPEATS)
    ]
    cut = statistics.median(cut for cut, _ in times)
    words_of = {text: list(jieba.cut(text)) for text in clean_parts}
    rest = [
        seconds_of(lambda: with_words(words_of, lambda: fingerprint_texts(*raw, SETTINGS)))
        for _ in range(REPEATS)
    ]
    print(f"{path.parent.name}/{path.name}: {len(clean_parts)} documents, {len(raw[0])} bytes")
    print(f"  jieba {cut:.2f} s, {len(raw[0]) / cut / 1e6:.2f} MB/s; all else, bar {BAR} %:")
    for name, shares in {
        "whole way less jieba": sorted(whole / cut - 1 for cut, whole in times),
        "words handed in": sorted(seconds / cut for seconds in rest),
    }.items():
        low, middle, high = (100 * shares[place] for place in (0, len(shares) // 2, -1))
        print(f"  {name}: {middle:.1f} % of jieba ({low:.1f} to {high:.1f})")
    chunks = chunks_of(clean)
    for name, run in (("where it stands", hash_each), ("distinct, by dictionary", hash_distinct)):
        seconds = min(seconds_of(lambda run=run: run(chunks)) for _ in range(REPEATS))
        print(f"  spans and hashes, {name}: {100 * seconds / cut:.1f} % of jieba")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    report(chosen, int(1e6 * float(sys.argv[2] if len(sys.argv) > 2 else 2)))
