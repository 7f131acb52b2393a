#!/usr/bin/env bash
# The one door: an environment, a Java, the library for the executors, then spark-submit.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: submit.sh [SPARK-SUBMIT OPTIONS] JOB.py [ARGUMENTS OF THE JOB]

  ./submit.sh jobs/dedup.py --input docs.parquet --output out
  ./submit.sh --master yarn --num-executors 20 jobs/dedup.py --input hdfs:///docs --output hdfs:///out
  ./submit.sh jobs/dedup.py --help

Runs a job on Spark: on this machine (local[*]) unless --master says otherwise. The exit code is
the job's: 0 done, 1 failed, 2 called wrongly. JOB.py is looked for here, then in the repository;
paths among its arguments are relative to where you stand.

Python    the first that has pyspark, pandas, pyarrow and numpy: SIMHASH_SPARK_PYTHON (no other is
          tried), PYSPARK_DRIVER_PYTHON, PYSPARK_PYTHON, an activated virtual environment or conda;
          else .venv in the repository, made on the first call (SIMHASH_SPARK_VENV: elsewhere).
Java      JAVA_HOME, then PATH, if 17 or newer; else one from the package index, put into .venv.
Spark     locally (local[...], local-cluster[...]) the one of that Python, whatever SPARK_HOME says.
          With any other master: SPARK_HOME/bin/spark-submit, then the spark-submit on PATH, each
          with its own Java; without either, the one of that Python.
Executors get the library as --py-files; your own --py-files are kept. On a cluster their Python
          and its packages are yours to name: PYSPARK_PYTHON, spark.pyspark.python or --archives.
Settings  conf/spark.conf < spark-defaults.conf (SPARK_CONF_DIR) < your --properties-file < --conf
          and other options. Logging: conf/log4j2.properties, or LOG4J_CONFIGURATION_FILE.
USAGE
}

real_folder() { # the folder of a script, behind all symbolic links
    local path="$1" link
    while [ -L "$path" ]; do
        link="$(readlink "$path")"
        case "$link" in /*) path="$link" ;; *) path="$(dirname "$path")/$link" ;; esac
    done
    (cd "$(dirname "$path")" && pwd -P)
}

NAME=submit.sh
ROOT="$(real_folder "${BASH_SOURCE[0]}")"
# shellcheck source=conf/environment.sh
. "$ROOT/conf/environment.sh"

wrong_call() {
    say "$1"
    usage >&2
    exit 2
}

# What spark-submit is told: every option but --py-files and --properties-file, which are merged below.
OPTIONS=()
CONFS="" PY_FILES="" USER_PROPERTIES="" MASTER_OPTION="" DEPLOY_MODE="" JOB="" NO_JOB=""
while [ $# -gt 0 ]; do
    case "$1" in
        --help | -h)
            usage
            exit 0
            ;;
        --verbose | -v | --supervise | --usage-error | --load-spark-defaults)
            OPTIONS+=("$1")
            shift
            continue
            ;;
        --version)
            NO_JOB=yes
            OPTIONS+=("$1")
            shift
            continue
            ;;
        -*=*) option="${1%%=*}" value="${1#*=}" taken=1 ;;
        -*)
            [ $# -ge 2 ] || wrong_call "$1 needs a value."
            option="$1" value="$2" taken=2
            ;;
        *)
            JOB="$1"
            shift
            break
            ;;
    esac
    shift "$taken"
    case "$option" in
        --py-files) PY_FILES="$value" ;;
        --properties-file) USER_PROPERTIES="$value" ;;
        *) OPTIONS+=("$option" "$value") ;;
    esac
    case "$option" in
        --conf | -c) CONFS="$CONFS$value"$'\n' ;;
        --master) MASTER_OPTION="$value" ;;
        --deploy-mode) DEPLOY_MODE="$value" ;;
        --kill | --status) NO_JOB=yes ;;
    esac
done

if [ -z "$JOB" ] && [ -z "$NO_JOB" ]; then
    usage >&2
    exit 2
fi
if [ -n "$JOB" ] && [ ! -e "$JOB" ]; then
    case "$JOB" in
        *://*) ;;
        *)
            [ -e "$ROOT/$JOB" ] || wrong_call "there is no job $JOB, here or in $ROOT."
            JOB="$ROOT/$JOB"
            ;;
    esac
fi
[ -z "$USER_PROPERTIES" ] || [ -r "$USER_PROPERTIES" ] ||
    wrong_call "cannot read the properties file $USER_PROPERTIES."

# setting NAME: its value in --conf, the user's file or spark-defaults.conf; nothing if unset.
setting() {
    {
        for file in "$DEFAULTS" "$USER_PROPERTIES"; do
            [ -z "$file" ] || [ ! -r "$file" ] || cat "$file"
            echo
        done
        printf '%s' "$CONFS"
    } | sed -n "s/^[[:space:]]*${1//./\\.}[[:space:]=:]\{1,\}//p" | tail -n 1
}

DEFAULTS=""
conf_folder="${SPARK_CONF_DIR:-${SPARK_HOME:+$SPARK_HOME/conf}}"
[ -z "$conf_folder" ] || [ ! -r "$conf_folder/spark-defaults.conf" ] ||
    DEFAULTS="$conf_folder/spark-defaults.conf"
master="${MASTER_OPTION:-$(setting spark.master)}"
master="${master:-${MASTER:-local[*]}}"
: "${DEPLOY_MODE:=$(setting spark.submit.deployMode)}"

SUBMIT=""
case "$master" in
    local*)
        # The settings of another Spark are not ours to take.
        [ -n "${SPARK_CONF_DIR:-}" ] || DEFAULTS=""
        ;;
    *)
        if [ -n "${SPARK_HOME:-}" ] && [ -x "$SPARK_HOME/bin/spark-submit" ]; then
            SUBMIT="$SPARK_HOME/bin/spark-submit"
        else
            SUBMIT="$(command -v spark-submit 2>/dev/null || true)"
        fi
        ;;
esac

if [ -n "$SUBMIT" ] && [ "$DEPLOY_MODE" = cluster ]; then
    # The driver starts on the cluster: all that is needed here is a Python to zip the library.
    PYTHON="$(recent_python)" || exit 1
    MADE_HERE=""
elif [ -n "$SUBMIT" ]; then
    # spark-submit brings PySpark along. The driver's Python must be the executors' version of it.
    [ -n "${PYSPARK_DRIVER_PYTHON:-}${PYSPARK_PYTHON:-}${VIRTUAL_ENV:-}${CONDA_PREFIX:-}" ] ||
        ! look_into python3 numpy pyarrow pandas >/dev/null || PYSPARK_DRIVER_PYTHON=python3
    use_python spark numpy pyarrow pandas
    export PYSPARK_DRIVER_PYTHON="$PYTHON"
else
    use_python "$(extras_with_java spark)" pyspark numpy pyarrow pandas
    use_java
    SPARK_HOME="$SPARK_PACKAGE"
    # Where PySpark is no installed package but lies within a whole Spark.
    [ -x "$SPARK_HOME/bin/spark-submit" ] || SPARK_HOME="$(cd "$SPARK_HOME/../.." && pwd -P)"
    [ -x "$SPARK_HOME/bin/spark-submit" ] || fail "$PYTHON has a PySpark without spark-submit."
    export SPARK_HOME
    SUBMIT="$SPARK_HOME/bin/spark-submit"
    export PYSPARK_DRIVER_PYTHON="$PYTHON"
    case "$master" in
        local*)
            # Workers run `python3` of PATH unless told, in local mode too.
            export PYSPARK_PYTHON="$PYTHON"
            # One machine talks to itself: no name to resolve, no port open to others.
            export SPARK_LOCAL_IP="${SPARK_LOCAL_IP:-127.0.0.1}"
            ;;
    esac
fi

SCRATCH="$(scratch)" || exit 1
# The zip of the library, named after its content: the same sources give the same bytes, a running job
# keeps the file it started with. So does a merged properties file.
SHIPPED="$("$PYTHON" - "$ROOT/simhash_spark" "$SCRATCH" "$ROOT/conf/spark.conf" "$DEFAULTS" "$USER_PROPERTIES" <<'PYTHON'
import hashlib, io, os, pathlib, sys, tempfile, zipfile

package, scratch, *properties = sys.argv[1:]
package = pathlib.Path(package)


def kept(content, name):
    path = pathlib.Path(scratch, hashlib.sha256(content).hexdigest()[:16], name)
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    return path


content = io.BytesIO()
with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(package.parent).as_posix()
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
print(kept(content.getvalue(), "simhash_spark.zip"))

layers = [path for path in properties if path]
if len(layers) == 1:
    print(layers[0])
else:  # of two lines with one key, Spark takes the last
    print(kept(b"\n".join(pathlib.Path(path).read_bytes() for path in layers), "spark.conf"))
PYTHON
)" || fail "cannot pack the library into $SCRATCH."
LIBRARY="${SHIPPED%%$'\n'*}"
PROPERTIES="${SHIPPED#*$'\n'}"
PY_FILES="${PY_FILES:-$(setting spark.submit.pyFiles)}"

export LOG4J_CONFIGURATION_FILE="${LOG4J_CONFIGURATION_FILE:-$ROOT/conf/log4j2.properties}"
# exec: a signal to this process reaches Spark itself, which ends the job and its workers.
exec "$SUBMIT" --properties-file "$PROPERTIES" --py-files "$LIBRARY${PY_FILES:+,$PY_FILES}" \
    ${OPTIONS[@]+"${OPTIONS[@]}"} ${JOB:+"$JOB"} "$@"
