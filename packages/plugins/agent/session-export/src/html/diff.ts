import { html, type Markup } from './markup.ts';

/** Whether a text is a unified diff, or has one in it. */
export function isDiff(text: string): boolean {
  if (/^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File)/m.test(text)) return true;
  return /^@@ .*@@/m.test(text) || (/^--- \S/m.test(text) && /^\+\+\+ \S/m.test(text));
}

/** A block of text as it is; a diff gets its colours. */
export function codeBlock(text: string): Markup {
  return html`<pre><code>${isDiff(text) ? diffMarkup(text) : text}</code></pre>`;
}

/** A diff with a class on every line, so that it can be coloured. */
export function diffMarkup(text: string): Markup {
  const lines = text.replace(/\n$/, '').split('\n');
  return html`<span class="diff"
    >${lines.map((line) => html`<span class="${kindOf(line)}">${`${line}\n`}</span>`)}</span
  >`;
}

/** What was there and what replaces it, as a diff. */
export function replacement(before: string, after: string): string {
  const mark = (text: string, sign: string) =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => sign + line);
  return [...mark(before, '-'), ...mark(after, '+')].join('\n');
}

function kindOf(line: string): string {
  if (/^(---|\+\+\+|\*\*\*) /.test(line)) return 'meta';
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
