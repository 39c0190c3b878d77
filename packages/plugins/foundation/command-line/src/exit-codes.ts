/** The exit codes of `tenon`. An error's class is one of these names; `defect` and what follows `config` belong to the shell. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  unavailable: 3,
  limit: 4,
  mismatch: 5,
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
  usage: 'The command line was wrong: unknown command, flag or name, missing or unwanted argument.',
  unavailable: 'The work needs something that is missing, such as a real model; nothing else was wrong.',
  limit: 'A limit of the command line was reached before the work was done: --max-turns or --max-budget-usd.',
  mismatch: 'The answer does not have the form that was asked for with --json-schema.',
  defect: 'A defect in Tenon or in a plugin: something failed that should not be able to.',
  config: 'Settings are invalid or cannot be read or written.',
  interrupted: 'You stopped it with Ctrl-C (SIGINT); a message says so.',
  pipeClosed: 'The reader of the output went away, as `head` does.',
  terminated: 'Stopped by SIGTERM, or by SIGHUP when the terminal was closed.',
};

/** The exit codes in order, for tables. */
export function exitRows(): { readonly name: string; readonly code: number; readonly meaning: string }[] {
  return Object.entries(EXIT).map(([name, code]) => ({ name, code, meaning: MEANINGS[name as keyof typeof EXIT] }));
}
