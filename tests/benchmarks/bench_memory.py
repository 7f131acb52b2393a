"""Peak memory of a worker that fingerprints one document of 50 MB, for every kind of profile.

    python tests/benchmarks/bench_memory.py [CASE ...]  [--megabytes 50]

Each case runs in a fresh process that imports what a Python worker of Spark does, holds the text
as an Arrow column among short ones, and prints its peak resident memory (all of it: interpreter,
libraries, the batch). A case whose package is not installed is skipped. Cases that use jieba take
a minute and more; "MD5, random 9-grams", where every feature is another one, takes many.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile, Statistics
from simhash_spark.profiles.learned import Idf
from simhash_spark.profiles.steps import USUAL, Characters, Count, Log, Md5, Words
from simhash_spark.stages._arrow import text_buffers

BAR_MB = 600
AUTO, FIVES = PROFILES["auto"], Characters((5,), 5)

CASES: dict[str, tuple[Profile, str, int]] = {
    "auto, English": (AUTO, "english", 64),
    "auto, Chinese": (AUTO, "chinese", 64),
    "auto, random letters": (AUTO, "random", 64),
    "auto, random letters, 128 bits": (AUTO, "random", 128),
    "auto, combining marks": (AUTO, "marks", 64),
    "auto, spaces everywhere": (AUTO, "spaced", 64),
    "auto, one line of blanks": (AUTO, "blank", 64),
    "auto, invalid bytes": (AUTO, "invalid", 64),
    "auto, expanding ligatures": (AUTO, "ligatures", 64),
    "auto, HTML": (replace(AUTO, clean=("html", *AUTO.clean)), "html", 64),
    "auto, URLs and digits": (replace(AUTO, clean=("urls", "digits", *USUAL)), "english", 64),
    "en-words": (PROFILES["en-words"], "english", 64),
    "words, random": (Profile("w", Words((1,))), "random", 64),
    "words, spaces everywhere": (Profile("w", Words((1, 2))), "spaced", 64),
    "count, random": (Profile("c", FIVES, weigh=Count()), "random", 64),
    "log count, random": (Profile("l", FIVES, weigh=Log()), "random", 64),
    "log count, random, 128 bits": (Profile("l", FIVES, weigh=Log()), "random", 128),
    "IDF, random": (Profile("i", FIVES, weigh=Idf()), "random", 64),
    "median, random, 128 bits": (replace(AUTO, threshold="median"), "random", 128),
    "pypi-simhash, random": (PROFILES["pypi-simhash"], "random", 64),
    "MD5, random 9-grams": (Profile("m", Characters((9,), 9), hash=Md5()), "random", 64),
    "MD5, random, one word": (Profile("m", Words((1,)), hash=Md5()), "random", 64),
    "zh-words": (PROFILES["zh-words"], "chinese", 64),
    "md5-jieba": (PROFILES["md5-jieba"], "chinese", 64),
    "mmh3-weighted": (PROFILES["mmh3-weighted"], "chinese", 64),
    "tfidf-keywords": (PROFILES["tfidf-keywords"], "chinese", 64),
    "pos-weighted": (PROFILES["pos-weighted"], "chinese", 64),
}
SENTENCE = "近似重复的文档只差几个比特，世界卫生组织的工程师写了一篇文章。"
REPEATED = {
    "english": b"The quick brown fox of 1984 jumps over the lazy dog. ",
    "chinese": SENTENCE.encode(),
    "marks": "cafe\u0301 nai\u0308ve ".encode(),
    "spaced": b"a b ",
    "blank": b" ",
    "invalid": b"caf\xe9 au lait \xff\xfe ",
    "ligatures": "ﷺ ﬃ ".encode(),
    "html": b"<p class='x'>Some <b>bold</b> text &amp; more.</p>\n<script>var x = 1;</script>\n",
}


def text_of(kind: str, n_bytes: int) -> np.ndarray:
    if kind != "random":
        line = np.frombuffer(REPEATED[kind], dtype=np.uint8)
        return np.tile(line, n_bytes // len(line))
    data = np.random.default_rng(1).integers(97, 123, size=n_bytes, dtype=np.uint8)
    data[::9] = 32
    return data


def settings_of(profile: Profile, bits: int) -> FingerprintSettings:
    """Settings of a profile; one that learns has learned of a million random features."""
    settings = FingerprintSettings(profile, bits)
    if not profile.needs_statistics:
        return settings
    features = np.sort(np.random.default_rng(2).integers(1 << 63, size=1_000_000, dtype=np.uint64))
    documents = np.full(len(features), 2, dtype=np.int64)
    statistics = Statistics(
        profile.name, bits, settings.definition, 1_000_000, features.tobytes(),
        documents.tobytes(), 1000, (1 << 19,) * bits,
    )  # fmt: skip
    return replace(settings, statistics=statistics)


def column_of(text: np.ndarray) -> pa.Array:
    """Arrow column of two short texts with the long one between."""
    offsets = np.array([0, 5, 5 + len(text), 10 + len(text)], dtype=np.int32)
    data = np.empty(offsets[-1], dtype=np.uint8)
    data[:] = ord("a")
    data[5:-5] = text
    return pa.StringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(data))


def run_case(name: str, megabytes: int) -> None:
    profile, kind, bits = CASES[name]
    column = column_of(text_of(kind, megabytes * 1_000_000))
    before, started = peak_mb(), time.process_time()
    try:
        fingerprint_texts(*text_buffers(column), settings_of(profile, bits))
    except ConfigError as error:
        print(f"{name:32} skipped: {error}")
        return
    seconds, peak = time.process_time() - started, peak_mb()
    verdict = "" if peak < BAR_MB else f"  OVER the bar of {BAR_MB}"
    print(f"{name:32} {peak:5} MB, {before} of them before; {seconds:6.1f} s{verdict}")


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--here", action="store_true", help="in this process")
    chosen = parser.parse_args()
    for case in chosen.cases or CASES:
        if chosen.here:
            run_case(case, chosen.megabytes)
        else:
            arguments = [case, "--megabytes", str(chosen.megabytes), "--here"]
            subprocess.run([sys.executable, __file__, *arguments], check=True)
