"""Clean texts to words with a weight each: keywords, parts of speech, IDF and word lists.

jieba works on one text at a time, so this does, too.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from simhash_spark.core.packages import import_package, silence
from simhash_spark.core.tokenize.dictionary import suffix_of, tokenizer_of_worker
from simhash_spark.core.tokenize.segmentation import CUTS, has_word
from simhash_spark.core.utf8 import pieces
from simhash_spark.core.worker import once_per_worker
from simhash_spark.profiles.scored import Keywords, Scored, Tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from simhash_spark.core.typing import Bytes, Floats, Integers
    from simhash_spark.profiles.dictionaries import UserDictionary
    from simhash_spark.profiles.scored import ScoringTokenizer

    Score = Callable[[str], list[tuple[str, float]]]


def score_words(
    data: Bytes, offsets: Integers, tokenize: ScoringTokenizer
) -> tuple[tuple[Bytes, Integers], Integers, Floats]:
    """Cut every text into words with weights.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.
    tokenize : Keywords, Tagged or Scored
        How.

    Returns
    -------
    spans : tuple of ndarray
        UTF-8 of the words of weight above 0, one after the other, and where
        each starts, and the end.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    weights : ndarray of shape (n_features,), dtype float64
        Their weights.

    Raises
    ------
    ConfigError
        If jieba is not installed.

    Examples
    --------
    >>> data = np.frombuffer("北京的大学，大学".encode(), dtype=np.uint8)
    >>> spans, n_features, weights = score_words(data, np.array([0, len(data)]), Tagged({"n": 3}))
    >>> spans[0].tobytes().decode(), n_features.tolist(), weights.tolist()
    ('北京的大学大学', [4], [1.0, 1.0, 3.0, 3.0])
    """
    score = _scorer(tokenize)
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    texts = (data[start:end].tobytes().decode("utf-8") for start, end in bounds)
    scored = [[(word, w) for word, w in score(text) if w > 0] for text in texts]
    words = [word.encode("utf-8") for document in scored for word, _ in document]
    starts = np.cumsum(np.array([0, *map(len, words)], dtype=np.int64))
    n_features = np.array([len(document) for document in scored], dtype=np.int64)
    weights = np.array([w for document in scored for _, w in document], dtype=np.float64)
    return (np.frombuffer(b"".join(words), dtype=np.uint8), starts), n_features, weights


def _scorer(tokenize: ScoringTokenizer) -> Score:
    if isinstance(tokenize, Keywords):
        extract = _extractor(tokenize.dictionary).extract_tags
        truncate = math.floor if tokenize.integer else float
        return lambda text: [
            (word, truncate(w)) for word, w in extract(text, topK=tokenize.top, withWeight=True)
        ]
    if isinstance(tokenize, Tagged):
        tag = _tagger(tokenize.dictionary).cut
        return lambda text: list(
            _weigh_tagged((pair for piece in _pieces_of(text) for pair in tag(piece)), tokenize)
        )
    return _words_scorer(tokenize)


def _weigh_tagged(
    tagged: Iterable[tuple[str, str]], tokenize: Tagged
) -> Iterator[tuple[str, float]]:
    seen: Counter[str] = Counter()
    for word, tag in tagged:
        if tag in tokenize.drop or not has_word(word):
            continue
        seen[word] += 1
        if seen[word] <= tokenize.most:
            yield word, tokenize.tags.get(tag, 1.0)


def _words_scorer(tokenize: Scored) -> Score:
    extractor = _extractor(tokenize.dictionary)
    cut = partial(_cut, words=tokenize.dictionary)
    idf, median = extractor.idf_freq, extractor.median_idf
    coefficients = tokenize.coefficients

    def score(text: str) -> list[tuple[str, float]]:
        counts = Counter(filter(has_word, cut(text)))
        return [
            (word, (1 + math.log(n)) * idf.get(word, median) * coefficients.get(word, 1.0))
            for word, n in counts.items()
        ]

    return score


def _cut(text: str, words: UserDictionary | None) -> Iterator[str]:
    cut = tokenizer_of_worker(words).cut
    return (word for piece in _pieces_of(text) for word in cut(piece))


def _pieces_of(text: str) -> Iterator[str]:
    """Cut a long text where jieba looks no further: it makes lists of what it is given."""
    for piece in pieces(np.frombuffer(text.encode("utf-8"), dtype=np.uint8), CUTS):
        yield piece.tobytes().decode("utf-8")


def _extractor(words: UserDictionary | None) -> Any:  # noqa: ANN401 - jieba has no types
    def build() -> Any:  # noqa: ANN401
        tokenizer_of_worker(words)  # says so where jieba is not installed
        with silence():
            extractor = import_package("jieba.analyse").TFIDF()
        cut = partial(_cut, words=words)
        extractor.tokenizer = SimpleNamespace(cut=cut)  # theirs reads and writes a cache file
        return extractor

    return once_per_worker(f"jieba.analyse{suffix_of(words)}", build)


def _tagger(words: UserDictionary | None) -> Any:  # noqa: ANN401 - jieba has no types
    def build() -> Any:  # noqa: ANN401
        with silence():
            return import_package("jieba.posseg").POSTokenizer(tokenizer_of_worker(words))

    return once_per_worker(f"jieba.posseg{suffix_of(words)}", build)
