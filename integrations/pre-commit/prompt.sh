#!/usr/bin/env bash
# A hook for pre-commit: runs one prompt, read-only. The commit stops when Tenon ends with another exit code than 0, or when the
# answer holds the text that --fail-on names.
#
#   prompt.sh [--fail-on TEXT] PROMPT
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tenon="${TENON_PROGRAM:-$(command -v tenon || echo "$here/../../tenon")}"
fail_on=''
if [ "${1:-}" = --fail-on ]; then
  fail_on="${2:?--fail-on needs a text}"
  shift 2
fi
"$tenon" policy check >&2
answer="$(mktemp)"
trap 'rm -f "$answer"' EXIT
"$tenon" -p --no-session --sandbox read-only --max-turns 20 -- "${1:?the hook needs a prompt}" </dev/null >"$answer"
node "$here/answer.mjs" "$answer" "$fail_on"
