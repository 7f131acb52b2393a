from __future__ import annotations

import itertools
import re
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_spark.core.clean.chunks import clean_texts
from simhash_spark.core.clean.cleaning import FUNCTIONS, clean_text
from simhash_spark.errors import ConfigError
from simhash_spark.profiles.steps import CLEANERS, USUAL

PAGE = """<!doctype html><html><head><title>T</title><style>p {color: red}</style>
<script>if (a < b) alert("x")</script></head><body><h1>Caf&eacute;&nbsp;&amp;&#x4E16;</h1>
<p>wo<b>rd</b>s</p><table><tr><td>one<td>two</table><br>end<noscript>off</noscript></body></html>"""


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ("nfkc", "ＦＵＬＬ　① ﬁ ｶﾞ ไทน", "FULL 1 fi ガ ไทน"),
        ("lower", "ΟΔΟΣ Straße", "οδος straße"),
        ("casefold", "ΟΔΟΣ Straße", "οδοσ strasse"),
        ("halfwidth", "Ａ（１）　～！①世ｶ", "A(1) ~!①世ｶ"),
        ("urls", "a https://x.org/p?q=1#f. b", "a url. b"),
        ("urls", "见http://例.cn/，和www.x.org/a_b。", "见http://例.cn/，和url。"),
        ("urls", "(ftp://h/x) https:// httpsx", "(url) https:// httpsx"),
        ("emails", "to a.b+c@mail.example.org, b@c", "to email, b@c"),
        ("emails", "邮箱a@b.com。", "邮箱email。"),
        ("digits", "tel 0571-8x ९ ½", "tel 0000-0x 0 ½"),
        ("no-punctuation", "a,b（c）$d。e-f", "a b c  d e f"),
        ("only-words", "How are you? 我_1, é!", "Howareyou我_1é"),
        ("spaces", "\ta \u3000b\n", "a b"),
        ("no-spaces", "\ta \u3000b\n", "ab"),
        ("unspaced", "用 spark 3 算 ab cd", "用spark 3算ab cd"),
        ("simplified", "漢語與軟體，發現頭髮", "汉语与软体，发现头发"),
    ],
)
def test_a_step_does_what_its_name_says(step: str, text: str, expected: str):
    assert clean_text(text, [step]) == expected


def test_html_becomes_its_text_and_blocks_stay_apart():
    assert clean_text(PAGE, ["html", "nfkc", "spaces"]) == "Café &世 words one two end"


@pytest.mark.parametrize("text", ["", "plain text", "a < b && c > d", "<p", "\x00", "<!-- x"])
def test_what_is_no_html_does_not_fail(text: str):
    assert isinstance(clean_text(text, ["html"]), str)


def test_every_step_that_can_be_named_has_a_function():
    assert set(FUNCTIONS) == set(CLEANERS)


@pytest.mark.parametrize(("step", "module"), [("html", "selectolax"), ("simplified", "opencc")])
def test_a_missing_package_says_how_to_get_it(
    step: str, module: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    monkeypatch.delitem(sys.modules, "_simhash_spark_worker", raising=False)

    with pytest.raises(ConfigError, match=rf"needs {module}: .* -m pip install '{module}>="):
        clean_text("漢", [step])


STEPS = st.sampled_from(
    [
        USUAL,
        (*USUAL, "unspaced"),
        ("digits", *USUAL),
        ("urls", "emails", *USUAL, "unspaced"),
        ("lower", "only-words"),
        (*USUAL, "no-punctuation"),
        (),
        ("unspaced",),
    ]
)
TEXTS = st.lists(st.text("aA 1é世，Σ\u0301\n\u3000Ａ@./:htpw", max_size=20), max_size=5)


@given(texts=TEXTS, steps=STEPS)
def test_a_chunk_is_cleaned_as_its_texts_are(texts: list[str], steps: tuple[str, ...]):
    raw = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, raw)], dtype=np.int64)

    data, bounds = clean_texts(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets, steps)

    cleaned = [data[a:b].tobytes().decode() for a, b in itertools.pairwise(bounds)]
    assert cleaned == [clean_text(text, steps) for text in texts]


@pytest.mark.parametrize(
    ("step", "plain"),
    [
        ("digits", lambda text: "".join("0" if c.isdigit() else c for c in text)),
        ("only-words", lambda text: "".join(re.findall(r"\w+", text))),
        ("spaces", lambda text: " ".join(text.split())),
        ("no-spaces", lambda text: "".join(text.split())),
    ],
)
@given(
    st.text(st.one_of(st.characters(), st.sampled_from(" \t\n\u2028\u00a0\x1fa_٣²")), max_size=20)
)
def test_steps_by_character_do_what_plain_python_does(step: str, plain, text: str):
    assert clean_text(text, [step]) == plain(text)


@pytest.mark.parametrize(
    ("text", "step"),
    [("a" * 300_000, "emails"), (" " * 300_000, "unspaced")],
    ids=["word", "blanks"],
)
def test_cleaning_takes_time_in_proportion_to_the_text(text: str, step: str):
    # Both looked again from each character of a run: 20 seconds for 40,000 of them.
    started = time.process_time()

    assert clean_text(text, [step]) == text
    assert time.process_time() - started < 5
