from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.resources
import socket
import sys

import pytest

from simhash_spark.core import packages
from simhash_spark.core.packages import check_requirements, import_package, requirements
from simhash_spark.errors import ConfigError
from simhash_spark.profiles import PROFILES, Profile
from simhash_spark.profiles.steps import USUAL, Jieba, Words


def sha256_of(path: str) -> str:
    raw = importlib.resources.files("jieba").joinpath(path).read_bytes()
    return f"sha256 {hashlib.sha256(raw).hexdigest()}"


def test_a_profile_names_the_packages_of_its_steps():
    cleaning = ("html", "simplified", *USUAL)

    assert PROFILES["auto"].packages == ()
    assert PROFILES["tfidf-keywords"].packages == ("jieba",)
    assert Profile("p", Words(), cleaning).packages == ("opencc", "selectolax")
    assert Profile("p", Words(stem="english")).packages == ("snowballstemmer",)
    assert Profile("p", Jieba(engine="rjieba")).packages == ("rjieba",)


def test_jieba_is_told_with_its_version_and_its_files():
    assert requirements(PROFILES["zh-words"]) == {
        "jieba": "0.42.1",
        "jieba/dict.txt": sha256_of("dict.txt"),
        "jieba/analyse/idf.txt": sha256_of("analyse/idf.txt"),
    }


@pytest.mark.parametrize(
    ("package", "profile"),
    [
        ("selectolax", Profile("p", clean=("html",))),
        ("opencc", Profile("p", clean=("simplified",))),
        ("rjieba", Profile("p", Jieba(engine="rjieba"))),
        ("snowballstemmer", Profile("p", Words(stem="english"))),
    ],
)
def test_each_package_is_told_with_its_version(package: str, profile: Profile):
    pytest.importorskip(package)

    assert requirements(profile) == {package: importlib.metadata.version(package)}


def test_a_package_shipped_as_files_alone_tells_its_version(monkeypatch: pytest.MonkeyPatch):
    def not_found(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(packages.metadata, "version", not_found)

    assert requirements(PROFILES["zh-words"])["jieba"] == "0.42.1"


def test_the_packages_of_the_driver_are_accepted():
    check_requirements(requirements(PROFILES["zh-words"]))


def test_another_version_is_named_with_its_host():
    with pytest.raises(ConfigError) as caught:
        check_requirements({"jieba": "0.1"})

    assert str(caught.value) == (
        f"Worker {socket.gethostname()} has jieba: 0.42.1; the driver has 0.1. Install the "
        "driver's on every worker: pip install --force-reinstall jieba==0.1."
    )


def test_another_dictionary_of_the_same_version_is_refused():
    expected = requirements(PROFILES["zh-words"]) | {"jieba/dict.txt": "sha256 0"}

    with pytest.raises(ConfigError, match=r"has jieba/dict\.txt: sha256 .{64}; the .* sha256 0\. "):
        check_requirements(expected)


def test_a_package_that_a_worker_lacks_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "opencc", None)

    with pytest.raises(ConfigError, match=r"has opencc: nothing; the driver has 1\.2"):
        check_requirements({"opencc": "1.2"})


def test_a_worker_looks_once_unless_it_refused(monkeypatch: pytest.MonkeyPatch):
    expected = requirements(PROFILES["zh-words"])
    check_requirements(expected)
    monkeypatch.setitem(sys.modules, "jieba", None)

    check_requirements(expected)
    for _ in range(2):
        with pytest.raises(ConfigError, match="has jieba: nothing"):
            check_requirements(expected | {"jieba": "0.42.2"})


@pytest.mark.parametrize(
    ("package", "profile"),
    [
        ("jieba", PROFILES["zh-words"]),
        ("snowballstemmer", Profile("p", Words(stem="english"))),
        ("rjieba", Profile("p", Jieba(engine="rjieba"))),
    ],
)
def test_a_missing_package_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, package: str, profile: Profile
):
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"needs {package}: .*python.* -m pip install {package}==[0-9.]+, and the same on"

    with pytest.raises(ConfigError, match=message):
        requirements(profile)
    with pytest.raises(ConfigError, match=message):
        import_package(package)
