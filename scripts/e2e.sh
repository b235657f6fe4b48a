#!/usr/bin/env bash
# Runs the browser test against bin/usher. It needs Node and Chromium; where they are missing it says so, and fails when
# USHER_TEST_REQUIRE_SERVERS=1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
  printf 'browser test: %s\n' "$1" >&2
  [ "${USHER_TEST_REQUIRE_SERVERS:-}" != 1 ]
  exit
}

if [ ! -d test/e2e ]; then
  printf 'browser test: there is no test/e2e\n' >&2
  exit 0
fi
command -v node >/dev/null || skip 'not run, Node is not installed'
[ -d test/e2e/node_modules ] || skip 'not run, its packages are not installed (npm ci in test/e2e)'

for candidate in chromium chromium-browser google-chrome google-chrome-stable \
  '/Applications/Chromium.app/Contents/MacOS/Chromium' '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
  if [ -z "${CHROMIUM:-}" ] && path=$(command -v "$candidate"); then export CHROMIUM=$path; fi
done
[ -n "${CHROMIUM:-}" ] || skip 'not run, Chromium is not installed'

# The files are named one by one: versions of Node differ in what they make of a folder.
tests=()
while IFS= read -r file; do tests+=("$file"); done < <(find test/e2e -path '*/node_modules' -prune -o -name '*.test.*js' -print | sort)
if [ "${#tests[@]}" -eq 0 ]; then
  printf 'browser test: test/e2e has no *.test.mjs\n' >&2
  exit 1
fi
export USHER_BIN="$PWD/bin/usher"
exec node --test "${tests[@]}"
