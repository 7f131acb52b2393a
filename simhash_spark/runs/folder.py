"""An output folder that appears complete or not at all.

Everything is written to a folder beside the output, ``<output>.__incomplete-<run>``,
and moved to its place by one rename at the end. An earlier output is moved
aside first and deleted last; if anything fails in between, it is put back.
After a hard kill both folders are still there and can be deleted or renamed by hand.
"""

from __future__ import annotations

import re
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from simhash_spark.errors import InvariantError, OutputError, SimHashSparkError
from simhash_spark.runs.failures import root_cause, trace_of
from simhash_spark.runs.filesystem import file_system_of
from simhash_spark.runs.paths import overlap
from simhash_spark.runs.progress import Progress, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from pyspark.sql import DataFrame, SparkSession

SUMMARY = "summary.json"
PUBLISHED = ("fingerprints", "pairs", "clusters", "duplicates", "unfingerprinted", "survivors")
_LAST_WRITES_S = 2.0
_MADE_BY_US = '"simhash_spark"'


class OutputFolder:
    """The output of one run, as a context: leaving it removes whatever is not published.

    Parameters
    ----------
    spark : SparkSession
        Writes and reads.
    path : str
        Where the output is to appear.
    inputs : iterable of str
        Paths of the input, which the output must not touch.
    overwrite : bool
        Whether an earlier output may be replaced.
    progress : Progress, optional
        Is told of each stage; by default one that writes to standard output.

    Raises
    ------
    OutputError
        If the folder must not or cannot be written; nothing was written then.
    """

    def __init__(
        self,
        spark: SparkSession,
        path: str,
        *,
        inputs: Iterable[str],
        overwrite: bool,
        progress: Progress | None = None,
    ) -> None:
        self.written: dict[str, DataFrame] = {}
        self.progress = progress or Progress(sys.stdout)
        self.run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        self._spark = spark
        self._files = file_system_of(spark)
        self._overwrite = overwrite
        if re.search(r"[*?\[\]{}\\]", path):
            message = (
                f"The output {path} holds one of * ? [ ] {{ }} \\, which Spark reads as a glob."
            )
            raise OutputError(message)
        self.path = self._files.qualify(path)
        self._incomplete = f"{self.path}.__incomplete-{self.run_id}"
        self._made: list[str] = []
        self._is_cut_off = False
        self._check_inputs(inputs)
        self._check_parent()
        self._check_earlier_output()

    @property
    def n_rows(self) -> dict[str, int]:
        """Rows of each frame that was stored."""
        return {stage.name: stage.n_rows for stage in self.progress.stages}

    def __enter__(self) -> OutputFolder:
        parent = self._incomplete
        while "/" in parent and not self._files.exists(parent):
            self._made.append(parent)
            parent = parent.rpartition("/")[0]
        try:
            self._files.make_folder(f"{self._incomplete}/{self._name}")
        except Exception as error:
            self._discard()
            reason = root_cause(trace_of(error))
            message = f"The output {self.path} cannot be written: {reason}. Choose another folder."
            raise OutputError(message) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_cut_off = kind is not None and not issubclass(kind, SimHashSparkError)
        self._discard()

    def sweep(self) -> None:
        """Remove what tasks of a run that was cut off have still written.

        Call it once the session is closed: Spark lets running tasks go on for
        a while, and each creates its folder again.
        """
        if self._is_cut_off:
            time.sleep(_LAST_WRITES_S)
            self._discard()

    def store(self, name: str, frame: DataFrame) -> DataFrame:
        """Write a frame, count it from its files and report it.

        Parameters
        ----------
        name : str
            Folder of the output, or of the run's own work.
        frame : DataFrame
            Any frame that Parquet can hold.

        Returns
        -------
        DataFrame
            The same rows, columns and types, read from the files.

        Raises
        ------
        InvariantError
            If a column came back with another name or type.
        """
        started = time.perf_counter()
        folder = self._name if name in PUBLISHED else "work"
        path = f"{self._incomplete}/{folder}/{name}"
        frame.write.parquet(path)
        stored = self._spark.read.parquet(path)
        # simpleString leaves out whether nested values may be null: files forget it.
        columns = [
            [(f.name, f.dataType.simpleString()) for f in each.schema.fields]
            for each in (frame, stored)
        ]
        if columns[0] != columns[1]:
            message = f"{name} was written as {columns[0]} and read as {columns[1]}."
            raise InvariantError(message)
        n_rows = stored.count()
        self.progress.stage(Stage(name, n_rows, time.perf_counter() - started))
        self.written[name] = stored
        return stored

    def publish(self, summary: str) -> None:
        """Put the output in its place, with its summary.

        Parameters
        ----------
        summary : str
            Content of ``summary.json``.

        Raises
        ------
        OutputError
            If another run has published to the same place meanwhile.
        """
        self._files.write_text(f"{self._incomplete}/{self._name}/{SUMMARY}", summary)
        self._check_earlier_output()  # again: another run may have been faster
        earlier = f"{self.path}.__earlier-{self.run_id}"
        has_earlier = self._files.exists(self.path)
        try:
            if has_earlier:
                self._files.rename(self.path, earlier)
            self._files.rename(f"{self._incomplete}/{self._name}", self.path)
        except BaseException:
            if self._files.exists(earlier) and not self._files.exists(self.path):
                self._files.rename(earlier, self.path)
            raise
        self._refuse_nested()
        if has_earlier:
            self._files.delete(earlier)

    @property
    def _name(self) -> str:
        return f"output-{self.run_id}"

    def _refuse_nested(self) -> None:
        """Undo a rename that lost a race: Hadoop then moves into the folder of the winner."""
        nested = f"{self.path}/{self._name}"
        if self._files.exists(nested):
            self._files.delete(nested)
            message = f"Another run has just written {self.path}: choose another output."
            raise OutputError(message)

    def _discard(self) -> None:
        try:
            self._files.delete(self._incomplete)
            for parent in self._made[1:]:
                if not self._files.names(parent):
                    self._files.delete(parent)
        except Exception as failure:  # must not hide why the run has ended
            reason = root_cause(trace_of(failure))
            self.progress.line(f"{self._incomplete} could not be removed: {reason}")

    def _check_inputs(self, inputs: Iterable[str]) -> None:
        for path in inputs:
            for output in (self.path, self._incomplete):
                relation = overlap(self._files.qualify(path), output)
                if relation:
                    message = (
                        f"The output {self.path} {relation} the input {path}: choose a folder "
                        "apart from it."
                    )
                    raise OutputError(message)

    def _check_parent(self) -> None:
        parent = self.path.rpartition("/")[0]
        if SUMMARY in self._files.names(parent):
            message = (
                f"The output {self.path} lies in the output of an earlier run, {parent}, and would "
                "be deleted with it: choose a folder apart from it."
            )
            raise OutputError(message)

    def _check_earlier_output(self) -> None:
        names = self._files.names(self.path)
        if names and not self._overwrite:
            message = (
                f"The output {self.path} exists and is not empty: choose another folder, or "
                "replace an earlier output with --overwrite."
            )
            raise OutputError(message)
        if names and not self._is_ours(names):
            message = (
                f"{self.path} is no output of an earlier run, it holds {', '.join(names[:3])}: "
                "--overwrite does not delete it. Choose another folder."
            )
            raise OutputError(message)

    def _is_ours(self, names: list[str]) -> bool:
        return SUMMARY in names and _MADE_BY_US in self._files.read_text(f"{self.path}/{SUMMARY}")
