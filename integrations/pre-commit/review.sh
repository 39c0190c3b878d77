#!/usr/bin/env bash
# A hook for pre-commit (https://pre-commit.com), or for .git/hooks/pre-commit: lets Tenon look at what is staged.
#
#   review.sh [--model MODEL] [--require-model] [PROMPT]
#
# The commit stops when the answer is "fail". The policy of the repository (.tenon/policy.yml) and the user's own hold; a broken one
# stops the commit, too. Without a language model the hook says so and lets the commit pass, unless --require-model is given.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tenon="${TENON_PROGRAM:-$(command -v tenon || echo "$here/../../tenon")}"
prompt='Review the staged change that was piped in. Fail it only for a bug, a leaked secret or a broken build; style is no reason.'
flags=(-p --no-session --sandbox read-only --tools read,search,find --max-turns 20 --json-schema "$here/verdict.schema.json")
require_model=false

while [ $# -gt 0 ]; do
  case "$1" in
    --model) flags+=(--model "${2:?--model needs a name}"); shift 2 ;;
    --require-model) require_model=true; shift ;;
    --) shift; break ;;
    -*) echo "review.sh: unknown flag $1" >&2; exit 2 ;;
    *) prompt="$1"; shift ;;
  esac
done

if git diff --cached --quiet --no-ext-diff; then exit 0; fi

"$tenon" policy check >&2
answer="$(mktemp)"
trap 'rm -f "$answer"' EXIT

code=0
git diff --cached --no-ext-diff --no-color | node "$here/change.mjs" | "$tenon" "${flags[@]}" -- "$prompt" >"$answer" || code=$?
if [ "$code" -eq 3 ] && [ "$require_model" = false ]; then
  echo 'Tenon has not looked at this commit: no language model is set up.' >&2
  exit 0
fi
if [ "$code" -ne 0 ]; then exit "$code"; fi
node "$here/verdict.mjs" "$answer"
