"""How often rjieba cuts other words than jieba, and how much faster it is.

Run: python tests/benchmarks/bench_engines.py FILE.parquet [MEGABYTES]    (column "text"; 4 MB)
Texts are cleaned as by zh-words. A token differs where the other engine has none from the same
character to the same character; in search mode, where it has fewer of the same kind. Counted are
words, as zh-words keeps them, and all tokens but white space (option punctuation). CPU seconds of
cutting alone, the engines alternating, the better of two.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[2]))

from simhash_spark.core.clean.cleaning import clean_text
from simhash_spark.core.tokenize.dictionary import cutter
from simhash_spark.core.tokenize.segmentation import has_word
from simhash_spark.profiles.steps import USUAL, Jieba

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENGINES = ("jieba", "rjieba")


def read_texts(path: str, n_bytes: int) -> list[str]:
    texts: list[str] = []
    for text in pq.read_table(path, columns=["text"])["text"].to_pylist():
        if n_bytes <= 0:
            break
        texts.append(clean_text(text or "", USUAL))
        n_bytes -= len(texts[-1].encode())
    return texts


def places(tokens: list[str], is_kept: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    at = 0
    for token in tokens:
        if is_kept(token):
            yield at, token
        at += len(token)


def differing(left: list[str], right: list[str], step: Jieba) -> tuple[int, int]:
    """Tokens of the left that the right lacks, and all of the left."""
    is_kept = (lambda token: not token.isspace()) if step.punctuation else has_word
    if step.mode == "search":
        ours, theirs = (Counter(filter(is_kept, tokens)) for tokens in (left, right))
    else:
        ours, theirs = (Counter(places(tokens, is_kept)) for tokens in (left, right))
    return (ours - theirs).total(), ours.total()


def seconds_of(texts: list[str], step: Jieba) -> tuple[float, list[list[str]]]:
    cut = cutter(step)
    list(cut("世界"))  # builds the dictionary
    start = time.process_time()
    tokens = [list(cut(text)) for text in texts]
    return time.process_time() - start, tokens


def compare(texts: list[str], *, mode: str, hmm: bool) -> None:
    best = dict.fromkeys(ENGINES, float("inf"))
    tokens = {}
    for _ in range(2):
        for engine in ENGINES:
            seconds, tokens[engine] = seconds_of(texts, Jieba(mode=mode, hmm=hmm, engine=engine))
            best[engine] = min(best[engine], seconds)
    ratio = best["jieba"] / best["rjieba"]
    print(f"mode {mode}, hmm {str(hmm).lower()}: rjieba is {ratio:.1f} times as fast")
    for punctuation in (False, True):
        step = Jieba(mode=mode, hmm=hmm, punctuation=punctuation)
        pairs = zip(tokens["jieba"], tokens["rjieba"], strict=True)
        counts = [(*differing(a, b, step), *differing(b, a, step)) for a, b in pairs]
        n_docs = sum(lost + added > 0 for lost, _, added, _ in counts)
        lost, n_tokens = (sum(row[place] for row in counts) for place in (0, 1))
        print(
            f"  {'all tokens' if punctuation else 'words':10}: {n_docs / len(counts):7.2%} of "
            f"documents and {lost / n_tokens:7.3%} of {n_tokens} tokens differ"
        )


if __name__ == "__main__":
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 4
    chosen = read_texts(sys.argv[1], int(megabytes * 1e6))
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ENGINES)
    print(f"{len(chosen)} documents, {sum(len(t.encode()) for t in chosen)} bytes; {versions}")
    for mode in ("default", "search"):
        for hmm in (True, False):
            compare(chosen, mode=mode, hmm=hmm)
