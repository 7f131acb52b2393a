"""Each step by brute force in plain Python, no NumPy."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import re
import tempfile
import unicodedata
import warnings
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mmh3

from simhash_spark.profiles.steps import USUAL, Characters, Jieba

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simhash_spark.config import DedupConfig
    from simhash_spark.profiles import Profile
    from simhash_spark.profiles.steps import Hash

UNSPACED = (
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b7f"
    "\ua980-\ua9df\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaadf\uf900-\ufaff"
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff]"
)


CLEANERS = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "lower": lambda text: text.lower(),
    "spaces": lambda text: " ".join(text.split()),
    "only-words": lambda text: re.sub(r"[^\w]", "", text),
    "unspaced": lambda text: join_unspaced(text),
}


def clean(text: str, steps: Iterable[str] = USUAL) -> str:
    for step in steps:
        text = CLEANERS[step](text)
    return text


def is_unspaced(character: str) -> bool:
    """Whether the character is of a script written without spaces."""
    return re.match(UNSPACED, character) is not None


def join_unspaced(text: str) -> str:
    return re.sub(f"(?<={UNSPACED}) | (?={UNSPACED})", "", text)


def is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def words_of(text: str, profile: Profile) -> list[str]:
    """Words of a clean text; without any, what lies between its spaces."""
    if isinstance(profile.tokenize, Jieba):
        tokens = [token for part in text.split() for token in jieba_tokenizer().cut(part)]
        kept = str.strip if profile.tokenize.punctuation else _has_word
        words = [token for token in tokens if kept(token)]
    else:
        words = "".join(c if is_word_character(c) else " " for c in text).split()
        if profile.tokenize.stem:
            words = [stemmer(profile.tokenize.stem).stemWord(word) or word for word in words]
    return words or text.split()


def _has_word(token: str) -> bool:
    return any(map(str.isalnum, token))


@functools.cache
def stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(language)


@functools.cache
def jieba_tokenizer() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = tempfile.mkdtemp()
    return tokenizer


def features_of(text: str, profile: Profile) -> list[str]:
    """Features of a raw text, every occurrence."""
    text, tokenize = clean(text, profile.clean), profile.tokenize
    if isinstance(tokenize, Characters):
        sizes = [(tokenize.unspaced_size,) if is_unspaced(c) else tokenize.sizes for c in text]
        places = [(p, n) for p in range(len(text)) for n in sizes[p] if p + n <= len(text)]
        grams = [text[p : p + n] for p, n in places]
    else:
        words = words_of(text, profile)
        text = " ".join(words)
        places = [(p, n) for n in tokenize.sizes for p in range(len(words) - n + 1)]
        grams = [" ".join(words[p : p + n]) for p, n in places]
    return grams or ([text] if text else [])


class Learned:
    """What a profile learns from texts: frequencies of features, and a threshold for each bit."""

    def __init__(self, texts: Iterable[str], profile: Profile, bits: int = 64) -> None:
        features = [{hash_of(f, profile.hash, bits)[0] for f in features_of(t, profile)}
                    for t in texts]  # fmt: skip
        counts = Counter(one for of_text in features for one in of_text)
        top = sorted(counts.items(), key=lambda pair: (-pair[1], _signed(pair[0])))
        self.n_documents = sum(map(bool, features))
        self.frequencies = {f: n for f, n in top if n > 1}
        if profile.weigh.step == "idf":
            self.frequencies = dict(list(self.frequencies.items())[: profile.weigh.top])
        self.thresholds = None
        if profile.threshold == "median":
            rows = [shares_of(text, profile, bits, self) for text in sorted(set(texts))]
            columns = list(zip(*filter(None, rows), strict=True))
            self.thresholds = [sorted(one)[(len(one) - 1) // 2] for one in columns]

    def idf(self, feature: int) -> float:
        return 1 + math.log((1 + self.n_documents) / (1 + self.frequencies.get(feature, 1)))


def _signed(word: int) -> int:
    return word - (word >> 63 << 64)


def shares_of(text: str, profile: Profile, bits: int, learned: Learned) -> list[int] | None:
    """Share of the weight that has each bit, in 2^-20; None where there are too few features."""
    weights = weights_of(text, profile, bits, learned)
    if len(weights) < profile.min_features:
        return None
    return [
        2**20 * sum(w for h, w in weights.items() if h[bit // 64] >> bit % 64 & 1)
        // sum(weights.values())
        for bit in range(bits)
    ]  # fmt: skip


def fingerprint(
    text: str, profile: Profile, bits: int = 64, learned: Learned | None = None
) -> tuple[int, ...] | None:
    """Words of the fingerprint of a raw text; None where it has too few features."""
    weights = weights_of(text, profile, bits, learned)
    if learned is not None and learned.thresholds is not None:
        return _by_thresholds(weights, profile, learned.thresholds)
    if count_features(text, profile) < profile.min_features:
        return None
    return majority(weights, profile.tie, bits)


def fingerprint_given(
    given: list[tuple[str, float]] | list[str], profile: Profile, bits: int = 64
) -> tuple[int, ...] | None:
    """Words of the fingerprint of features, with their weights or without."""
    if given and isinstance(given[0], str):
        weights = weigh_features(given, profile, bits)
        n_features = len(given if profile.weigh.step == "count" else weights)
    else:
        weights = {}
        for feature, weight in given:
            if weight:
                hashes = hash_of(feature, profile.hash, bits)
                weights[hashes] = weights.get(hashes, 0) + Fraction(weight)
        n_features = len(weights)
    return majority(weights, profile.tie, bits) if n_features >= profile.min_features else None


def majority(weights: dict[tuple[int, ...], Any], half: int, bits: int) -> tuple[int, ...]:
    """Bits that have more than half of the weight; ``half`` is what a tie adds."""
    total = sum(weights.values())
    return tuple(
        sum(1 << bit for bit in range(64) if _lead(weights, word, bit, total) + half > 0)
        for word in range(bits // 64)
    )


def _lead(weights: dict[tuple[int, ...], Any], word: int, bit: int, total: Any) -> int:
    lead = 2 * sum(w for hashes, w in weights.items() if hashes[word] >> bit & 1) - total
    return (lead > 0) - (lead < 0)


def _by_thresholds(
    weights: dict[tuple[int, ...], int], profile: Profile, thresholds: list[int]
) -> tuple[int, ...] | None:
    if len(weights) < profile.min_features:
        return None
    words, total = [0] * (len(thresholds) // 64), sum(weights.values())
    for bit, threshold in enumerate(thresholds):
        votes = sum(w for h, w in weights.items() if h[bit // 64] >> bit % 64 & 1)
        lead = Fraction(votes, total) - Fraction(threshold, 2**20)
        words[bit // 64] |= (lead > 0 or (lead == 0 and profile.tie == 1)) << bit % 64
    return tuple(words)


def weights_of(
    text: str, profile: Profile, bits: int = 64, learned: Learned | None = None
) -> dict[tuple[int, ...], int]:
    """Distinct hashes of the features of a raw text, with their weights in whole numbers."""
    return weigh_features(features_of(text, profile), profile, bits, learned)


def weigh_features(
    features: list[str], profile: Profile, bits: int = 64, learned: Learned | None = None
) -> dict[tuple[int, ...], int]:
    counts = Counter(hash_of(f, profile.hash, bits) for f in features)
    if profile.weigh.step == "idf":
        assert learned is not None
        is_log = profile.weigh.tf == "log"
        return {
            h: round(1024 * learned.idf(h[0]) * (1 + math.log(n) if is_log else 1))
            for h, n in counts.items()
        }
    weigh: dict[str, Callable[[int], int]] = {
        "set": lambda _: 1,
        "count": lambda n: n,
        "log": lambda n: round(1024 * (1 + math.log(n))),
        "capped": lambda n: min(n, profile.weigh.cap),
    }
    return {hashes: weigh[profile.weigh.step](n) for hashes, n in counts.items()}


def count_features(text: str, profile: Profile) -> int:
    if profile.weigh.step == "count":
        return len(features_of(text, profile))
    return len({hash_of(f, profile.hash, 64) for f in features_of(text, profile)})


def hash_of(feature: str, rule: Hash, bits: int) -> tuple[int, ...]:
    """Words of a hash, the lowest first."""
    raw, n_bytes = feature.encode(), bits // 8
    if rule.step == "mmh3":
        return mmh3.hash64(raw, signed=False)[: bits // 64]
    if rule.step == "md5":
        digest = hashlib.md5(raw).digest()
        taken = digest[:n_bytes] if rule.take == "first" else digest[-n_bytes:]
        value = int.from_bytes(taken, rule.byte_order)
    elif rule.step == "blake2b":
        value = int.from_bytes(hashlib.blake2b(raw, digest_size=n_bytes).digest(), "big")
    elif rule.step == "polynomial":
        value = _polynomial(feature + feature[0] * (rule.pad - len(feature)))
    else:
        value = _fnv(raw, xor_first=rule.step == "fnv1a")
    return tuple(value >> 64 * word & (1 << 64) - 1 for word in range(bits // 64))


def _polynomial(feature: str) -> int:
    x = ord(feature[0]) << 7
    for character in feature:
        x = (x * 1000003 ^ ord(character)) & (1 << 128) - 1
    return x ^ len(feature)


def _fnv(raw: bytes, *, xor_first: bool) -> int:
    value = 0xCBF29CE484222325
    for byte in raw:
        value = (value ^ byte) * 0x100000001B3 if xor_first else value * 0x100000001B3 ^ byte
        value &= (1 << 64) - 1
    return value


def distance(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(left, right, strict=True))


def minimum_spanning_forest(pairs: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Kruskal: of (left, right, distance), nearest and smallest first, those that connect."""
    roots: dict[int, int] = {}

    def root_of(node: int) -> int:
        while (parent := roots.get(node, node)) != node:
            node = parent
        return node

    kept = []
    for left, right, apart in sorted(pairs, key=lambda pair: (pair[2], *pair[:2])):
        if root_of(left) != root_of(right):
            roots[root_of(left)] = root_of(right)
            kept.append((left, right, apart))
    return kept


def deduplicate(texts: dict[str, str | None], config: DedupConfig) -> dict[str, set]:
    """Whole run over id → text, comparing every fingerprint with every other one."""
    profile, bits = config.settings.profile, config.bits
    computed = {i: fingerprint(text or "", profile, bits) for i, text in texts.items()}
    nodes: dict[tuple[int, ...], list[str]] = {}
    for doc in sorted(doc for doc, value in computed.items() if value is not None):
        nodes.setdefault(computed[doc], []).append(doc)
    near = [
        (a, b) for a, b in itertools.combinations(nodes, 2) if distance(a, b) <= config.max_distance
    ]
    clusters = [
        sorted(doc for node in group for doc in nodes[node]) for group in _groups(nodes, near)
    ]
    clusters = [cluster for cluster in clusters if len(cluster) > 1]
    best = {cluster[0]: min(cluster, key=lambda d: (-len(texts[d]), d)) for cluster in clusters}
    return {
        "fingerprints": {
            (doc, *(value or [None] * (bits // 64))) for doc, value in computed.items()
        },
        "pairs": {(*sorted((nodes[a][0], nodes[b][0])), distance(a, b)) for a, b in near}
        | {(docs[0], copy, 0) for docs in nodes.values() for copy in docs[1:]},
        "clusters": {
            (doc, cluster[0], len(cluster), doc == best[cluster[0]])
            for cluster in clusters
            for doc in cluster
        },
        "duplicates": {
            (doc, best[cluster[0]], cluster[0], distance(computed[doc], computed[best[cluster[0]]]))
            for cluster in clusters
            for doc in cluster
            if doc != best[cluster[0]]
        },
        "unfingerprinted": {
            (doc, _reason(texts[doc], profile)) for doc, value in computed.items() if value is None
        },
        "survivors": {
            (doc, text)
            for doc, text in texts.items()
            if not any(doc in cluster and doc != best[cluster[0]] for cluster in clusters)
        },
    }


def _groups(nodes: Iterable[tuple], near: list[tuple]) -> list[set]:
    """Merge the groups of the two ends of every pair."""
    group_of = {node: {node} for node in nodes}
    for left, right in near:
        if group_of[left] is not group_of[right]:
            merged = group_of[left] | group_of[right]
            for node in merged:
                group_of[node] = merged
    return list({id(group): group for group in group_of.values()}.values())


def _reason(text: str | None, profile: Profile) -> str:
    if text is None:
        return "null_text"
    return "too_short" if features_of(text, profile) else "empty"
