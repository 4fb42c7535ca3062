#!/bin/sh
# Prints the first Python from 3.11 to 3.13 that can make a virtual environment.
# 3.11 comes first: it is the one every change is tested on.
set -eu

too_old=
without_venv=
for name in ${PYTHON:-python3.11 python3.12 python3.13 python3 python}; do
    # A name may be on the PATH and still not run (a version manager's stand-in).
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in
        3.11 | 3.12 | 3.13) ;;
        *)
            too_old=$version
            continue
            ;;
    esac
    if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
    without_venv=$version
done

if [ -n "$without_venv" ] && [ -z "${TRIED_APT:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing python3-venv" >&2
    export DEBIAN_FRONTEND=noninteractive TRIED_APT=yes
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; } </dev/null >&2
    exec sh "$0"
fi

if [ -n "$without_venv" ]; then
    echo "Python $without_venv is here without its venv module. Install the package python3-venv" \
        "(Debian, Ubuntu: sudo apt-get install python3-venv) and run make again." >&2
else
    echo "fairnb needs Python 3.11, 3.12 or 3.13${too_old:+; found $too_old}. Install one, or name it:" \
        "make PYTHON=/path/to/python3.11 ..." >&2
fi
exit 1
