"""Each step by brute force in plain Python, no NumPy."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import mmh3

if TYPE_CHECKING:
    from simhash_spark.config import Profile

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b7f"
    "\ua980-\ua9df\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaadf\uf900-\ufaff"
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff]"
)


def clean(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def words_of(text: str, profile: Profile) -> list[str]:
    """Words of a clean text; without any, what lies between its spaces."""
    if profile.features == "jieba":
        import jieba

        tokens = [token for part in text.split() for token in jieba.cut(part)]
        words = [token for token in tokens if any(map(str.isalnum, token))]
    else:
        words = "".join(c if is_word_character(c) else " " for c in text).split()
    return words or text.split()


def features_of(text: str, profile: Profile) -> set[str]:
    """Distinct features of a raw text."""
    text = clean(text)
    if profile.features == "characters":
        sizes = [
            (profile.unspaced_size,) if UNSPACED.match(c) else profile.sizes for c in text
        ]
        places = [(p, n) for p in range(len(text)) for n in sizes[p] if p + n <= len(text)]
        grams = {text[p : p + n] for p, n in places}
    else:
        words = words_of(text, profile)
        text = " ".join(words)
        places = [(p, n) for n in profile.sizes for p in range(len(words) - n + 1)]
        grams = {" ".join(words[p : p + n]) for p, n in places}
    return grams or ({text} if text else set())


def fingerprint(text: str, profile: Profile, bits: int = 64) -> tuple[int, ...] | None:
    """Words of the fingerprint of a raw text; None where it has too few features."""
    features = features_of(text, profile)
    if len(features) < profile.min_features:
        return None
    hashes = [mmh3.hash64(feature.encode(), signed=False)[: bits // 64] for feature in features]
    return tuple(
        sum(2 * sum(h[word] >> bit & 1 for h in hashes) > len(hashes) and 1 << bit for bit in range(64))
        for word in range(bits // 64)
    )
