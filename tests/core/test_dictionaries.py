"""Dictionaries of the user, from the file to the fingerprint."""

from __future__ import annotations

import itertools
import pickle
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.packages import import_package
from simhash_spark.core.tokenize.scoring import score_words
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.dictionaries import UserDictionary
from simhash_spark.profiles.scored import Keywords, Scored, ScoringTokenizer, Tagged
from simhash_spark.profiles.steps import Given, Jieba

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "李小福是创新办主任也是云计算方面的专家"
OWN = UserDictionary("own.txt", "云计算 5\n李小福 2 nr\n创新办 3 i\n")
WITHOUT = "李小福 是 创新 办 主任 也 是 云 计算 方面 的 专家"
WITH = "李小福 是 创新办 主任 也 是 云计算 方面 的 专家"
"""jieba's own example, from its description."""


def buffer_of(text: str) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    return data, np.array([0, len(data)], dtype=np.int64)


def cut(tokenize: Jieba, text: str = TEXT) -> str:
    return prepare_texts(*buffer_of(text), tokenize)[0].tobytes().decode()


def scored(tokenize: ScoringTokenizer, text: str = TEXT) -> dict[str, float]:
    (words, starts), _, weights = score_words(*buffer_of(text), tokenize)
    pieces = [words[a:b].tobytes().decode() for a, b in itertools.pairwise(starts)]
    return dict(zip(pieces, weights.tolist(), strict=True))


def test_words_of_the_dictionary_are_cut_and_leave_other_profiles_alone():
    before = cut(Jieba())

    assert cut(Jieba(dictionary=OWN)) == WITH
    assert before == cut(Jieba()) == WITHOUT


def test_every_mode_knows_them():
    assert "云计算" in cut(Jieba(dictionary=OWN, hmm=False)).split()
    assert "云计算" in cut(Jieba(dictionary=OWN, mode="search")).split()


def test_keywords_and_scores_know_them():
    assert {"云计算", "创新办"} <= set(scored(Keywords(10, dictionary=OWN)))
    assert "创新办" not in scored(Keywords(10))
    assert {"云计算", "创新办"} <= set(scored(Scored(dictionary=OWN)))
    assert "创新办" not in scored(Scored())


def test_their_parts_of_speech_are_those_of_the_dictionary():
    own = UserDictionary("own.txt", "云计算 5 zz\n")

    assert scored(Tagged({"zz": 7}, dictionary=own))["云计算"] == 7
    assert 7 not in scored(Tagged({"zz": 7})).values()


def test_jieba_reads_a_file_as_we_do(tmp_path: Path):
    path = tmp_path / "own.txt"
    path.write_bytes("\ufeff云计算 5\r\n\r\n创新办 3 i\n台中\n石墨烯电池 n\n".encode())
    theirs = import_package("jieba").Tokenizer()
    theirs.tmp_dir = str(tmp_path)
    with path.open("rb") as lines:
        theirs.load_userdict(lines)
    text = f"{TEXT}，台中的石墨烯电池"

    words = [word for word in theirs.cut(text) if word != "，"]

    assert cut(Jieba(dictionary=UserDictionary(str(path))), text).split() == words
    assert "石墨烯电池" in words


def test_the_words_travel_with_the_profile(tmp_path: Path):
    path = tmp_path / "own.txt"
    path.write_text(OWN.text, "utf-8")
    profile = Profile.from_mapping(
        "p", {"tokenize": {"step": "jieba", "dictionary": str(path)}, "min_features": 1}
    )
    sent = pickle.dumps(FingerprintSettings(profile))
    path.unlink()

    batch = fingerprint_texts(*buffer_of(TEXT), pickle.loads(sent))

    expected = Profile("p", Jieba(dictionary=OWN), min_features=1)
    assert batch.words == fingerprint_texts(*buffer_of(TEXT), FingerprintSettings(expected)).words


@pytest.mark.parametrize("kind", [Jieba, Keywords, Tagged, Scored])
def test_the_content_changes_the_digest_and_the_path_does_not(kind: type):
    def digest(dictionary: UserDictionary | None) -> str:
        step = kind(dictionary=dictionary)
        weigh = {} if kind is Jieba else {"weigh": Given()}
        return FingerprintSettings(Profile("p", step, **weigh)).digest

    one, moved = (UserDictionary(path, "云计算\n") for path in ("a.txt", "b.txt"))

    assert digest(one) == digest(moved)
    assert len({digest(one), digest(UserDictionary("a.txt", "创新办\n")), digest(None)}) == 3


def test_a_file_of_the_profile_names_the_path():
    profile = Profile("p", Jieba(dictionary=OWN))

    assert profile.to_mapping()["tokenize"]["dictionary"] == "own.txt"
    assert Profile("p", Jieba(dictionary="")) == Profile("p", Jieba())


def test_frequency_and_part_of_speech_may_be_left_out():
    text = "云计算 5 n\n创新办 3\n石墨烯 own\nc++\n.net\n"

    assert UserDictionary("own.txt", text).entries == [
        ("云计算", 5, "n"),
        ("创新办", 3, None),
        ("石墨烯", None, "own"),
        ("c++", None, None),
        (".net", None, None),
    ]


FORM = r"; write a word, then, if wanted, its frequency \(a whole number from 1 on\) and its part"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("云计算 5 N", f"line 1: got '云计算 5 N'{FORM}"),
        ("创新办\n\n云计算  5", f"line 3: got '云计算  5'{FORM}"),
        ("云计算\t5", f"line 1: got '云计算\\\\t5'{FORM}"),
        ("云计算 0", f"line 1: got '云计算 0'{FORM}"),
        ("云计算 -3", f"line 1: got '云计算 -3'{FORM}"),
        ("云计算 1.5", f"line 1: got '云计算 1.5'{FORM}"),
        ("云计算 n 5", f"line 1: got '云计算 n 5'{FORM}"),
        ("云计算 5 n 5", f"line 1: got '云计算 5 n 5'{FORM}"),
        ("云计算 99999999999", f"line 1: got '云计算 99999999999'{FORM}"),
        ("创新办 3\n云·计算 5", "line 2: got '云·计算'; jieba finds words of Han, ASCII letters"),
        ("# words", "line 1: got '#'; jieba finds words"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(text: str, message: str):
    with pytest.raises(ConfigError, match=f"user dictionary own.txt, {message}") as caught:
        UserDictionary("own.txt", text)
    assert "\n" not in str(caught.value)


def test_an_empty_dictionary_is_refused(tmp_path: Path):
    path = tmp_path / "own.txt"
    path.write_text("\n \n", "utf-8")

    with pytest.raises(ConfigError, match=r"own\.txt holds no word: add some, or leave it out"):
        Jieba(dictionary=str(path))


def test_a_dictionary_that_cannot_be_read_is_refused(tmp_path: Path):
    (tmp_path / "gbk.txt").write_bytes("云计算".encode("gbk"))

    for path in ("no/such.txt", str(tmp_path), str(tmp_path / "gbk.txt"), "a\0b"):
        message = f"user dictionary {re.escape(path)} cannot be read: "
        with pytest.raises(ConfigError, match=message) as caught:
            Jieba(dictionary=path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [Jieba, Keywords, Tagged, Scored])
def test_what_is_no_path_is_refused(kind: type):
    with pytest.raises(ConfigError, match=r'dictionary must be a path such as "words.txt", got 3'):
        kind(dictionary=3)
