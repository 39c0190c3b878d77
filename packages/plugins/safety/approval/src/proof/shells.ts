/** Shells: what they run is proven like the command itself. */
import { type CallWord, NotUnderstood } from './language.ts';
import type { Call } from './proof.ts';
import { settleCode } from './roles.ts';
import { type Output, UNKNOWN_INPUT } from './state.ts';
import { UNKNOWN, type Value } from './shell/values.ts';

/** Shells whose scripts mean what the reader reads; the others only what both agree on. */
export const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'dash']);

const OPTIONS = /^-[eux]*[eux]$/;
const SETTINGS = new Set(['pipefail', 'errexit', 'nounset', 'xtrace']);

/** `bash -c text`, `bash file`, `bash <<EOF`. */
export async function runShell(call: Call): Promise<Output> {
  const { proof, words, name, argv, input, shell } = call;
  const isPosix = name !== 'bash';
  proof.add({ tier: 0, reason: '', argv });
  const { at, hasText, onlyChecks } = readOptions(words, name);
  const [first, ...rest] = words.slice(at);
  if (words.length === 1 && /^--(version|help)$/.test(words[0]?.value ?? '')) return UNKNOWN_INPUT;
  if (hasText) {
    if (first?.value === undefined) throw new NotUnderstood(`a script that is only known when it runs`, first);
    const positional = rest.slice(1).map(valueOf);
    return (await proof.script(first.value, { ...shell, positional }, input, { isPosix, word: first })).output;
  }
  if (first !== undefined) {
    if (first.value === undefined) throw new NotUnderstood(`a script that is only known when it runs`, first);
    const facts = {
      call,
      parsed: { path: [name], flags: new Map(), operands: [] },
      folders: [shell.cwd],
      builds: false,
    };
    if (onlyChecks) return UNKNOWN_INPUT;
    await settleCode(first.value, first, facts, () => !isPosix);
    for (const word of rest)
      if (word.value === undefined) throw new NotUnderstood('a word of a script that is only known when it runs', word);
    return UNKNOWN_INPUT;
  }
  if (input.kind !== 'text' || input.text === undefined)
    throw new NotUnderstood(`commands that \`${name}\` reads from its input`);
  return (await proof.script(input.text, shell, UNKNOWN_INPUT, { isPosix })).output;
}

function readOptions(words: readonly CallWord[], name: string): { at: number; hasText: boolean; onlyChecks: boolean } {
  let hasText = false;
  let onlyChecks = false;
  let at = 0;
  for (; at < words.length; at++) {
    const { value, prefix } = words[at] as CallWord;
    if (value === undefined ? prefix !== '' && !/^[-+]/.test(prefix) : !/^[-+]/.test(value)) break;
    if (value === '--norc' || value === '--noprofile' || value === '--version' || value === '--help') continue;
    if (value === '-n') onlyChecks = true;
    // `-l`: the user's own files, which nothing changes without asking.
    else if (value !== undefined && /^-[elux]*c$/.test(value)) hasText = true;
    else if (value !== undefined && /^-[eux]*o$/.test(value) && SETTINGS.has(words[at + 1]?.value ?? '')) at++;
    else if (value === undefined || !OPTIONS.test(value))
      throw new NotUnderstood(`the flag ${value ?? prefix} of \`${name}\``, words[at]);
  }
  return { at, hasText, onlyChecks };
}

function valueOf(word: CallWord): Value {
  return word.value === undefined || word.isMany ? UNKNOWN : { text: word.value, prefix: word.value };
}
