"""rjieba beside jieba: where they agree, and where they are known not to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_spark.core.tokenize.dictionary import cutter
from simhash_spark.core.tokenize.segmentation import prepare_texts
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import FingerprintSettings, Profile
from simhash_spark.profiles.dictionaries import UserDictionary
from simhash_spark.profiles.steps import Jieba

pytest.importorskip("rjieba")

MODES = pytest.mark.parametrize("mode", ["default", "search"])
TEXTS = st.text("中国人民银行的云计算在北京大学和a1-.%+_ ,，。\n你好 ｱéア한😀", max_size=60)


def words(tokenize: Jieba, text: str) -> str:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    return (
        prepare_texts(data, np.array([0, len(data)], dtype=np.int64), tokenize)[0]
        .tobytes()
        .decode()
    )


@MODES
@settings(max_examples=300)
@given(text=TEXTS)
def test_without_guessing_the_engines_cut_the_same_tokens(mode: str, text: str):
    ours, theirs = (
        cutter(Jieba(mode=mode, hmm=False, engine=engine)) for engine in ("jieba", "rjieba")
    )

    assert list(theirs(text)) == list(ours(text))


def test_with_guessing_only_jieba_cuts_latin_words_at_stops_and_hyphens():
    text = "在终端运行apt-get或访问linux.cn"

    assert words(Jieba(), text) == "在 终端 运行 apt get 或 访问 linux cn"
    assert words(Jieba(engine="rjieba"), text) == "在 终端 运行 apt-get 或 访问 linux.cn"


def test_rjieba_guesses_words_too_unless_told_not_to():
    text = "他来到了网易杭研大厦"

    assert "杭研" in words(Jieba(engine="rjieba"), text).split()
    assert "杭研" not in words(Jieba(engine="rjieba", hmm=False), text).split()


def test_search_mode_of_rjieba_gives_short_words_too():
    tokenize = Jieba(mode="search", engine="rjieba")

    assert words(tokenize, "清华大学") == "清华 华大 大学 清华大学"


@settings(max_examples=50)
@given(text=TEXTS)
def test_rjieba_looks_at_what_lies_between_two_spaces_alone(text: str):
    cut = cutter(Jieba(engine="rjieba"))
    parts = [token for part in text.split(" ") for token in cut(part)]

    assert [token for token in cut(text) if token.strip(" ")] == parts


def test_the_engine_is_part_of_the_definition():
    def digest(engine: str) -> str:
        return FingerprintSettings(Profile("p", Jieba(engine=engine))).digest

    assert digest("jieba") != digest("rjieba")


def test_a_dictionary_of_the_user_is_not_for_rjieba():
    message = "rjieba has no user dictionary, got dictionary = own.txt: use engine = jieba"

    with pytest.raises(ConfigError, match=message):
        Jieba(engine="rjieba", dictionary=UserDictionary("own.txt", "云计算"))
    with pytest.raises(ConfigError, match="engine must be one of jieba, rjieba; got 'fast'"):
        Jieba(engine="fast")
