from __future__ import annotations

import importlib.resources
import itertools
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from simhash_spark.core import utf8
from simhash_spark.core.fingerprints import fingerprint_texts
from simhash_spark.core.tokenize.scoring import score_words
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, FingerprintSettings, Profile
from simhash_spark.profiles.lists import SHIPPED, WordList
from simhash_spark.profiles.scored import Keywords, Scored, ScoringTokenizer, Tagged
from simhash_spark.profiles.steps import Given
from tests import oracles

TEXTS = [
    "世界卫生组织发布了一份关于全球健康状况的报告，报告说健康状况不好",
    "这家店的质量很好，快递也快，卖家客服态度不错，下次还会购买",
    "",
    "，。！",
    "Apache Spark 处理大规模数据集，数据集的规模很大",
]


def scored(tokenize: ScoringTokenizer, *texts: str) -> list[list[tuple[str, float]]]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    (words, starts), n_features, weights = score_words(data, offsets, tokenize)
    pieces = [words[a:b].tobytes().decode() for a, b in itertools.pairwise(starts)]
    pairs = iter(zip(pieces, weights.tolist(), strict=True))
    return [list(itertools.islice(pairs, n)) for n in n_features]


def idf() -> dict[str, float]:
    text = importlib.resources.files("jieba").joinpath("analyse", "idf.txt").read_text("utf-8")
    return {word: float(value) for word, value in map(str.split, text.splitlines())}


def keywords_of(text: str) -> dict[str, float]:
    words = [w for w in oracles.jieba_tokenizer().cut(text) if len(w.strip()) > 1]
    known, counts = idf(), Counter(words)
    median = sorted(known.values())[len(known) // 2]
    weights = {w: n * known.get(w, median) / len(words) for w, n in counts.items()}
    return dict(sorted(weights.items(), key=lambda pair: pair[1], reverse=True)[:10])


def of_weights(weights: dict[str, float], tie: int, pad: int) -> int | None:
    """Fingerprint as the tutorials compute it: plus and minus, with the polynomial hash."""
    rule = PROFILES["tfidf-keywords" if pad == 1 else "pos-weighted"].hash
    sums = [0.0] * 64
    for word, weight in weights.items():
        value = oracles.hash_of(word, rule, 64)[0]
        for bit in range(64):
            sums[bit] += weight if value >> bit & 1 else -weight
    return sum(1 << bit for bit in range(64) if sums[bit] + tie > 0) if weights else None


def fingerprints_of(name: str, texts: list[str]) -> list[int | None]:
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(raw), dtype=np.uint8)
    batch = fingerprint_texts(data, offsets, FingerprintSettings(PROFILES[name]))
    rows = zip(batch.words[:, 0].tolist(), batch.has_fingerprint, strict=True)
    return [word if has_fingerprint else None for word, has_fingerprint in rows]


def test_keywords_give_the_fingerprint_of_the_tutorial():
    expected = [of_weights(keywords_of(text), tie=0, pad=1) for text in TEXTS]

    assert fingerprints_of("tfidf-keywords", TEXTS) == expected
    assert expected[2] is expected[3] is None


def test_integer_weights_lose_their_fraction():
    (words,) = scored(Keywords(3, integer=True), TEXTS[1])

    best = list(keywords_of(TEXTS[1]).items())[:3]
    assert words == [(word, float(int(weight))) for word, weight in best if weight >= 1]


def test_nouns_weigh_more_and_marks_nothing():
    (words,) = scored(Tagged({"n": 3}), "大学，美丽。大学")

    assert words == [("大学", 3.0), ("美丽", 1.0), ("大学", 3.0)]


def test_each_part_of_speech_has_the_weight_of_its_own_name():
    tokenize = Tagged({"ns": 1.5, "v": 0.25})  # 北京 ns, 大学 n, 喜欢 v

    assert scored(tokenize, "北京喜欢大学") == [[("北京", 1.5), ("喜欢", 0.25), ("大学", 1.0)]]
    assert scored(Tagged({"n": 3}), "北京") == [[("北京", 1.0)]]


def test_words_of_a_stop_class_are_dropped_and_so_is_what_weighs_nothing():
    text = "美丽的大学和北京"  # 美丽 ns, 的 uj, 大学 n, 和 c, 北京 ns

    assert scored(Tagged({}, drop=("uj", "c")), text) == [[("美丽", 1), ("大学", 1), ("北京", 1)]]
    assert scored(Tagged({"n": 0}, drop=("uj", "c", "v")), text) == [[("美丽", 1), ("北京", 1)]]


def test_a_dropped_occurrence_does_not_count_among_the_most(monkeypatch: pytest.MonkeyPatch):
    tagged = [("会", "v"), ("会", "n"), ("会", "v"), ("会", "n")]
    monkeypatch.setattr(
        "simhash_spark.core.tokenize.scoring._tagger",
        lambda _: SimpleNamespace(cut=lambda _: tagged),
    )

    assert scored(Tagged({"n": 2}, drop=["v"], most=2), "x") == [[("会", 2.0), ("会", 2.0)]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tags": {"n": -1}}, "tags: n must be a finite number, not negative, got -1"),
        ({"tags": {"n": math.nan}}, "tags: n must be .* got nan"),
        ({"tags": {"n": 2, "v": math.inf}}, "tags: v must be .* got inf"),
        ({"tags": {"n": True}}, "tags: n must be .* got True"),
        ({"tags": {"n": "2"}}, "tags: n must be .* got '2'"),
        ({"tags": ["n"]}, r"tags must be a table such as \{n = 2.0, v = 1.5\}, got \['n'\]"),
        ({"tags": {"Noun": 2}}, "A part of speech is written in small letters, .* got 'Noun'"),
        ({"drop": "x"}, r'drop must be a list such as \["x", "uj"\], got \'x\''),
        ({"drop": [""]}, "A part of speech is written in small letters, .* got ''"),
        ({"drop": ["n"]}, "Part of speech n has a weight and is dropped: take it out of one"),
        ({"noun": 2}, "Unknown key 'noun' in tokenize = tagged; known keys: tags, drop, most"),
    ],
)
def test_bad_parts_of_speech_are_refused(options: dict[str, object], message: str):
    with pytest.raises(ConfigError, match=message) as caught:
        Profile.from_mapping("p", {"tokenize": {"step": "tagged", **options}, "weigh": "given"})
    assert "\n" not in str(caught.value)


def test_weights_are_numbers_of_one_kind_in_the_digest():
    def digest(tags: dict[str, float]) -> str:
        return FingerprintSettings(Profile("p", Tagged(tags), weigh=Given())).digest

    assert digest({"n": 2, "v": 1.5}) == digest({"v": 1.5, "n": 2.0}) != digest({"n": 2, "v": 1})


def test_weights_given_do_not_change_later():
    tags = {"n": 2.0}
    step = Tagged(tags)
    tags["n"] = 5.0

    assert step == Tagged({"n": 2.0})
    assert len({step, Tagged({"n": 2})}) == 1


def test_a_word_counts_six_times_at_most():
    (words,) = scored(Tagged(), "，".join(["大学"] * 9))

    assert words == [("大学", 2.0)] * 6


def test_parts_of_speech_give_the_fingerprint_of_the_tutorial():
    texts = ["<p>大学的学生，大学</p>", "大学　的学生，大学"]
    sums = {"大学": 4, "的": 1, "学生": 2}

    assert fingerprints_of("pos-weighted", texts) == [of_weights(sums, tie=1, pad=3)] * 2


def test_scores_are_log_tf_times_idf_times_the_coefficient():
    tokenize = Scored((WordList("own.txt", "数据 2\n的 0\n"),))
    (words,) = scored(tokenize, "数据的质量，数据的数据")

    known = idf()
    assert dict(words) == pytest.approx(
        {"数据": (1 + math.log(3)) * known["数据"] * 2, "质量": known["质量"]}
    )


def test_the_last_list_that_names_a_word_decides():
    lists = (WordList("a.txt", "* 0.3\n的\n不\n"), WordList("b.txt", "不 1\n"))

    assert Scored(lists).coefficients == {"的": 0.3, "不": 1.0}


def test_negations_and_words_of_degree_keep_their_weight():
    coefficients = PROFILES["mmh3-weighted"].tokenize.coefficients

    assert coefficients["的"] == 0.3
    assert coefficients["不"] == coefficients["很"] == 1.0


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_list_can_be_read(name: str):
    assert len(WordList(name).coefficients) >= 30


def test_the_words_of_a_shipped_list_stand_there_once():
    for name in SHIPPED:
        lines = [line.split("#")[0].split() for line in WordList(name).text.splitlines()]
        words = [line[0] for line in lines if line and line[0] != "*"]
        assert len(words) == len(set(words))


def test_shipped_coefficients_damp_keep_and_lift():
    stop, exempt, medicine, commerce = (WordList(name).coefficients for name in SHIPPED)

    assert set(stop.values()) == {0.3}
    assert set(exempt.values()) == {1.0}
    assert set(medicine.values()) == set(commerce.values()) == {2.0}
    assert set(medicine).isdisjoint({*stop, *exempt, *commerce})
    assert set(commerce).isdisjoint({*stop, *exempt})


def test_no_negation_or_word_of_degree_is_damped():
    coefficients = PROFILES["mmh3-weighted"].tokenize.coefficients

    assert {coefficients[word] for word in WordList("exempt").coefficients} == {1.0}
    assert {"不", "没有", "未", "不是", "很", "非常", "no", "not"} <= set(
        WordList("exempt").coefficients
    )


def test_shipped_words_are_those_that_jieba_cuts_from_clean_text():
    for name in SHIPPED:
        words = list(WordList(name).coefficients)
        assert [w for w in words if [w] != list(oracles.jieba_tokenizer().cut(w))] == []
        assert [w for w in words if w != oracles.clean(w)] == []


def test_a_list_with_a_byte_order_mark_has_its_first_word(tmp_path):
    (tmp_path / "own.txt").write_bytes("\ufeff的 0.5\n".encode())

    assert WordList(str(tmp_path / "own.txt")).coefficients == {"的": 0.5}


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "* 0.3\n"])
def test_a_file_without_words_is_refused(text: str, tmp_path):
    (tmp_path / "stop.txt").write_text(text, "utf-8")

    with pytest.raises(ConfigError, match=r"word list .*stop\.txt holds no word") as caught:
        Scored((str(tmp_path / "stop.txt"),))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "own.txt holds no word"),
        ("的\n", "own.txt, line 1: a word needs a coefficient .* got ''"),
        ("* 1\n\n的 x\n", "line 3: .* got 'x'"),
        ("的 -1\n", "line 1: .* got '-1'"),
        ("的 nan\n", "line 1: .* got 'nan'"),
        ("的 inf\n", "line 1: .* got 'inf'"),
        ("的 1 2\n", "line 1: .* got '1 2'"),
    ],
)
def test_a_bad_list_is_refused_with_its_line(text: str, message: str):
    with pytest.raises(ConfigError, match=message):
        WordList("own.txt", text)


def test_a_list_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="list must be one of stop, exempt, medicine"):
        Scored(("slang",))
    with pytest.raises(ConfigError, match=r"word list no/such\.txt cannot be read: .*No such file"):
        Scored(("no/such.txt",))
    with pytest.raises(ConfigError, match=r"lists must be a list such as .*, got \'stop\'"):
        Scored("stop")


def test_the_content_of_a_list_changes_the_digest_and_its_path_does_not():
    def digest(source: str, text: str) -> str:
        profile = Profile("p", Scored((WordList(source, text),)), weigh=Given())
        return FingerprintSettings(profile).digest

    assert digest("a.txt", "的 1\n") == digest("b.txt", "的 1\n") != digest("a.txt", "的 2\n")


def test_weights_of_the_tokenizer_go_with_given_alone():
    with pytest.raises(ConfigError, match="tokenize = keywords does not go with weigh = set"):
        Profile("p", Keywords())
    with pytest.raises(ConfigError, match="tokenize = characters does not go with weigh = given"):
        Profile("p", weigh=Given())


@pytest.mark.parametrize("tokenize", [Keywords(5), Tagged(), Scored()], ids=lambda step: step.step)
def test_words_of_a_text_read_in_pieces_are_those_of_the_whole(
    tokenize: ScoringTokenizer, monkeypatch: pytest.MonkeyPatch
):
    text = "。\r\n".join(TEXTS) * 3
    whole = scored(tokenize, text)

    monkeypatch.setattr(utf8, "PIECE_BYTES", 4)

    assert scored(tokenize, text) == whole
