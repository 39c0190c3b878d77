/** The exit codes of `tenon`. Commands return `ok` or `failure`; an error's class gives `usage` and `config`; the rest belongs to the shell. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  defect: 70,
  config: 78,
  interrupted: 130,
  pipeClosed: 141,
  terminated: 143,
} as const;

/** What help pages and docs say about the exit codes. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'The command did what was asked.',
  failure: 'It failed, or found a problem that it was asked to look for; the message says which.',
  usage: 'The command line was wrong: unknown command or flag, missing or unwanted argument.',
  defect: 'A defect in Tenon or in a plugin: something failed that should not be able to.',
  config: 'Settings are invalid or cannot be read or written.',
  interrupted: 'Stopped by Ctrl-C.',
  pipeClosed: 'The reader of the output went away, as `head` does.',
  terminated: 'Stopped by a termination signal.',
};

/** The exit codes in order, for tables. */
export function exitRows(): { readonly name: string; readonly code: number; readonly meaning: string }[] {
  return Object.entries(EXIT).map(([name, code]) => ({ name, code, meaning: MEANINGS[name as keyof typeof EXIT] }));
}
