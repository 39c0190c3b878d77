/** The exit codes of `tenon`. Commands of plugins use `ok` and `failure`; the rest belongs to the shell. */
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

/** One exit code and what it means. */
export interface ExitMeaning {
  readonly code: number;
  readonly meaning: string;
}

/** What help pages and docs say about the exit codes. */
export const exitMeanings: readonly ExitMeaning[] = [
  { code: EXIT.ok, meaning: 'The command did what was asked.' },
  {
    code: EXIT.failure,
    meaning: 'It failed, or found a problem that it was asked to look for; the message says which.',
  },
  { code: EXIT.usage, meaning: 'The command line was wrong: unknown command or flag, missing or unwanted argument.' },
  { code: EXIT.defect, meaning: 'A defect in Tenon or in a plugin: something failed that should not be able to.' },
  { code: EXIT.config, meaning: 'Settings are invalid or cannot be read or written.' },
  { code: EXIT.interrupted, meaning: 'Stopped by Ctrl-C.' },
  { code: EXIT.pipeClosed, meaning: 'The reader of the output went away, as `head` does.' },
  { code: EXIT.terminated, meaning: 'Stopped by a termination signal.' },
];
