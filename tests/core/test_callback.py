"""Features that a function of the user finds."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest

from simhash_spark.core import counting
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.errors import CallbackError, ConfigError
from simhash_spark.profiles import PROFILES, Callback, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Count, Given, Md5, Words
from simhash_spark.scalar import fingerprint
from tests import oracles

TEXTS = ["To be or not to be", "", "世界 卫生 组织", "  \n", "one"]


def of_function(function: Any, **steps: Any) -> Profile:
    return Profile("mine", Callback(function, name="mine-1"), **{"min_features": 1} | steps)


def fingerprints_of(texts: list[str], profile: Profile) -> list[int | None]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    batch = fingerprint_texts(data, offsets, FingerprintSettings(profile))
    rows = zip(batch.words[:, 0].tolist(), batch.has_fingerprint, strict=True)
    return [word if has_fingerprint else None for word, has_fingerprint in rows]


@pytest.mark.parametrize(
    "steps", [{}, {"weigh": Count()}, {"clean": ("lower",), "hash": Md5(), "min_features": 3}]
)
def test_a_function_that_does_what_a_step_does_gives_its_fingerprints(steps: dict):
    built_in = Profile("words", Words(), **{"min_features": 1} | steps)

    actual = fingerprints_of(TEXTS, of_function(str.split, **steps))

    assert actual == fingerprints_of(TEXTS, built_in)


@pytest.mark.parametrize(
    "function",
    [
        lambda text: [(word, len(word) / 4) for word in text.split()],
        lambda text: ((word, np.float32(len(word) / 4)) for word in text.split()),
        lambda text: {word: n * len(word) / 4 for word, n in Counter(text.split()).items()},
    ],
    ids=["list", "generator", "dict"],
)
def test_weights_of_a_function_are_taken(function):
    actual = fingerprints_of(TEXTS, of_function(function, weigh=Given()))

    pairs = [[(word, len(word) / 4) for word in text.lower().split()] for text in TEXTS]
    expected = [oracles.fingerprint_given(p, of_function(function)) for p in pairs]
    assert actual == [words and words[0] for words in expected]


def test_a_function_gets_the_clean_text_of_each_document_that_has_one():
    seen = []

    def look(text: str) -> list[str]:
        seen.append(text)
        return []

    assert fingerprints_of([*TEXTS, "ＡＢ\tc"], of_function(look)) == [None] * 6
    assert seen == ["to be or not to be", "世界 卫生 组织", "one", "ab c"]


@pytest.mark.parametrize(
    ("function", "steps", "message"),
    [
        (lambda _: 1 / 0, {}, "ZeroDivisionError: division by zero"),
        (lambda _: None, {}, "must give a list of str, got None"),
        (lambda _: "abc", {}, "must give a list of str, got 'abc'"),
        (lambda _: b"abc", {}, "must give a list of str, got b'abc'"),
        (lambda _: 7, {}, "must give a list of str, got 7"),
        (lambda _: {"a": 1}, {}, "must give a list of str, got {'a': 1}"),
        (lambda _: ["a", None], {}, "a feature must be a str, got None"),
        (lambda _: ["a", b"b"], {}, "a feature must be a str, got b'b'"),
        (lambda _: [("a", 1)], {}, r"got \('a', 1\) \(weights go with weigh = given\)"),
        (lambda _: ["\ud800"], {}, "UnicodeEncodeError"),
        (lambda _: ["a"], {"weigh": Given()}, r"needs \(feature, weight\) for each .* got 'a'"),
        (lambda _: [("a", 1, 2)], {"weigh": Given()}, r"got \('a', 1, 2\)"),
        (lambda _: [(1, 1)], {"weigh": Given()}, "a feature must be a str, got 1"),
        (lambda _: None, {"weigh": Given()}, "must give a list of str, got None"),
        (lambda _: [("a", "1")], {"weigh": Given()}, "weight of 'a' must be a finite .* got '1'"),
        (lambda _: [("a", None)], {"weigh": Given()}, "weight of 'a' .* got None"),
        (lambda _: [("a", -1)], {"weigh": Given()}, "weight of 'a' .* got -1"),
        (lambda _: {"a": float("nan")}, {"weigh": Given()}, "weight of 'a' .* got nan"),
        (lambda _: {"a": float("inf")}, {"weigh": Given()}, "weight of 'a' .* got inf"),
        (lambda _: [list(range(99))], {}, r"got \[0, 1, 2, .*\.\.\. \(list\)"),
    ],
)
def test_what_are_no_features_is_refused_with_what_came(function, steps: dict, message: str):
    with pytest.raises(CallbackError, match=f"^The function 'mine-1' failed on .*: .*{message}"):
        fingerprint("Some text", of_function(function, **steps))


def test_a_failure_names_the_text_in_one_short_line():
    text = "line\n" * 100 + "{}"

    with pytest.raises(CallbackError) as caught:
        fingerprint(text, of_function(lambda _: [][0], clean=()))

    excerpt = r"'line\nline\nline\nline\nline\nline\nline\nline\n...'"
    expected = f"The function 'mine-1' failed on the text {excerpt}: IndexError: list index out of"
    assert str(caught.value) == f"{expected} range."
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_failure_counts_its_place_over_chunks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counting, "CHUNK_DOCS", 2)

    def function(text: str) -> list[str]:
        return [text.split()[1]]

    with pytest.raises(CallbackError) as caught:
        fingerprints_of(["a a", "", "b b", "c c", "", "one"], of_function(function))

    assert caught.value.place == 5
    expected = (
        "The function 'mine-1' failed on document 'x{}': IndexError: list index out of range."
    )
    assert str(caught.value.identified("x{}")) == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Callback("split", name="a"), "needs a function of one text, got 'split'"),
        (lambda: Callback(str.split, name=" "), "name of a Callback must be .* got ' '"),
        (lambda: Callback(str.split, name=None), "name of a Callback must be .* got None"),
        (
            lambda: Profile.from_mapping("p", {"tokenize": "callback"}),
            "tokenize = callback is a function of Python, which no file can hold",
        ),
        (
            lambda: Profile("p", weigh=Callback(str.split, name="a")),
            "weigh must be a step out of set",
        ),
        (
            lambda: Profile("p", Callback(str.split, name="a"), weigh=Words()),
            "weigh must be a step out of set",
        ),
    ],
)
def test_a_wrong_callback_is_refused(call, message: str):
    with pytest.raises(ConfigError, match=message):
        call()


def test_a_callback_needs_a_name():
    with pytest.raises(TypeError, match="name"):
        Callback(str.split)


def test_the_name_stands_for_the_function_in_the_definition():
    def digest(name: str, function: Any = str.split) -> str:
        return FingerprintSettings(Profile("p", Callback(function, name=name))).digest

    assert digest("a") == digest("a", str.upper) != digest("b")
    assert digest("a") != FingerprintSettings(Profile("p")).digest
    assert of_function(str.split, weigh=Given()).to_mapping() == {
        **Profile("p", min_features=1).to_mapping(),
        "tokenize": {"step": "callback", "name": "mine-1"},
        "weigh": {"step": "given"},
    }


def test_a_function_that_cannot_be_copied_can_be_named():
    class Tokenizer:
        def __init__(self) -> None:
            self.lock = threading.Lock()

        def cut(self, text: str) -> list[str]:
            return text.split()

    profile = of_function(Tokenizer().cut)

    assert profile.to_mapping()["tokenize"] == {"step": "callback", "name": "mine-1"}
    assert fingerprint("to be", profile) is not None


def test_the_features_column_is_part_of_the_definition():
    def digest(profile: Profile, features_column: str | None) -> str:
        return FingerprintSettings(profile, features_column=features_column).digest

    words, auto = Profile("w", Words(), min_features=5), Profile("c", clean=(), min_features=5)
    assert digest(words, "f") == digest(auto, "f")  # neither of them cleans or cuts
    assert (
        len({digest(words, None), digest(auto, None), digest(words, "f"), digest(words, "g")}) == 4
    )
    assert digest(PROFILES["md5-jieba"], "f") != digest(words, "f")


class _MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("raised", "said"), [(SystemExit(3), "SystemExit: 3"), (_MuteError(), "_MuteError")]
)
def test_a_function_cannot_end_the_worker(raised: BaseException, said: str):
    def fail(_: str) -> list[str]:
        raise raised

    with pytest.raises(CallbackError, match=rf"'mine-1' failed .*: {said}\."):
        fingerprint("some text", profile=of_function(fail))
