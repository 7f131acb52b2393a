"""Folders and small files where Spark keeps its data.

A path must mean to us what it means to Spark: ``/data/x`` is on HDFS on one
cluster and on the local disk on another. PySpark has no function for that, so
a classic session is asked through its JVM for Hadoop's own ``FileSystem``; this
is the only module that touches the JVM. A Spark Connect session has none, and
there only paths that the driver sees as plain folders can be used.

A rename is atomic on HDFS and on POSIX; on an object store it is a copy.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from simhash_spark.errors import OutputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class FileSystem(Protocol):
    """What a run needs from a file system; paths are absolute URIs made by ``qualify``."""

    def qualify(self, path: str) -> str:
        """Make a path absolute, with its scheme, without links and without a slash at its end."""

    def exists(self, path: str) -> bool:
        """Tell whether a file or folder exists."""

    def names(self, path: str) -> list[str]:
        """List what a folder holds; a file holds itself, a missing folder nothing."""

    def make_folder(self, path: str) -> None:
        """Create a folder and its parents."""

    def rename(self, old: str, new: str) -> None:
        """Move a folder to a path that does not exist, in the same file system."""

    def delete(self, path: str) -> None:
        """Delete a folder and what it holds, if it exists."""

    def write_text(self, path: str, text: str) -> None:
        """Write a small file as UTF-8."""

    def read_text(self, path: str) -> str:
        """Read a small UTF-8 file."""


def file_system_of(spark: SparkSession) -> FileSystem:
    """Choose how to reach the files that a session reads and writes.

    Parameters
    ----------
    spark : SparkSession
        Classic or Spark Connect.

    Returns
    -------
    FileSystem
        Hadoop's for a classic session, else the driver's own.
    """
    return PosixFileSystem() if is_connect(spark) else HadoopFileSystem(spark)


def is_connect(spark: SparkSession) -> bool:
    """Tell whether a session talks to Spark Connect and so has no JVM."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


class HadoopFileSystem:
    """Any file system that Spark knows, through the JVM of a classic session."""

    def __init__(self, spark: SparkSession) -> None:
        self._path: Any = spark._jvm.org.apache.hadoop.fs.Path  # type: ignore[union-attr]
        self._conf: Any = spark._jsparkSession.sessionState().newHadoopConf()

    def qualify(self, path: str) -> str:
        """Make a path absolute, with its scheme, without links and without a slash at its end."""
        files, location = self._at(path)
        qualified = str(files.makeQualified(location).toString())
        return _real(qualified) if qualified.startswith("file:") else qualified

    def exists(self, path: str) -> bool:
        """Tell whether a file or folder exists."""
        files, location = self._at(path)
        return bool(files.exists(location))

    def names(self, path: str) -> list[str]:
        """List what a folder holds; a file holds itself, a missing folder nothing."""
        files, location = self._at(path)
        if not files.exists(location):
            return []
        return sorted(status.getPath().getName() for status in files.listStatus(location))

    def make_folder(self, path: str) -> None:
        """Create a folder and its parents."""
        files, location = self._at(path)
        if not files.mkdirs(location):
            message = f"The file system refuses to create {path}"
            raise OSError(message)

    def rename(self, old: str, new: str) -> None:
        """Move a folder to a path that does not exist, in the same file system."""
        files, location = self._at(old)
        if self.exists(new) or not files.rename(location, self._path(new)):
            message = f"The file system refuses to rename {old} to {new}"
            raise OSError(message)

    def delete(self, path: str) -> None:
        """Delete a folder and what it holds, if it exists."""
        try:
            files, location = self._at(path)
            files.delete(location, True)  # noqa: FBT003 - a Java call
        except Exception:  # after Ctrl-C the JVM may be gone before we are
            if not path.startswith("file:"):
                raise
            PosixFileSystem().delete(path)

    def write_text(self, path: str, text: str) -> None:
        """Write a small file as UTF-8."""
        files, location = self._at(path)
        if hasattr(files, "getRawFileSystem") and path.startswith("file:"):
            files = files.getRawFileSystem()  # the local one adds a .crc file to each
        stream = files.create(location)
        try:
            stream.write(bytearray(text.encode("utf-8")))
        finally:
            stream.close()

    def read_text(self, path: str) -> str:
        """Read a small UTF-8 file."""
        files, location = self._at(path)
        stream = files.open(location)
        try:
            return bytes(stream.readAllBytes()).decode("utf-8")
        finally:
            stream.close()

    def _at(self, path: str) -> tuple[Any, Any]:
        location = self._path(path)
        return location.getFileSystem(self._conf), location


class PosixFileSystem:
    """Folders of the driver: local disks, network mounts, Databricks volumes."""

    def qualify(self, path: str) -> str:
        """Make a path absolute, with its scheme, without links and without a slash at its end."""
        scheme, colon, rest = path.partition(":")
        if colon and "/" not in scheme and not _is_posix(scheme, rest):
            message = (
                f"A Spark Connect session cannot rename folders of '{scheme}:', got {path}. "
                "Write to a folder that this machine sees, such as a volume."
            )
            raise OutputError(message)
        return _real(path)

    def exists(self, path: str) -> bool:
        """Tell whether a file or folder exists."""
        return _posix(path).exists()

    def names(self, path: str) -> list[str]:
        """List what a folder holds; a file holds itself, a missing folder nothing."""
        folder = _posix(path)
        if folder.is_file():
            return [folder.name]
        return sorted(child.name for child in folder.iterdir()) if folder.exists() else []

    def make_folder(self, path: str) -> None:
        """Create a folder and its parents."""
        _posix(path).mkdir(parents=True, exist_ok=True)

    def rename(self, old: str, new: str) -> None:
        """Move a folder to a path that does not exist, in the same file system."""
        if self.exists(new):
            message = f"{new} exists"
            raise OSError(message)
        _posix(old).rename(_posix(new))

    def delete(self, path: str) -> None:
        """Delete a folder and what it holds, if it exists."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(_posix(path))

    def write_text(self, path: str, text: str) -> None:
        """Write a small file as UTF-8."""
        _posix(path).write_text(text, "utf-8")

    def read_text(self, path: str) -> str:
        """Read a small UTF-8 file."""
        return _posix(path).read_text("utf-8")


def _is_posix(scheme: str, rest: str) -> bool:
    return scheme == "file" or (scheme == "dbfs" and rest.startswith("/Volumes/"))


def _posix(path: str) -> Path:
    rest = path.removeprefix("file:").removeprefix("dbfs:")
    return Path("/" + rest.lstrip("/")) if rest.startswith("//") else Path(rest)


def _real(path: str) -> str:
    return f"file:{os.path.realpath(_posix(path))}"
