/** What a tool was given, for people: names and values, not JSON. */
import { codeBlock, diffMarkup, isDiff, replacement } from './diff.ts';
import { firstLine } from './first-line.ts';
import { html, type Markup } from './markup.ts';

type Fields = Readonly<Record<string, unknown>>;

const BEFORE = ['oldText', 'old_text', 'old_string', 'before'];
const AFTER = ['newText', 'new_text', 'new_string', 'after'];
/** Deeper values are rare, and a page of nested lists helps nobody. */
const MAX_DEPTH = 4;

/** The text that a call replaces, under any of its usual names. */
export const beforeOf = (args: Fields): string | undefined => textAt(args, BEFORE);
/** The text that a call puts in its place. */
export const afterOf = (args: Fields): string | undefined => textAt(args, AFTER);

/** The arguments as a list of names and values. `withChange` is false where the result shows the change already. */
export function argumentsMarkup(args: Fields, { withChange = true }: { readonly withChange?: boolean } = {}): Markup {
  return fieldsMarkup(args, withChange, 0);
}

/** The argument that tells a call from its neighbours. */
export function hintOf(args: Fields): string {
  const value =
    args['path'] ?? args['command'] ?? args['pattern'] ?? args['query'] ?? args['url'] ?? Object.values(args)[0];
  // The edit tool's own notation begins with the file under this mark.
  return typeof value === 'string' ? firstLine(value).replace(/^@@ /, '') : '';
}

function fieldsMarkup(fields: Fields, withChange: boolean, depth: number): Markup {
  const [before, after] = [beforeOf(fields), afterOf(fields)];
  const isChange = before !== undefined && after !== undefined;
  const hidden = isChange ? [...BEFORE, ...AFTER] : [];
  const rows = Object.entries(fields).filter(([name]) => !hidden.includes(name));
  const list =
    rows.length > 0 &&
    html`<dl class="arguments">
      ${rows.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${valueMarkup(value, withChange, depth)}</dd>
          </div> `,
      )}
    </dl>`;
  const diff = isChange && withChange && html`<pre><code>${diffMarkup(replacement(before, after))}</code></pre>`;
  return html`${list}${diff}`;
}

function valueMarkup(value: unknown, withChange: boolean, depth: number): Markup {
  if (typeof value === 'string') {
    if (value.includes('\n') || isDiff(value)) return codeBlock(value);
    return value === '' ? html`<i>empty</i>` : html`<code>${value}</code>`;
  }
  if (typeof value !== 'object' || value === null) return html`<code>${String(value)}</code>`;
  if (depth >= MAX_DEPTH) return codeBlock(JSON.stringify(value, null, 2));
  if (!Array.isArray(value)) return fieldsMarkup(value as Fields, withChange, depth + 1);
  if (value.length === 0) return html`<i>empty</i>`;
  return html`<ul>
    ${value.map((item: unknown) => html`<li>${valueMarkup(item, withChange, depth + 1)}</li> `)}
  </ul>`;
}

function textAt(args: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => args[name]).find((value) => typeof value === 'string');
}
