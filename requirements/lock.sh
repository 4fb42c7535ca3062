#!/bin/sh
# Resolves the locks from pyproject.toml; `make lock` calls it. Options go to the resolver (--upgrade).
# One version of each package for every Python and platform; the test lock leads, the others agree with it.
# lime is published as source only; everything else must have a wheel.
# Hashes are written, addresses of package registries are not.
set -eu

compile() {
    UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
        --fork-strategy fewest --generate-hashes --only-binary :all: --no-binary lime "$@"
}

building="requirements/build.in requirements/labextension.in"

# shellcheck disable=SC2086  # two words
compile pyproject.toml $building --extra test -o requirements/test.txt "$@"
# shellcheck disable=SC2086
compile pyproject.toml $building --extra demo -c requirements/test.txt -o requirements/demo.txt "$@"
compile pyproject.toml requirements/build.in -c requirements/test.txt -o requirements/bare.txt "$@"
# For the image on Binder: what runs there, without what builds; and what builds there and is thrown away.
compile pyproject.toml --extra lab --extra pdf --extra profanity -c requirements/test.txt -o requirements/binder.txt "$@"
# shellcheck disable=SC2086
compile $building -c requirements/test.txt -o requirements/build.txt "$@"
