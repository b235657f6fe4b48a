#!/usr/bin/env bash
# Fails when a Go file of the project is not formatted, and names it. What git ignores is not looked at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=()
while IFS= read -r -d '' file; do
  if [ -e "$file" ]; then files+=("$file"); fi # a deleted file is listed until its deletion is committed
done < <(git ls-files -z --cached --others --exclude-standard -- '*.go')

unformatted=$(gofmt -l "${files[@]}")
if [ -n "$unformatted" ]; then
  printf 'not formatted, run gofmt -w on:\n%s\n' "$unformatted" >&2
  exit 1
fi
