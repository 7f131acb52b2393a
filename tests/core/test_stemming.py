from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.tokenize import stemming
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.core.tokenize.stemming import LONGEST_BYTES, stem_words
from simhash_spark.core.worker import once_per_worker
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.steps import Words
from simhash_spark.profiles.tokenizers import STEMMERS
from tests import oracles

snowballstemmer = pytest.importorskip("snowballstemmer")

STEMS = Profile("stems", Words((1, 2), stem="english"))
TEXTS = [
    "Running runs, ran! The runner's horses jumped happily over generalizations.",
    "",
    "?!",
    "naïve cafés 3.5 über die Häuser",
    "Horses; horses: HORSES",
]


def buffer_of(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    return np.frombuffer(b"".join(raw), dtype=np.uint8), offsets


def stemmed(language: str, *texts: str) -> list[str]:
    data, bounds = stem_words(*buffer_of(list(texts)), language)
    joined = data.tobytes()
    return [joined[a:b].decode() for a, b in itertools.pairwise(bounds)]


def forget() -> None:
    once_per_worker("stems english", dict)["english"] = stemming._NOTHING


@pytest.mark.parametrize(
    ("language", "text", "stems"),
    [
        ("english", "running runs ran happily generalizations", "run run ran happili general"),
        ("porter", "skies happily", "ski happili"),
        ("english", "skies", "sky"),
        ("french", "continuellement maisons", "continuel maison"),
        ("german", "häuser katzen", "haus katz"),
        ("dutch_porter", "lichamelijk", "licham"),
        ("russian", "важная", "важн"),
    ],
)
def test_words_become_the_stems_of_their_language(language: str, text: str, stems: str):
    assert stemmed(language, text) == [stems]


def test_each_document_is_stemmed_alone():
    assert stemmed("english", "dogs", "cats barking", "", "a", "") == [
        "dog",
        "cat bark",
        "",
        "a",
        "",
    ]


def test_every_name_of_a_language_is_one_of_the_package():
    assert set(STEMMERS.split()) == set(snowballstemmer.algorithms())


@pytest.mark.parametrize("language", STEMMERS.split())
def test_every_language_has_a_stemmer(language: str):
    assert stemmed(language, "abc") != [""]


@given(st.lists(st.text("aeingsyd zéя", max_size=30), max_size=5))
def test_any_words_have_the_stems_of_the_package(texts: list[str]):
    texts = [" ".join(text.split()) for text in texts]
    stem = snowballstemmer.stemmer("english").stemWord

    assert stemmed("english", *texts) == [
        " ".join(stem(word) or word for word in text.split()) for text in texts
    ]


def test_a_word_is_stemmed_once_however_often_it_occurs(monkeypatch: pytest.MonkeyPatch):
    asked: Counter[bytes] = Counter()
    whole = stemming._stem
    monkeypatch.setattr(
        stemming, "_stem", lambda word, stemmer: asked.update([word]) or whole(word, stemmer)
    )
    forget()

    for _ in range(2):
        stemmed("english", "walking dogs walking", "dogs walking")

    assert asked == {b"walking": 1, b"dogs": 1}


def test_stems_kept_by_a_worker_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stemming, "MOST_STEMS", 10)
    forget()

    for start in range(0, 60, 6):
        assert stemmed("english", " ".join(f"words{n}" for n in range(start, start + 6)))

    assert len(once_per_worker("stems english", dict)["english"].hashes) <= 10


def test_a_word_without_a_stem_stays(monkeypatch: pytest.MonkeyPatch):
    class Nothing:
        def stemWord(self, word: str) -> str:  # noqa: N802 - their name
            return ""

    monkeypatch.setattr(stemming, "_build", lambda language: Nothing())

    assert stemmed("nothing", "a word") == ["a word"]


def test_what_is_too_long_for_a_word_stays():
    word = "b" * (LONGEST_BYTES - 4) + "a"

    assert stemmed("english", f"{word}ing {word}sing") == [f"{word} {word}sing"]


def test_a_long_text_is_stemmed_as_a_short_one(monkeypatch: pytest.MonkeyPatch):
    text = " ".join(TEXTS[0].lower().split()) * 20
    expected = stemmed("english", text)

    monkeypatch.setattr(stemming, "PIECE_BYTES", 64)
    monkeypatch.setattr("simhash_spark.core.utf8.PIECE_BYTES", 64)

    assert stemmed("english", text) == expected


def test_stemmed_profiles_give_the_fingerprint_of_the_oracle():
    batch = fingerprint_texts(*buffer_of(TEXTS), FingerprintSettings(STEMS))

    found = [
        (word,) if has else None
        for word, has in zip(batch.words[:, 0].tolist(), batch.has_fingerprint, strict=True)
    ]
    assert found == [oracles.fingerprint(text, STEMS) for text in TEXTS]
    assert found[0] is not None


def test_inflections_do_not_move_a_fingerprint_of_stems():
    texts = [
        "The dogs are walking and the horses jumped over many fences",
        "The dog are walks and the horse jumping over many fence",
    ]
    plain, stems = (
        fingerprint_texts(*buffer_of(texts), FingerprintSettings(Profile("p", Words(stem=stem))))
        for stem in ("", "english")
    )

    assert plain.words[0] != plain.words[1]
    assert stems.words[0] == stems.words[1]


def test_the_preset_for_english_cuts_running_to_run():
    running, runs = (
        fingerprint_texts(*buffer_of([text]), FingerprintSettings(PROFILES["en-words"]))
        for text in (
            "The dogs were running over the green hills all day",
            "The dog were runs over the green hill all days",
        )
    )

    assert running.has_fingerprint.all()
    assert running.words.tolist() == runs.words.tolist()


def test_texts_without_words_are_left_alone():
    data, offsets = prepare_texts(*buffer_of(["?! ..."]), Words(stem="english"))

    assert (data.tobytes(), offsets.tolist()) == (b"?! ...", [0, 6])


@pytest.mark.parametrize("language", ["klingon", "English", None, 1])
def test_an_unknown_language_is_refused_with_those_there_are(language: object):
    with pytest.raises(
        ConfigError, match=r"stem must be one of arabic, armenian, .*, yiddish; got"
    ):
        Words(stem=language)  # type: ignore[arg-type]
