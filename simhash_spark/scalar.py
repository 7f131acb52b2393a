"""One text at a time, for a prompt: fingerprints as numbers, their distance, and their writing.

A fingerprint is a number from 0 to 2^bits - 1. Written as bits, hex digits or
bytes it has as many of them as its length asks for, leading zeros included,
the highest bit first.
"""

from __future__ import annotations

import numpy as np

from simhash_spark.checks import check_range
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import FingerprintSettings, Profile, Statistics, profile_of


def fingerprint(
    text: str,
    profile: Profile | str = "auto",
    bits: int = 64,
    *,
    statistics: Statistics | None = None,
) -> int | None:
    """Fingerprint a text.

    Parameters
    ----------
    text : str
        Text.
    profile : Profile or str
        How text becomes a fingerprint; a name stands for the built-in one.
    bits : {64, 128}
        Length of the fingerprint.
    statistics : Statistics, optional
        What the profile has learned from a corpus, where it does.

    Returns
    -------
    int or None
        The fingerprint; None where the text has too few features.

    Raises
    ------
    ConfigError
        If there is no such profile, its hash has fewer bits, or the
        statistics are missing or those of another profile or length.
    CallbackError
        If a function of the profile fails.

    Examples
    --------
    >>> fingerprint("世界卫生组织", profile="md5-jieba")
    22538569777521554
    >>> fingerprint("short") is None
    True
    """
    if type(bits) is not int or bits not in (64, 128):
        message = f"bits must be 64 or 128, got {bits!r}."
        raise ConfigError(message)
    if not isinstance(text, str):
        message = f"text must be a str, got {text!r}."
        raise ConfigError(message)
    data = np.frombuffer(text.encode("utf-8", errors="replace"), dtype=np.uint8)
    offsets = np.array([0, len(data)], dtype=np.int64)
    settings = FingerprintSettings(profile_of(profile), bits, statistics=statistics)
    batch = fingerprint_texts(data, offsets, settings)
    if not batch.has_fingerprint[0]:
        return None
    words: list[int] = batch.words[0].tolist()
    return sum(word << 64 * place for place, word in enumerate(words))


def distance(left: int, right: int) -> int:
    """Count the bits that differ; negative numbers are taken as Spark's signed longs.

    >>> distance(22538569777521554, 4649424558322353296)
    28
    """
    return (_whole(left) ^ _whole(right)).bit_count()


def similarity(left: int, right: int, bits: int = 64) -> float:
    """Give the share of bits that agree.

    >>> similarity(0b1011, 0b0011)
    0.984375
    """
    for name, value in (("left", left), ("right", right)):
        check_range(name, _whole(value), 0, (1 << bits) - 1)
    return 1 - distance(left, right) / bits


def percent(left: int, right: int, bits: int = 64) -> str:
    """Write the similarity in percent, with two decimals.

    >>> percent(22538569777521554, 4649424558322353296)
    '56.25%'
    """
    return f"{100 * similarity(left, right, bits):.2f}%"


def to_bits(value: int, bits: int = 64) -> str:
    """Write a fingerprint in bits.

    >>> to_bits(22538569777521554)
    '0000000001010000000100101011010110110101010101011010001110010010'
    """
    check_range("value", value, 0, (1 << bits) - 1)
    return f"{value:0{bits}b}"


def from_bits(text: str) -> int:
    """Read a fingerprint written in bits.

    >>> from_bits("0000000001010000000100101011010110110101010101011010001110010010")
    22538569777521554
    """
    return _read(text, 2, "01", (64, 128))


def to_hex(value: int, bits: int = 64) -> str:
    """Write a fingerprint in hex digits.

    >>> to_hex(22538569777521554)
    '005012b5b555a392'
    """
    check_range("value", value, 0, (1 << bits) - 1)
    return f"{value:0{bits // 4}x}"


def from_hex(text: str) -> int:
    """Read a fingerprint written in hex digits.

    >>> from_hex("005012b5b555a392")
    22538569777521554
    """
    return _read(text, 16, "0123456789abcdefABCDEF", (16, 32))


def to_bytes(value: int, bits: int = 64) -> bytes:
    r"""Write a fingerprint in bytes.

    >>> to_bytes(22538569777521554)
    b'\x00P\x12\xb5\xb5U\xa3\x92'
    """
    check_range("value", value, 0, (1 << bits) - 1)
    return value.to_bytes(bits // 8, "big")


def from_bytes(raw: bytes) -> int:
    r"""Read a fingerprint written in bytes.

    >>> from_bytes(b'\x00P\x12\xb5\xb5U\xa3\x92')
    22538569777521554
    """
    if len(raw) not in (8, 16):
        message = f"A fingerprint has 8 or 16 bytes, got {len(raw)}."
        raise ConfigError(message)
    return int.from_bytes(raw, "big")


def _whole(value: int) -> int:
    """Give a fingerprint as a number from 0 on: Spark's longs are signed."""
    if value is None:
        message = "A fingerprint must be a whole number, got None: that text has too few features."
        raise ConfigError(message)
    check_range("a fingerprint", value, -(1 << 63), (1 << 128) - 1)
    return value + (1 << 64) if value < 0 else value


def _read(text: str, base: int, digits: str, lengths: tuple[int, int]) -> int:
    if len(text) not in lengths or not set(text) <= set(digits):
        message = (
            f"A fingerprint in base {base} has {lengths[0]} or {lengths[1]} digits, got {text!r}."
        )
        raise ConfigError(message)
    return int(text, base)
