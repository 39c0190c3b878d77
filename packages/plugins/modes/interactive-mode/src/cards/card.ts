/** The card around a call: mark, title, folded body. */
import type { Theme } from '@tenon/components';
import { messageOf } from '@tenon/kernel';
import { counted } from '@tenon/wording';
import type { CardStyle, ToolRenderer, ToolView } from '@tenon/screen-slots/api';
import { elapsedText, type FoldedBody, type FoldingRenderer, oneLine } from './rows.ts';

/** What is around a card. */
export interface CardFrame {
  /** Stands before the title; one column. The host draws a spinner with it; without it, the mark of the state. */
  readonly mark?: string;
  /** How long the call has run; shown when it is long. */
  readonly elapsedMs?: number;
  /** How many rows an expanded body has at most; 2,000 unless given. */
  readonly mostRows?: number;
  /** The key that shows all rows, as it is shown; `ctrl+o` unless given. */
  readonly expandKey?: string;
}

const INDENT = '  ';
const FOLDED_ROWS = 8;
/** More than that nobody reads on a screen; drawing a megabyte takes half a second. */
const MOST_ROWS = 2000;
const LONG_CALL_MS = 2000;
const RUNNING = '●';

/** The rows of a call. `style.width` is the width of the whole card; the renderer gets what the body has. */
export function renderCard(view: ToolView, renderer: ToolRenderer, style: CardStyle, frame: CardFrame = {}): string[] {
  const { theme, isExpanded, cwd } = style;
  const width = Math.max(1, style.width - INDENT.length);
  const inner: CardStyle = {
    theme,
    isExpanded,
    cwd,
    width,
    wrap: (text, columns = width) => style.wrap(text, columns),
    plain: (text) => style.plain(text),
  };
  const rows = bodyRows(view, renderer, inner, frame);
  return [titleRow(view, renderer, inner, frame), ...rows.map((row) => `${INDENT}${row}`)].map((row) =>
    fit(row, style.width, style),
  );
}

/** The mark of a state; `running` is what the host draws for a call that runs. */
export function stateMark(state: ToolView['state'], theme: Theme, running: string): string {
  if (state === 'done') return theme.fg('success', '✓');
  if (state === 'failed') return theme.fg('error', '✗');
  if (state === 'waiting') return theme.fg('warning', '?');
  return state === 'running' ? theme.fg('accent', running) : theme.fg('dim', '·');
}

function titleRow(view: ToolView, renderer: ToolRenderer, style: CardStyle, frame: CardFrame): string {
  const { mark = stateMark(view.state, style.theme, RUNNING), elapsedMs = 0 } = frame;
  const time = elapsedMs >= LONG_CALL_MS ? ` ${elapsedText(elapsedMs)}` : '';
  const title = guarded(() => renderer.title(view, style)) ?? oneLine(view.name);
  return `${mark} ${fit(title, style.width - time.length, style)}${style.theme.fg('dim', time)}`;
}

function bodyRows(view: ToolView, renderer: FoldingRenderer, style: CardStyle, frame: CardFrame): readonly string[] {
  const from = renderer.fold ?? 'head';
  const wanted = style.isExpanded ? (frame.mostRows ?? MOST_ROWS) : (renderer.foldedRows ?? FOLDED_ROWS);
  const limit = Math.max(1, Math.floor(wanted));
  let body: FoldedBody;
  try {
    body = renderer.folded?.(view, style, limit) ?? fold(renderer.body?.(view, style) ?? [], limit, from);
  } catch (fault) {
    // A renderer may be a pack's; the call must still be shown.
    const name = oneLine(view.name);
    return [style.theme.fg('warning', oneLine(`The card of ${name} cannot be drawn: ${messageOf(fault)}`))];
  }
  if (body.hidden === 0) return body.rows;
  const what = from === 'head' ? 'more row' : 'earlier row';
  const how = style.isExpanded ? '' : ` (${frame.expandKey ?? 'ctrl+o'} shows all)`;
  const note = style.theme.fg('dim', `… ${counted(body.hidden, what)}${how}`);
  return from === 'head' ? [...body.rows, note] : [note, ...body.rows];
}

/** One row more than the limit is shown: a note about it would take its place. */
function fold(rows: readonly string[], limit: number, from: 'head' | 'tail'): FoldedBody {
  if (rows.length <= limit + 1) return { rows, hidden: 0 };
  return { rows: from === 'head' ? rows.slice(0, limit) : rows.slice(-limit), hidden: rows.length - limit };
}

/** What it gives, or nothing when it throws. */
function guarded<T>(draw: () => T): T | undefined {
  try {
    return draw();
  } catch {
    return undefined; // The body says what is wrong, or the name of the tool has to do.
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STYLES = /\u001b\[[\d;:]*m/g;
const PLAIN = /^[ -~]*$/;

/** A row without sequences but styles, no wider than it may be. */
function fit(row: string, width: number, style: Pick<CardStyle, 'wrap'>): string {
  const bare = row.replace(STYLES, '');
  if (PLAIN.test(bare) && bare.length <= width) return row;
  if (width < 1) return '';
  // A line feed would make two rows of it, and at a blank it would be broken, not cut; the empty Braille sign is no white space.
  const flat = row.replaceAll(/[\n\t ]/g, '\u2800');
  const cut = (columns: number) => style.wrap(flat, columns);
  const [first = '', ...more] = cut(width);
  const shown = more.length === 0 ? first : width > 1 ? `${cut(width - 1)[0] ?? ''}…` : first;
  return shown.replaceAll('\u2800', ' ');
}
