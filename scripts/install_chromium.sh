#!/bin/sh
# Install Debian's chromium, which the tests of the report open it with. Does nothing if it is there.
set -eu

if command -v chromium >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "chromium is not installed, and this is not Debian: install it by other means." >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "chromium is not installed: run this script as root, or install chromium yourself." >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# another install may be under way: wait for it
apt-get -o DPkg::Lock::Timeout=600 update -qq
apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends chromium fonts-dejavu-core poppler-utils >/dev/null
