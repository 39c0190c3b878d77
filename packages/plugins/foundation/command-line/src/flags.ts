import type { CommandSpec, FlagSpec } from './command-spec.ts';

/** The flag that commands with `json` get. */
export const JSON_FLAG: FlagSpec = { type: 'boolean', summary: 'Write JSON, for programs' };

/** The flags of a command, those it gets by its other properties included. */
export function flagsOf(spec: CommandSpec): Readonly<Record<string, FlagSpec>> {
  return { ...spec.flags, ...(spec.json && { json: JSON_FLAG }) };
}

/** Flags as `parseArgs` of Node wants them. All may be repeated, so that a second one can be refused with words of our own. */
export function parserOptions(specs: Readonly<Record<string, FlagSpec>>) {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { type, short }]) => [
      name,
      { type, multiple: true as const, ...(short !== undefined && { short }) },
    ]),
  );
}

/** Gives flags whose value was left out an empty one. */
export function withValues(words: readonly string[], specs: Readonly<Record<string, FlagSpec>>): readonly string[] {
  const end = words.indexOf('--');
  return words.map((word, index) => {
    const name = flagName(word, specs);
    const pattern = name === undefined ? undefined : specs[name]?.optionalValue;
    if (pattern === undefined || (end !== -1 && index > end)) return word;
    const next = words[index + 1];
    return next !== undefined && new RegExp(`^(?:${pattern})$`).test(next) ? word : `--${name}=`;
  });
}

/** The flag that a word is, without a value in it. */
function flagName(word: string, specs: Readonly<Record<string, FlagSpec>>): string | undefined {
  if (word.startsWith('--')) return word.slice(2);
  const short = /^-(\w)$/.exec(word)?.[1];
  return short === undefined ? undefined : Object.keys(specs).find((name) => specs[name]?.short === short);
}
