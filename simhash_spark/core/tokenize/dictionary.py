"""jieba, the same on every worker.

Its dictionary is built once per worker process, from the package alone: a cache
file in a shared folder may be stale or foreign, and would change words without
a sign.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import io
import socket
import warnings
from typing import Any

from simhash_spark.core.worker import once_per_worker
from simhash_spark.errors import ConfigError


def dictionary_digest() -> str:
    """Describe the jieba that is installed: its version and the hash of its dictionary.

    Returns
    -------
    str
        Equal on two machines exactly where jieba cuts the same words.

    Raises
    ------
    ConfigError
        If jieba is not installed.
    """
    return once_per_worker("dictionary_digest", _digest)


def check_dictionary(expected: str) -> None:
    """Check on a worker that its jieba is the driver's.

    Parameters
    ----------
    expected : str
        What :func:`dictionary_digest` gave on the driver.

    Raises
    ------
    ConfigError
        If jieba is missing here, or is another one.
    """
    actual = dictionary_digest()
    if actual != expected:
        message = (
            f"jieba on worker {socket.gethostname()} differs from the driver's: {actual}, "
            f"expected {expected}. Install the same jieba everywhere: pip install jieba==0.42.1."
        )
        raise ConfigError(message)


def tokenizer_of_worker() -> Any:  # noqa: ANN401 - jieba has no types
    """Give this process's jieba; its dictionary is the package's."""
    return once_per_worker("jieba", _build_tokenizer)


def _import_jieba() -> Any:  # noqa: ANN401 - jieba has no types
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes in jieba's patterns, pkg_resources
        try:
            import jieba
        except ImportError as error:
            message = "profile zh-words needs jieba: pip install jieba==0.42.1"
            raise ConfigError(message) from error
    return jieba


def _dictionary() -> bytes:
    return importlib.resources.files(_import_jieba()).joinpath("dict.txt").read_bytes()


def _digest() -> str:
    version = _import_jieba().__version__
    return f"jieba {version}, dictionary sha256 {hashlib.sha256(_dictionary()).hexdigest()}"


def _build_tokenizer() -> Any:  # noqa: ANN401 - jieba has no types
    tokenizer = _import_jieba().Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(io.BytesIO(_dictionary()))
    tokenizer.initialized = True  # or the first cut would read and write the cache file
    return tokenizer
