from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark import distance, fingerprint, scalar, similarity
from simhash_spark.errors import ConfigError
from tests import oracles

VALUES = st.sampled_from([64, 128]).flatmap(
    lambda bits: st.tuples(st.integers(0, (1 << bits) - 1) | st.integers(0, 9), st.just(bits))
)


@pytest.mark.parametrize("bits", [64, 128])
def test_a_fingerprint_is_that_of_the_oracle(bits: int):
    text = "The quick brown fox jumps over the lazy dog"
    words = oracles.fingerprint(text, scalar.profile_of("auto"), bits)

    assert scalar.fingerprint(text, bits=bits) == sum(w << 64 * i for i, w in enumerate(words))


@given(VALUES)
def test_every_writing_can_be_read_back_and_keeps_leading_zeros(case: tuple[int, int]):
    value, bits = case

    assert scalar.from_bits(scalar.to_bits(value, bits)) == value
    assert scalar.from_hex(scalar.to_hex(value, bits)) == value
    assert scalar.from_bytes(scalar.to_bytes(value, bits)) == value
    assert len(scalar.to_bits(value, bits)) == bits
    assert len(scalar.to_hex(value, bits)) * 4 == len(scalar.to_bytes(value, bits)) * 8 == bits


def test_two_texts_of_the_tutorial_are_28_bits_apart():
    left, right = (scalar.fingerprint(t, "md5-jieba") for t in ("世界卫生组织", "世界组织"))

    assert scalar.distance(left, right) == 28
    assert scalar.similarity(left, right) == 0.5625
    assert scalar.percent(left, right) == "56.25%"


def test_the_distance_is_symmetric_and_reaches_every_bit():
    assert scalar.distance(0, (1 << 128) - 1) == scalar.distance((1 << 128) - 1, 0) == 128
    assert scalar.similarity(0, (1 << 64) - 1) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scalar.from_bits("01"), "in base 2 has 64 or 128 digits, got '01'"),
        (lambda: scalar.from_bits("2" * 64), "in base 2"),
        (lambda: scalar.from_hex(" 05012b5b555a392"), "in base 16"),
        (lambda: scalar.from_bytes(b"1234567"), "8 or 16 bytes, got 7"),
        (lambda: scalar.to_bits(1 << 64), "value must be a whole number from 0 to"),
        (lambda: scalar.to_hex(-1), "got -1"),
        (lambda: scalar.distance(None, 1), "got None"),
        (lambda: scalar.similarity(1 << 64, 0), "left must be"),
        (lambda: scalar.fingerprint("a", bits=32), "bits must be 64 or 128, got 32"),
        (lambda: scalar.fingerprint("a", "nope"), "profile must be one of auto"),
    ],
)
def test_what_is_no_fingerprint_is_refused(call, message: str):
    with pytest.raises(ConfigError, match=message):
        call()


def test_signed_longs_of_spark_are_fingerprints():
    assert distance(-1, 2**64 - 1) == 0
    assert distance(-1848196731432601335, -1848196731432601335 + 2**64) == 0
    assert similarity(-1, 0) == 0.0


@pytest.mark.parametrize("wrong", [None, b"text", 5])
def test_what_is_no_text_is_refused(wrong: object):
    with pytest.raises(ConfigError, match="text must be a str, got"):
        fingerprint(wrong)


def test_a_text_without_a_fingerprint_has_no_distance():
    with pytest.raises(ConfigError, match="got None: that text has too few features"):
        distance(None, 1)


def test_single_texts_need_no_pyspark():
    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "import simhash_spark as s\n"
        "print(s.fingerprint('one text without Spark') is not None)\n"
        "try: s.deduplicate\n"
        "except ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.startswith("True\n")
    assert "pyspark" in said.stdout
