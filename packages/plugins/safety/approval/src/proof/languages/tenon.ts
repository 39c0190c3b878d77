/**
 * Words of Tenon itself. Commands that read are tier 0; whatever else stands there could answer Tenon's own questions or change its
 * settings, so it is known danger and never merely unclear: confinement would not stop it from trying.
 */
import type { Language } from '../language.ts';

/** Commands that only read, and how many words may follow. */
const READING: ReadonlyMap<string, number> = new Map([
  ['doctor', 0],
  ['stats', 0],
  ['help', 3],
  ['completion', 1],
  ['models list', 0],
  ['tools list', 0],
  ['tools show', 1],
  ['tool list', 0],
  ['session list', 0],
  ['session show', 1],
  ['session tree', 1],
  ['approval list', 0],
  ['approval show', 1],
  ['approval explain', 1],
  ['policy list', 0],
  ['policy check', 0],
  ['sandbox status', 0],
  ['trust list', 0],
  ['trust status', 1],
  ['config list', 0],
  ['config path', 0],
  ['config schema', 0],
  ['config get', 1],
  ['plugin list', 0],
  ['plugin installed', 0],
  ['plugin inspect', 1],
  ['skills list', 0],
  ['skills show', 1],
  ['rules list', 0],
  ['rules show', 1],
  ['commands list', 0],
  ['commands show', 1],
  ['hooks list', 0],
  ['mcp list', 0],
]);
const FLAGS: ReadonlySet<string> = new Set(['--verbose', '--no-color', '--no-packs', '--json']);

/** Words of Tenon. */
export const language: Language = {
  read(words, meaning) {
    const values = words.map(({ value, isMany }) => (isMany ? undefined : value));
    if (values.length === 1 && /^(-V|--version|-h|--help)$/.test(values[0] ?? '')) return;
    const rest = withoutFlags(values);
    if (rest !== undefined && isReading(rest)) return;
    if (values[0] === '-p' || values[0] === '--print') return meaning.add(2, 'starts another agent');
    meaning.add(3, "changes Tenon's own safety");
  },
};

/** The command and its words; undefined where a word is not known. */
function withoutFlags(values: readonly (string | undefined)[]): readonly string[] | undefined {
  const rest: string[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === undefined) return undefined;
    if (value === '--cwd') at++;
    else if (value.startsWith('-') && !FLAGS.has(value) && !value.startsWith('--cwd=')) return undefined;
    else if (!value.startsWith('-')) rest.push(value);
  }
  return rest;
}

function isReading([first = '', second = '', ...more]: readonly string[]): boolean {
  const two = READING.get(`${first} ${second}`);
  if (two !== undefined) return more.length <= two;
  const one = READING.get(first);
  return one !== undefined && more.length + (second === '' ? 0 : 1) <= one;
}
