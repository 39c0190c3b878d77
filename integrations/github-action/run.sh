#!/usr/bin/env bash
# The step of the action: one prompt, its answer as outputs and in the summary of the job.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tenon="${INPUT_TENON:-$here/../../tenon}"
temp="${RUNNER_TEMP:-$(mktemp -d)}"
export TENON_HOME="${TENON_HOME:-$temp/tenon}"
own_policy="$TENON_HOME/config/policy.yml"
work="$(mktemp -d "$temp/tenon-result.XXXXXX")"
mark=''
placed=''

# A policy holds for this step: the next one has its own, or none.
clean_up() {
  if [ -n "$placed" ]; then rm -f -- "$own_policy"; fi
  if [ -e "$work/policy.yml" ]; then mv -- "$work/policy.yml" "$own_policy"; fi
  if [ -n "$mark" ]; then printf '\n::%s::\n' "$mark"; fi
}
trap clean_up EXIT

# The runner takes lines such as "::add-mask::…" for commands, whoever wrote them. From here to the end there are none: a model's words follow.
if [ "${GITHUB_ACTIONS:-}" = true ]; then
  mark="$(node -p 'crypto.randomUUID()')"
  printf '::stop-commands::%s\n' "$mark"
fi

if [ -n "${INPUT_POLICY:-}" ]; then
  "$tenon" policy check "$INPUT_POLICY" >&2
  mkdir -p "$TENON_HOME/config"
  if [ -e "$own_policy" ]; then mv -- "$own_policy" "$work/policy.yml"; fi
  placed=yes
  cp -- "$INPUT_POLICY" "$own_policy"
fi

flags=(-p --no-session --output-format json --sandbox "${INPUT_SANDBOX:-read-only}")
flag() { if [ -n "$2" ]; then flags+=("$1" "$2"); fi; }
flag --model "${INPUT_MODEL:-}"
flag --tools "${INPUT_TOOLS:-}"
flag --allowed-tools "${INPUT_ALLOWED_TOOLS:-}"
flag --json-schema "${INPUT_JSON_SCHEMA:-}"
flag --max-turns "${INPUT_MAX_TURNS:-}"
flag --max-budget-usd "${INPUT_MAX_BUDGET_USD:-}"

file="$work/tenon-result.json"
code=0
"$tenon" "${flags[@]}" -- "${INPUT_PROMPT:?the action needs a prompt}" <"${INPUT_INPUT:-/dev/null}" >"$file" || code=$?

# 3: the prompt needs a language model, and none is set up.
status=$code
if [ "$code" -eq 3 ] && [ "${INPUT_REQUIRE_MODEL:-true}" = false ]; then status=0; fi
node "$here/outputs.mjs" "$file" "$code"
exit "$status"
