from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from simhash_spark.core import counting, longtexts, scripts, utf8
from simhash_spark.core.clean import chunks
from simhash_spark.core.fingerprints import FingerprintBatch, fingerprint_texts
from simhash_spark.core.tokenize import segmentation
from simhash_spark.core.vote import ranges
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Capped, Characters, Count, Log, Md5, Words

SIZES = Profile("sizes", Characters((2, 7), 1))
PLAIN = [profile for profile in PROFILES.values() if not profile.is_scored]
WEIGHED = [
    Profile("count", Characters((2, 7), 1), weigh=Count()),
    Profile("log", Words((1, 2)), weigh=Log()),
    Profile("capped", Characters((3,)), weigh=Capped(3), hash=Md5(), tie=1),
    Profile("longer", Characters((2,), 9), weigh=Count()),  # the window knows the longer of both
]
BIGRAMS = Profile("bigrams", Words((1, 2)))


def fingerprint_all(texts: list[str], profile: Profile) -> FingerprintBatch:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    settings = FingerprintSettings(profile, bits=128)
    return fingerprint_texts(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets, settings)


def long_text(seed: int) -> str:
    pieces = [
        "spark ",
        "Σίσυφος",
        "重复",
        "数据 库",
        "é\u0301",
        "1, ",
        "😀",
        "  \n",
        "x" * 90,
        "ไทย",
    ]
    return "".join(random.Random(seed).choices(pieces, k=400))


@pytest.mark.parametrize(
    "profile", [*PLAIN, SIZES, BIGRAMS, *WEIGHED], ids=lambda profile: profile.name
)
@pytest.mark.parametrize("most_hashes", [16, 10_000])
def test_a_text_read_in_pieces_has_the_fingerprint_of_the_whole(
    profile: Profile, most_hashes: int, monkeypatch: pytest.MonkeyPatch
):
    texts = ["short", long_text(1), "", "x" * 3000, long_text(2), "ab " * 2000]
    whole = fingerprint_all(texts, profile)

    monkeypatch.setattr(counting, "LONG_BYTES", 100)
    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", 50)
    monkeypatch.setattr(longtexts, "WINDOW_BYTES", 64)
    monkeypatch.setattr(ranges, "MOST_HASHES", most_hashes)
    monkeypatch.setattr(chunks, "PIECE_BYTES", 60)
    monkeypatch.setattr(scripts, "PIECE_BYTES", 60)
    monkeypatch.setattr(utf8, "PIECE_BYTES", 60)
    monkeypatch.setattr(segmentation, "PIECE_BYTES", 60)
    in_pieces = fingerprint_all(texts, profile)

    assert in_pieces.words.tolist() == whole.words.tolist()
    assert in_pieces.n_features.tolist() == whole.n_features.tolist()


MEASURE = """
import resource, sys
import numpy as np
from simhash_spark.profiles import PROFILES, FingerprintSettings
from simhash_spark.core.fingerprints import fingerprint_texts

name, line = sys.argv[1:]
if line:
    data = np.frombuffer((line * (12_000_000 // len(line))).encode(), dtype=np.uint8)
else:
    data = np.random.default_rng(1).integers(97, 123, size=12_000_000, dtype=np.uint8)
    data[::9] = 32
    data[-3:] = list("é!".encode())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
batch = fingerprint_texts(
    data, np.array([0, len(data)], dtype=np.int64), FingerprintSettings(PROFILES[name])
)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) >> 10, "MB", int(batch.n_features[0]))
"""


@pytest.mark.parametrize(
    ("name", "line", "most_mb"),
    [
        ("auto", "", 300),  # few repeats: millions of distinct features
        ("auto", "a b ", 60),  # lists of all spaces would take 48 MB each
        ("auto", "e\u0301 ", 60),  # combining marks are folded in context
        ("en-words", "a b ", 60),
        ("pypi-simhash", "Aa b, ", 60),  # a list of all words would take 500 MB
    ],
)
def test_a_long_text_takes_bounded_memory(name: str, line: str, most_mb: int):
    seen = subprocess.run(
        [sys.executable, "-c", MEASURE, name, line],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(seen.stdout.split()[0]) < most_mb
