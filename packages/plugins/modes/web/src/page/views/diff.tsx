/** A unified diff, line by line. */
import type { VNode } from 'preact';

const MAX_LINES = 2_000;

/** Whether a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) && /^--- /m.test(text);
}

/** A diff. */
export function Diff({ text }: { readonly text: string }): VNode {
  // What stands before the names of the files repeats them.
  const lines = text
    .replaceAll(/^(?:Index: .*|=+)\n/gm, '')
    .trimEnd()
    .split('\n');
  return (
    <pre class="diff" tabIndex={0} aria-label="Changes">
      {lines.slice(0, MAX_LINES).map((line) => (
        <span class={kindOf(line)}>{`${line}\n`}</span>
      ))}
      {lines.length > MAX_LINES && `… ${lines.length - MAX_LINES} more lines`}
    </pre>
  );
}

function kindOf(line: string): string {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return 'diff-file';
  if (line.startsWith('@@')) return 'diff-place';
  if (line.startsWith('+')) return 'diff-added';
  return line.startsWith('-') ? 'diff-removed' : 'diff-same';
}
