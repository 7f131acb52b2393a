"""The packages that steps of a profile need, the same ones on every worker.

Another version of jieba cuts other words, another stemmer gives other stems:
fingerprints of two workers would not agree, without a sign. So the driver says
what it has, and each worker refuses to work with anything else.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.resources
import importlib.util
import socket
import sys
import warnings
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING, Any

from simhash_spark.core.worker import once_per_worker
from simhash_spark.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simhash_spark.profiles import Profile

INSTALLED_AS = {
    "jieba": "jieba==0.42.1",
    "opencc": "'opencc>=1.2'",
    "rjieba": "rjieba==0.2.2",
    "selectolax": "'selectolax>=0.4'",
    "snowballstemmer": "snowballstemmer==3.1.1",
}
"""What pip installs a module by."""

FILES = {"jieba": ("dict.txt", "analyse/idf.txt")}
"""Files of a package that are easily replaced, and change what it does."""


def import_package(name: str) -> Any:  # noqa: ANN401 - packages without types
    """Import a module of a package that a step needs.

    Parameters
    ----------
    name : str
        Full name of the module.

    Returns
    -------
    module
        It.

    Raises
    ------
    ConfigError
        If the package is not installed.
    """
    with silence():
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise _missing([name.split(".")[0]]) from error


def requirements(profile: Profile) -> dict[str, str]:
    """Describe the packages that a profile needs, as they are installed here.

    Parameters
    ----------
    profile : Profile
        How text becomes a fingerprint.

    Returns
    -------
    dict of str to str
        Name of a package to its version, and of a file of it that matters to its
        hash: equal on two machines exactly where the steps do the same.

    Raises
    ------
    ConfigError
        If a package is not installed.

    Examples
    --------
    >>> from simhash_spark.profiles import PROFILES
    >>> requirements(PROFILES["auto"])
    {}
    """
    found = {key: value for name in profile.packages for key, value in _describe(name).items()}
    if missing := [name for name in profile.packages if name not in found]:
        raise _missing(missing)
    return found


def check_requirements(expected: Mapping[str, str]) -> None:
    """Check on a worker, once in its life, that it has the packages of the driver.

    Parameters
    ----------
    expected : mapping of str to str
        What :func:`requirements` gave on the driver.

    Raises
    ------
    ConfigError
        If a package is missing here, or is another one.
    """
    if expected:
        names = ", ".join(f"{key} {value}" for key, value in expected.items())
        once_per_worker(f"checked: {names}", lambda: _compare(expected))


@contextmanager
def silence() -> Iterator[None]:
    """Keep quiet about what packages warn of when imported: jieba's patterns, files left open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _compare(expected: Mapping[str, str]) -> None:
    packages = dict.fromkeys(key.split("/")[0] for key in expected)
    found = {key: value for name in packages for key, value in _describe(name).items()}
    for key, wanted in expected.items():
        actual = found.get(key, "nothing")
        if actual != wanted:
            name = key.split("/")[0]
            message = (
                f"Worker {socket.gethostname()} has {key}: {actual}; the driver has {wanted}. "
                f"Install the driver's on every worker: pip install --force-reinstall "
                f"{name}=={expected[name]}."
            )
            raise ConfigError(message)


def _describe(name: str) -> dict[str, str]:
    """Version and hashes of a package; nothing where it is not installed."""
    if importlib.util.find_spec(name) is None:
        return {}
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:  # shipped as files alone
        version = str(getattr(import_package(name), "__version__", "of unknown version"))
    folder = importlib.resources.files(import_package(name)) if name in FILES else None
    hashes = {
        f"{name}/{path}": _digest(folder.joinpath(path)) for path in FILES.get(name, ()) if folder
    }
    return {name: version, **hashes}


def _digest(file: importlib.resources.abc.Traversable) -> str:
    return f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}"


def _missing(packages: list[str]) -> ConfigError:
    wanted = " ".join(INSTALLED_AS.get(package, package) for package in packages)
    return ConfigError(
        f"This profile needs {', '.join(packages)}: {sys.executable} -m pip install {wanted}, and "
        "the same on every executor."
    )
