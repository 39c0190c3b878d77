/** Small rules of writing that messages share. */

/** A number with its noun: "1 plugin", "2 plugins", "0 entries". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A word as it has to be typed in a shell, for commands that messages offer to copy. Plain words stay as they are. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What happened and what to do next, as sentences: many a reason that somebody else gave has no full stop. */
export function inSentences(happened: string, next: string): string {
  const first = happened.trimEnd();
  if (next === '' || first === '') return `${first}${next}`;
  return `${first}${/[.!?\u2026]["')`]?$/.test(first) ? '' : '.'} ${next}`;
}
