"""Array aliases; the shape stands in the docstring of each function."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]
"""Fingerprints as (n_docs, n_words) uint64: word 0 holds bits 0 to 63, word 1 bits 64 to 127."""

Hashes: TypeAlias = npt.NDArray[np.uint64]
"""Feature hashes as (n_features, n_words) uint64, words as above."""

Bytes: TypeAlias = npt.NDArray[np.uint8]
CodePoints: TypeAlias = npt.NDArray[np.uint32]
Integers: TypeAlias = npt.NDArray[np.int64]
Places: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Booleans: TypeAlias = npt.NDArray[np.bool_]
