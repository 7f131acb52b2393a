from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.core.worker import once_per_worker
from simhash_spark.profiles.steps import Jieba, Tokenizer, Words

WORDS = Words()
JIEBA = Jieba((1, 2))


def prepared(tokenize: Tokenizer, *texts: str) -> list[str]:
    raw = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    data, bounds = prepare_texts(data, np.cumsum([0, *map(len, raw)], dtype=np.int64), tokenize)
    joined = data.tobytes()
    return [joined[a:b].decode() for a, b in itertools.pairwise(bounds)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("(one) two-three, 4.5!", "one two three 4 5"),
        ("don't don’t", "don t don t"),
        ("naïve co\u0301te हिन्दी", "naïve co\u0301te हिन्दी"),
        ("...", "..."),
        ("👍 👍🏽", "👍 👍🏽"),
        ("数据，库", "数据 库"),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text: str, words: str):
    assert prepared(WORDS, text) == [words]


def test_a_document_without_words_leaves_its_neighbors_alone():
    assert prepared(WORDS, "a, b", "?!", "", "c.") == ["a b", "?!", "", "c"]


def test_jieba_cuts_words_and_drops_those_without_letter_or_digit():
    text = "我来到北京清华大学,c++ 3.14 ...!"

    assert prepared(JIEBA, text) == ["我 来到 北京 清华大学 c++ 3.14"]


def test_jieba_cuts_each_document_alone():
    assert prepared(JIEBA, "北京", "大学", "", "?") == ["北京", "大学", "", "?"]


def test_what_a_worker_remembers_of_tokens_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("simhash_spark.core.tokenize.segmentation.MOST_KNOWN", 3)

    for number in range(0, 40, 2):
        assert prepared(JIEBA, f"{number} + {number + 1} 。") == [f"{number} {number + 1}"]

    assert len(once_per_worker("has_word", dict)) <= 3 + 5


QUIET = """
import sys, tempfile, pathlib
import numpy as np
from simhash_spark.profiles.steps import Jieba
from simhash_spark.core.tokenize.segmentation import prepare_texts
data = np.frombuffer("近似重复".encode(), dtype=np.uint8)
prepare_texts(data, np.array([0, len(data)], dtype=np.int64), Jieba())
assert "jieba.analyse" not in sys.modules
print(sorted(path.name for path in pathlib.Path(tempfile.gettempdir()).iterdir()))
"""


def test_jieba_neither_speaks_nor_reads_or_writes_a_cache_file(tmp_path):
    # A stale jieba.cache in the shared temporary folder once changed words without a sign.
    (tmp_path / "jieba.cache").write_bytes(b"not what marshal reads")

    seen = subprocess.run(
        # Compiled anew, jieba's patterns warn of their escapes.
        [sys.executable, "-B", "-W", "error", "-X", f"pycache_prefix={tmp_path}/none", "-c", QUIET],
        env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (seen.returncode, seen.stdout, seen.stderr) == (0, "['jieba.cache']\n", "")
    assert (tmp_path / "jieba.cache").read_bytes() == b"not what marshal reads"
