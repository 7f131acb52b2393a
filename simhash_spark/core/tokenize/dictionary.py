"""jieba, the same on every worker.

Its dictionary is built once per worker process, from the package alone: a cache
file in a shared folder may be stale or foreign, and would change words without
a sign. A dictionary of the user goes into a jieba of its own.
"""

from __future__ import annotations

import importlib.resources
import io
from functools import partial
from typing import TYPE_CHECKING, Any

from simhash_spark.core.packages import import_package
from simhash_spark.core.worker import once_per_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simhash_spark.profiles.dictionaries import UserDictionary
    from simhash_spark.profiles.tokenizers import Jieba


def cutter(tokenize: Jieba) -> Callable[[str], Iterable[str]]:
    """Give the function that cuts a text into words.

    Parameters
    ----------
    tokenize : Jieba
        How.

    Returns
    -------
    callable
        Text to its words, one after the other.

    Raises
    ------
    ConfigError
        If the engine is not installed.

    Examples
    --------
    >>> from simhash_spark.profiles.tokenizers import Jieba
    >>> list(cutter(Jieba())("我来到北京清华大学"))
    ['我', '来到', '北京', '清华大学']
    """
    if tokenize.engine == "rjieba":
        engine = once_per_worker("rjieba", lambda: import_package("rjieba").Jieba())
        is_guessing = {"hmm": tokenize.hmm}
    else:
        engine = tokenizer_of_worker(tokenize.dictionary)
        is_guessing = {"HMM": tokenize.hmm}
    cut = engine.cut if tokenize.mode == "default" else engine.cut_for_search
    return partial(cut, **is_guessing)


def tokenizer_of_worker(words: UserDictionary | None = None) -> Any:  # noqa: ANN401 - no types
    """Give this process's jieba that knows these words beside those of the package.

    >>> from simhash_spark.profiles.dictionaries import UserDictionary
    >>> list(tokenizer_of_worker(UserDictionary("own.txt", "石墨烯电池")).cut("石墨烯电池"))
    ['石墨烯电池']
    """
    return once_per_worker(f"jieba{suffix_of(words)}", lambda: _build_tokenizer(words))


def suffix_of(words: UserDictionary | None) -> str:
    """Give what sets apart the names of what is built with these words."""
    return f" with {words.digest}" if words else ""


def _build_tokenizer(words: UserDictionary | None) -> Any:  # noqa: ANN401 - jieba has no types
    jieba = import_package("jieba")
    dictionary = importlib.resources.files(jieba).joinpath("dict.txt").read_bytes()
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(io.BytesIO(dictionary))
    tokenizer.initialized = True  # or the first cut would read and write the cache file
    for word, frequency, tag in words.entries if words else ():
        tokenizer.add_word(word, frequency, tag)
    return tokenizer
