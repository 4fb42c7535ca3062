#!/bin/sh
# Checks what pip cannot install and, as root with apt, installs it.
#   sh requirements/system.sh demo    Pango and a font, for the PDF
#   sh requirements/system.sh test    these, a browser and the tools that read PDFs and signatures
set -eu

purpose=${1:?say what for: demo or test}
PATH=$PATH:/usr/sbin:/sbin
missing=

library() { # library PACKAGE FILE-NAME: what WeasyPrint opens by name when it is imported
    if ! ldconfig -p | grep -qF "$2"; then missing="$missing $1"; fi
}

program() { # program PACKAGE NAME...: any one of the names will do
    package=$1
    shift
    for name in "$@"; do
        if command -v "$name" >/dev/null 2>&1; then return; fi
    done
    missing="$missing $package"
}

font() { # font PACKAGE FILE-NAME
    for folder in /usr/share/fonts /usr/local/share/fonts "${HOME:-/}/.fonts" "${HOME:-/}/.local/share/fonts"; do
        if [ -d "$folder" ] && [ -n "$(find "$folder" -name "$2" -print 2>/dev/null)" ]; then return; fi
    done
    missing="$missing $1"
}

if [ "$(uname -s)" != Linux ]; then
    echo "Not Linux: Pango (WeasyPrint's installation page says how) is not checked here." >&2
    exit 0
fi

library libpango-1.0-0 libpango-1.0.so.0
library libpangoft2-1.0-0 libpangoft2-1.0.so.0
library libharfbuzz-subset0 libharfbuzz-subset.so.0
font fonts-dejavu-core DejaVuSans.ttf
if [ "$purpose" = test ]; then
    program chromium chromium chromium-browser google-chrome
    program poppler-utils pdftotext
    program qpdf qpdf
    program openssl openssl
fi

if [ -z "$missing" ]; then exit 0; fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    # shellcheck disable=SC2086  # one word per package
    apt-get install -y -qq --no-install-recommends $missing </dev/null
    exit 0
fi

echo "Missing on this system:$missing. Install them first, on Debian and Ubuntu with: sudo apt-get install$missing" >&2
exit 1
