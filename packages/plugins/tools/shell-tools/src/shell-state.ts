/** The state of a shell as a script: how it is written down, and how another shell takes it over. */
import { quote } from './quote.ts';

/**
 * Writes variables, functions, aliases and options of the shell into a file, and its definitions one by one into another;
 * `$?` stays what it was, as far as `set -e` lets it. The names start with `__tenon` because they become part of the state.
 */
export function noteScript(file: string, definitions: string): string {
  return String.raw`__tenon_was=$?
{ \builtin declare -p; \builtin declare -f; \builtin alias -p; \builtin shopt -p; \builtin set +o
  \builtin printf 'set +e\n'; \builtin umask -p; } 2>/dev/null >| ${quote(file)}
( \builtin set +eux -f; IFS=$'\n'
  for __tenon_n in $(\builtin compgen -A function); do
    \builtin printf '%s\0' "$__tenon_n"; \builtin declare -f -- "$__tenon_n"; \builtin printf '\0'
  done
  \builtin printf '\0'
  for __tenon_n in "$${'{'}!BASH_ALIASES[@]}"; do
    \builtin printf '%s\0%s\0' "$__tenon_n" "$${'{'}BASH_ALIASES[$__tenon_n]}"
  done ) 2>/dev/null >| ${quote(definitions)}
__tenon_back() { case $- in *e*) return 0 ;; esac; return $__tenon_was; }
__tenon_back`;
}

/** Takes a noted state over, except for what belongs to the shell's own surroundings. */
export function restoreScript(file: string, surroundings: Readonly<Record<string, string | undefined>>): string {
  const own = Object.entries(surroundings).map(([name, value]) =>
    value === undefined ? `unset ${name}` : `export ${name}=${quote(value)}`,
  );
  return [
    '__tenon_mark=$TENON_SHELL',
    `\\builtin source ${quote(file)} >/dev/null 2>&1`,
    // The guard finds the shell's processes by this mark, and each guard has its own.
    'export TENON_SHELL=$__tenon_mark; unset __tenon_mark __tenon_was',
    ...own,
    'unset -f __tenon_back; \\builtin shopt -s expand_aliases',
  ].join('\n');
}
