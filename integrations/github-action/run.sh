#!/usr/bin/env bash
# The step of the action: one prompt, its answer as outputs and in the summary of the job.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
tenon="${INPUT_TENON:-$here/../../tenon}"
temp="${RUNNER_TEMP:-$(mktemp -d)}"
export TENON_HOME="${TENON_HOME:-$temp/tenon}"

if [ -n "${INPUT_POLICY:-}" ]; then
  "$tenon" policy check "$INPUT_POLICY" >&2
  mkdir -p "$TENON_HOME/config"
  cp -- "$INPUT_POLICY" "$TENON_HOME/config/policy.yml"
fi

flags=(-p --no-session --output-format json --sandbox "${INPUT_SANDBOX:-read-only}")
flag() { if [ -n "$2" ]; then flags+=("$1" "$2"); fi; }
flag --model "${INPUT_MODEL:-}"
flag --tools "${INPUT_TOOLS:-}"
flag --allowed-tools "${INPUT_ALLOWED_TOOLS:-}"
flag --json-schema "${INPUT_JSON_SCHEMA:-}"
flag --max-turns "${INPUT_MAX_TURNS:-}"
flag --max-budget-usd "${INPUT_MAX_BUDGET_USD:-}"

file="$temp/tenon-result.json"
code=0
"$tenon" "${flags[@]}" -- "${INPUT_PROMPT:?the action needs a prompt}" <"${INPUT_INPUT:-/dev/null}" >"$file" || code=$?

# 3: the prompt needs a language model, and none is set up.
status=$code
if [ "$code" -eq 3 ] && [ "${INPUT_REQUIRE_MODEL:-true}" = false ]; then status=0; fi
node "$here/outputs.mjs" "$file" "$code"
exit "$status"
