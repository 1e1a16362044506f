#!/bin/sh
# Fetch axe-core, which the tests look for barriers in pages with, into the folder that is given.
# It comes as an npm package. Does nothing if it is there.
set -eu

folder=$1
if [ -f "$folder/axe.min.js" ]; then
    exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
    echo "npm is not installed, so that axe-core cannot be fetched." >&2
    exit 1
fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent axe-core@4.14.0 >/dev/null
tar xzf axe-core-*.tgz package/axe.min.js
cd - >/dev/null
mv "$work/package/axe.min.js" "$folder"
