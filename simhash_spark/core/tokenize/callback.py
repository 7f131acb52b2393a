"""Clean texts to features by a user's function, a call for each document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from simhash_spark.errors import CallbackError

if TYPE_CHECKING:
    from simhash_spark.core.typing import Bytes, Floats, Integers
    from simhash_spark.profiles.callback import Callback


def call_function(
    data: Bytes, offsets: Integers, callback: Callback, *, is_weighed: bool
) -> tuple[tuple[Bytes, Integers], Integers, Floats | None]:
    """Let a function find the features of every text.

    Parameters
    ----------
    data : ndarray of shape (n_bytes,), dtype uint8
        UTF-8 of the clean texts.
    offsets : ndarray of shape (n_docs + 1,), dtype int64
        Where each text starts in ``data``, from 0.
    callback : Callback
        The function; it is not called for empty texts.
    is_weighed : bool
        Whether it has to give weights, or must not.

    Returns
    -------
    spans : tuple of ndarray
        UTF-8 of the features, one after the other, and where each starts, and the end.
    n_features : ndarray of shape (n_docs,), dtype int64
        How many of them each document has.
    weights : ndarray of shape (n_features,), dtype float64, or None
        Their weights.

    Raises
    ------
    CallbackError
        If the function raises, or gives anything but features (with weights).

    Examples
    --------
    >>> from simhash_spark.profiles.callback import Callback
    >>> data = np.frombuffer(b"to be", dtype=np.uint8)
    >>> split = Callback(str.split, name="split")
    >>> spans, n_features, _ = call_function(data, np.array([0, 5]), split, is_weighed=False)
    >>> spans[0].tobytes(), spans[1].tolist(), n_features.tolist()
    (b'tobe', [0, 2, 4], [2])
    """
    raw = data.tobytes()
    found: list[bytes] = []
    weights: list[float] = []
    n_features = np.zeros(len(offsets) - 1, dtype=np.int64)
    for doc in np.flatnonzero(np.diff(offsets)).tolist():
        text = raw[offsets[doc] : offsets[doc + 1]].decode("utf-8")
        try:
            given = callback.function(text)
            features, own_weights = _separate(given) if is_weighed else (_listed(given), [])
            encoded = [_encoded(feature, is_weighed=is_weighed) for feature in features]
        except (Exception, SystemExit) as error:
            raise CallbackError.of(callback.name, error, text=text, place=doc) from error
        found += encoded
        weights += own_weights
        n_features[doc] = len(encoded)
    starts = np.cumsum(np.array([0, *map(len, found)], dtype=np.int64))
    spans = np.frombuffer(b"".join(found), dtype=np.uint8), starts
    return spans, n_features, np.array(weights, dtype=np.float64) if is_weighed else None


def _listed(given: object) -> list[object]:
    """Make a list of what a function gave; a lone string is not a list of its characters."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        message = f"it must give a list of str, got {_shown(given)}"
        raise TypeError(message)
    return list(given)


def _separate(given: object) -> tuple[list[object], list[float]]:
    """Take features and weights apart."""
    pairs = list(given.items()) if isinstance(given, Mapping) else _listed(given)
    features, weights = [], []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            message = f"weigh = given needs (feature, weight) for each feature, got {_shown(pair)}"
            raise TypeError(message)
        feature, weight = pair
        if not isinstance(weight, Real) or not 0 <= float(weight) < float("inf"):
            message = (
                f"the weight of {_shown(feature)} must be a finite number, not negative, got "
                f"{_shown(weight)}"
            )
            raise TypeError(message)
        features.append(feature)
        weights.append(float(weight))
    return features, weights


def _encoded(feature: object, *, is_weighed: bool) -> bytes:
    if isinstance(feature, str):
        return feature.encode("utf-8")
    hint = "" if is_weighed else " (weights go with weigh = given)"
    message = f"a feature must be a str, got {_shown(feature)}{hint if _is_pair(feature) else ''}"
    raise TypeError(message)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}... ({type(value).__name__})"
