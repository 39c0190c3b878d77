/** The card of `task`: one row for each subagent, with what it does now and what it has used. */
import { counted, countText, cutText } from '@tenon/wording';
import type { CardStyle, ToolView } from '@tenon/screen-slots/api';
import {
  detailsOf,
  fieldsOf,
  type Fields,
  isFailure,
  listOf,
  numberOf,
  resultText,
  textOf,
  textsOf,
} from './fields.ts';
import { elapsedText, entryRow, type FoldedBody, type FoldingRenderer, oneLine, textRows, titleOf } from './rows.ts';

/** One subagent; nothing of it is known to have its shape. */
interface Row {
  readonly id: string;
  readonly description: string;
  readonly status: string;
  readonly tool: string;
  readonly doing: string;
  readonly toolCount: number;
  readonly tokens: number;
  readonly cost: number;
  readonly durationMs: number;
  readonly error: string;
  readonly fields: Fields;
}

const MARKS: Readonly<Record<string, readonly [string, 'accent' | 'success' | 'error' | 'warning' | 'dim']>> = {
  running: ['●', 'accent'],
  completed: ['✓', 'success'],
  failed: ['✗', 'error'],
  aborted: ['✗', 'warning'],
};
/** Which rows are worth most where not all fit. */
const WORTH = ['running', 'failed', 'aborted', 'waiting', 'completed'];
const LEAST_SUBJECT = 12;
/** Less than that would be shown as nothing. */
const LEAST_COST = 0.000_05;

function rowOf(value: unknown): Row {
  const fields = fieldsOf(value);
  const text = (key: string) => oneLine(textOf(fields[key]));
  const number = (key: string) => Math.max(0, numberOf(fields[key]) ?? 0);
  return {
    id: text('id'),
    description: text('description'),
    status: text('status') || 'waiting',
    tool: text('tool'),
    doing: text('doing'),
    toolCount: number('toolCount'),
    tokens: number('tokens'),
    cost: number('cost'),
    durationMs: number('durationMs'),
    error: text('error'),
    fields,
  };
}

/** Where they stand; before the first news of them, what the model asked for. */
function rowsOf(view: ToolView): readonly Row[] {
  const known = listOf(detailsOf(view)['tasks']);
  return (known.length > 0 ? known : listOf(fieldsOf(view.input)['tasks'])).map(rowOf);
}

type Numbers = Pick<Row, 'toolCount' | 'tokens' | 'cost' | 'durationMs'>;

/** `5 calls · 1,234 tokens · $0.02 · 12s`: what is not zero. */
function numbersOf({ toolCount, tokens, cost, durationMs }: Numbers): string {
  return [
    toolCount > 0 ? `${countText(Math.round(toolCount))} ${toolCount === 1 ? 'call' : 'calls'}` : '',
    tokens > 0 ? `${countText(Math.round(tokens))} tokens` : '',
    cost >= LEAST_COST ? `$${cost.toFixed(cost < 0.1 ? 4 : 2)}` : '',
    durationMs > 0 ? elapsedText(durationMs) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function headRow(row: Row, style: CardStyle): string {
  const [mark, color] = MARKS[row.status] ?? ['·', 'dim'];
  const isBusy = row.status === 'running' && row.tool !== '';
  // News of a task come when it does something: its time would stand still in between. The card counts for all.
  const numbers = numbersOf(row.status === 'running' ? { ...row, durationMs: 0 } : row);
  const room = Math.max(LEAST_SUBJECT, style.width - row.id.length - numbers.length - 7);
  const subject = cutText(isBusy ? `${row.tool} ${row.doing}`.trim() : row.description, room);
  return entryRow(style, [
    [color, mark],
    ['bold', row.id],
    [isBusy ? 'accent' : 'muted', subject],
    ['dim', numbers === '' ? '' : `· ${numbers}`],
  ]);
}

/** What went wrong is shown also where the rest is folded. */
function troubleRows({ error, fields }: Row, style: CardStyle): string[] {
  const merge = fieldsOf(fields['merge']);
  const status = textOf(merge['status']);
  const isKept = status !== '' && status !== 'merged' && status !== 'empty';
  const reason = textOf(merge['reason']);
  const place = textOf(merge['kept']);
  const kept = `not merged (${status}${reason === '' ? '' : `: ${reason}`})${place === '' ? '' : `, kept in ${place}`}`;
  return [
    ...(error === '' ? [] : [style.theme.fg('error', `  ${error}`)]),
    ...(isKept ? [style.theme.fg('warning', `  ${oneLine(kept)}`)] : []),
  ];
}

/** What else there is to know. */
function moreRows({ status, tool, description, fields }: Row, style: CardStyle): string[] {
  const inner = { ...style, width: Math.max(1, style.width - 2) };
  const merge = fieldsOf(fields['merge']);
  const merged = textsOf(merge['files']).join(', ');
  const isMerged = merge['status'] === 'merged' && merged !== '';
  return [
    ...(status === 'running' && tool !== '' ? textRows(description, inner, 'muted') : []),
    ...textsOf(fields['warnings']).flatMap((warning) => textRows(warning, inner, 'warning')),
    ...(isMerged ? textRows(`merged: ${merged}`, inner, 'muted') : []),
    ...textRows(textOf(fields['output']), inner),
  ].map((row) => `  ${row}`);
}

function taskRows(row: Row, style: CardStyle): string[] {
  return [headRow(row, style), ...troubleRows(row, style), ...(style.isExpanded ? moreRows(row, style) : [])];
}

/** Whole tasks, as many as fit; those that still work first, all in their order. */
function foldedTasks(rows: readonly Row[], style: CardStyle, limit: number): FoldedBody {
  const drawn = rows.map((row) => taskRows(row, style));
  const all = drawn.reduce((sum, part) => sum + part.length, 0);
  if (all <= limit + 1) return { rows: drawn.flat(), hidden: 0 };
  const worth = ({ status }: Row) => (WORTH.includes(status) ? WORTH.indexOf(status) : WORTH.length);
  const chosen = new Set<number>();
  let used = 0;
  for (const { at } of rows.map((row, at) => ({ row, at })).sort((a, b) => worth(a.row) - worth(b.row))) {
    const height = drawn[at]?.length ?? 0;
    if (used + height > limit) break;
    used += height;
    chosen.add(at);
  }
  return { rows: drawn.flatMap((part, at) => (chosen.has(at) ? part : [])), hidden: all - used };
}

function stateText(rows: readonly Row[]): string {
  if (rows.length < 2) return '';
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const lost = count('failed') + count('aborted');
  const ended = `${count('completed')}/${rows.length} done`;
  return lost === 0 ? ended : `${ended}, ${lost} failed`;
}

function total(rows: readonly Row[]): string {
  const sum = (key: 'toolCount' | 'tokens' | 'cost') => rows.reduce((all, row) => all + row[key], 0);
  // The times of tasks that work side by side are no time of all.
  return rows.length < 2
    ? ''
    : numbersOf({ toolCount: sum('toolCount'), tokens: sum('tokens'), cost: sum('cost'), durationMs: 0 });
}

/** Subagents. */
export const task: FoldingRenderer = {
  foldedRows: 10,
  title(view, style) {
    const input = fieldsOf(view.input);
    const details = detailsOf(view);
    const rows = rowsOf(view);
    const job = oneLine(textOf(details['job']));
    return titleOf(
      style,
      'agent',
      oneLine(textOf(details['agent']) || textOf(input['agent'])),
      rows.length > 1 ? counted(rows.length, 'task') : undefined,
      input['isolated'] === true ? 'in copies' : undefined,
      ...(job === ''
        ? [listOf(details['tasks']).length > 0 ? stateText(rows) : undefined, total(rows)]
        : [`in the background as ${job}`]),
      oneLine(textOf(details['model'])),
    );
  },
  body: (view, style) => folded(view, style, Infinity).rows,
  folded,
};

function folded(view: ToolView, style: CardStyle, limit: number): FoldedBody {
  const isUnstarted = listOf(detailsOf(view)['tasks']).length === 0;
  // Nothing has begun: the result says why.
  const why = isUnstarted && isFailure(view) ? textRows(resultText(view), style, 'error') : [];
  if (why.length > 0) return { rows: why.slice(0, limit), hidden: Math.max(0, why.length - limit) };
  return foldedTasks(rowsOf(view), style, limit);
}
