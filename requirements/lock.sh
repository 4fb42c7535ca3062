#!/bin/sh
# Resolves the three locks from pyproject.toml; `make lock` calls it. Options go to the resolver (--upgrade).
# One version of each package for every Python and platform; the test lock leads, the others agree with it.
# lime is published as source only; everything else must have a wheel.
# Hashes are written, addresses of package registries are not.
set -eu

compile() {
    UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
        --fork-strategy fewest --generate-hashes --only-binary :all: --no-binary lime pyproject.toml requirements/build.in "$@"
}

compile --extra test -o requirements/test.txt "$@"
compile --extra demo -c requirements/test.txt -o requirements/demo.txt "$@"
compile -c requirements/test.txt -o requirements/bare.txt "$@"
