/** Conventional commit messages: what they consist of, and how they are written. */

/** The types that a message may have. */
export const TYPES = [
  'feat',
  'fix',
  'perf',
  'refactor',
  'docs',
  'test',
  'build',
  'ci',
  'style',
  'chore',
  'revert',
] as const;
/** What kind of change it is. */
export type CommitType = (typeof TYPES)[number];

/** The first line is shown in lists that cut it. */
export const MAX_SUBJECT = 72;

/** A message, in parts. */
export interface Message {
  readonly type: CommitType;
  readonly scope?: string;
  readonly subject: string;
  readonly body?: string;
  /** What breaks for users, in a sentence. */
  readonly breaking?: string;
  /** The entry for the changelog, if users notice the change. */
  readonly changelog?: string;
}

/** A commit that is proposed. */
export interface Proposal {
  readonly message: Message;
  readonly files: readonly string[];
}

/** The first line. */
export function titleOf({ type, scope, subject, breaking }: Message): string {
  return `${type}${scope === undefined ? '' : `(${scope})`}${breaking === undefined ? '' : '!'}: ${subject}`;
}

/** The whole text, as git gets it. */
export function textOf(message: Message): string {
  const { body, breaking } = message;
  const parts = [titleOf(message), body && wrapped(body), breaking && wrapped(`BREAKING CHANGE: ${breaking}`)];
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`;
}

/** Lines of at most 72 characters; lists and blank lines stay as they are. */
function wrapped(text: string): string {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      if (line.length <= 72) return [line.trimEnd()];
      const indent = /^(\s*(?:[-*] )?)/.exec(line)?.[1] ?? '';
      const rows: string[] = [];
      let row = indent;
      for (const word of line.slice(indent.length).split(/\s+/)) {
        if (row.trim() !== '' && row.trim() !== '-' && row.trim() !== '*' && row.length + word.length + 1 > 72) {
          rows.push(row.trimEnd());
          row = ' '.repeat(indent.length);
        }
        row += row.length === 0 || row.endsWith(' ') ? word : ` ${word}`;
      }
      return [...rows, row.trimEnd()];
    })
    .join('\n');
}
