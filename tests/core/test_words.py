from __future__ import annotations

import numpy as np
import pytest

from simhash_spark.core.words import as_signed, as_unsigned


@pytest.mark.parametrize(
    ("word", "long"), [(0, 0), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**64 - 1, -1)]
)
def test_the_long_has_the_bits_of_the_word(word: int, long: int):
    words = np.array([word], dtype=np.uint64)

    assert as_signed(words).tolist() == [long]
    assert as_unsigned(np.array([long], dtype=np.int64)).tolist() == [word]


def test_columns_of_a_table_of_words_are_viewed():
    words = np.array([[1, 2**63], [2, 2**64 - 1]], dtype=np.uint64)

    assert as_signed(words)[:, 1].tolist() == [-(2**63), -1]
