/** Comments on changes, and the message that they become. */

/** A comment on a line. */
export interface Comment {
  readonly file: string;
  readonly line: number;
  /** The line as it stands in the diff. */
  readonly code: string;
  readonly text: string;
}

/** What was written about the changes of one session or run. */
export interface Review {
  readonly comments: readonly Comment[];
  /** About all of it. */
  readonly whole: string;
}

/** The message that an agent gets. */
export function reviewText({ comments, whole }: Review): string {
  const about = whole.trim() === '' ? [] : [whole.trim()];
  const parts = comments.map(({ file, line, code, text }) => `${file}:${line}\n> ${code}\n${text.trim()}`);
  const head = comments.length > 0 ? ['Comments on your changes:'] : [];
  return [...about, ...head, ...parts].join('\n\n');
}
