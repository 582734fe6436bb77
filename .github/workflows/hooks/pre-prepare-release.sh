#!/usr/bin/env bash
# Writes the version that is being released into CHANGELOG.md, the dependencies on pages, and the table of releases.
# The release workflow of Quarkiverse runs it with CURRENT_VERSION, before it sets the version in POMs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

fail() {
    echo "error: $*" >&2
    exit 1
}

version=${CURRENT_VERSION:?the version to release}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]] || fail "'$version' is no version: write x.y.z into .github/project.yml"
today=$(date -u +%F)

# The changes are made in copies, which replace the files after all checks have passed.
changes=CHANGELOG.md
table=docs/modules/ROOT/pages/compatibility.adoc
pages=(README.md docs/modules/ROOT/pages/index.adoc)
copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT
cp --parents "$changes" "$table" "${pages[@]}" "$copies"

grep -qxF "## [$version] - unreleased" "$changes" \
    || fail "$changes has no section '## [$version] - unreleased': name the changes of this release"
sed -i "s/^## \[$version\] - unreleased\$/## [$version] - $today/" "$copies/$changes"

quarkus=$(sed -nE 's:.*<quarkus.version>(.*)</quarkus.version>.*:\1:p' pom.xml)
row="| $version | $today | $quarkus"
mark='// Each release adds a row above this line'
grep -q "^$mark" "$table" || fail "$table has lost the comment '$mark', where releases add their rows"
sed -i "\|^$mark|i $row" "$copies/$table"

# The version in dependencies, and what is true only before the first release.
for page in "${pages[@]}"; do
    sed -i -E \
        -e '/^(\/\/|<!--) unreleased/,/^(\/\/|<!--) end/d' \
        -e "/<artifactId>quarkus-redis-bulkhead(-test-support)?<\/artifactId>/{n;s:<version>.*</version>:<version>$version</version>:}" \
        -e "s/(io\.quarkiverse\.redisbulkhead:quarkus-redis-bulkhead(-test-support)?):[0-9][0-9A-Za-z.-]*/\1:$version/" "$copies/$page"
    grep -qF "$version" "$copies/$page" || fail "$page has no dependency whose version can be set"
    left=$(grep -n '999-SNAPSHOT' "$copies/$page") && fail "$page would still have the version 999-SNAPSHOT:
$left"
done

cp -r "$copies/." .

if [[ ${1:-} != --no-commit ]]; then
    git commit -qam "Name version $version in the changes and on the pages"
fi
