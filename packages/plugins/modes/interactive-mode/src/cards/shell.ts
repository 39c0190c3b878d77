/** Cards of what runs programs: commands, tasks, cells, background jobs. */
import { byteText, counted } from '@tenon/wording';
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
import { elapsedText, entryRow, type FoldingRenderer, oneLine, textBody, textRows, titleOf } from './rows.ts';

/** How a command ended, as far as that is worth a word. */
function endOf(details: Fields): string | undefined {
  const job = fieldsOf(details['async']);
  if (textOf(job['jobId']) !== '') return `runs on as ${oneLine(textOf(job['jobId']))}`;
  if (details['outcome'] === 'timed-out') {
    const limit = numberOf(details['timeoutSeconds']);
    return limit === undefined ? 'timed out' : `timed out after ${limit}s`;
  }
  if (details['outcome'] === 'cancelled') return 'stopped';
  const code = numberOf(details['exitCode']);
  return code === undefined || code === 0 ? undefined : `exit ${code}`;
}

/** What the sandbox did, or why the gate said no. */
function refusalOf(details: Fields): string | undefined {
  const refused = fieldsOf(details['refused']);
  if (Object.keys(refused).length === 0) return undefined;
  return refused['hasRun'] === true ? 'the sandbox refused a part of it' : 'not run';
}

function cutNote(details: Fields): string | undefined {
  const truncation = fieldsOf(fieldsOf(details['meta'])['truncation']);
  const lines = numberOf(truncation['totalLines']);
  const bytes = numberOf(truncation['totalBytes']);
  if (lines === undefined) return undefined;
  return bytes === undefined ? counted(lines, 'line') : `${counted(lines, 'line')}, ${byteText(bytes)}`;
}

/** What does not fit on the title is shown below it. */
function longCommand(view: ToolView, { width }: CardStyle): string {
  const command = textOf(fieldsOf(view.input)['command']).trim();
  return command.includes('\n') || command.length > width ? command : '';
}

/** Commands. */
export const bash: FoldingRenderer = {
  title(view, style) {
    const input = fieldsOf(view.input);
    const details = detailsOf(view);
    const where = textOf(input['cwd']) === '' ? undefined : `in ${oneLine(textOf(input['cwd']))}`;
    const outside = input['unsandboxed'] === true ? 'outside of the sandbox' : undefined;
    const [first = '', ...more] = textOf(input['command']).trim().split('\n');
    const command = oneLine(more.length > 0 ? `${first} …` : first);
    return titleOf(style, '$', command, where, outside, endOf(details), refusalOf(details), cutNote(details));
  },
  ...textBody({
    text(view, style) {
      const output = resultText(view).trimEnd();
      const command = style.isExpanded || output === '' ? longCommand(view, style) : '';
      return [command, output].filter((part) => part !== '').join('\n\n');
    },
    fold: 'tail',
  }),
};

/** Tasks of the project; they run as commands. */
export const recipe: FoldingRenderer = {
  ...bash,
  title(view, style) {
    const details = detailsOf(view);
    const run = fieldsOf(details['recipe']);
    const task = oneLine(textOf(fieldsOf(view.input)['op']));
    return titleOf(
      style,
      'recipe',
      task === '' ? 'the tasks there are' : task,
      oneLine(textOf(run['command'])),
      endOf(details),
      refusalOf(details),
    );
  },
};

const CELL_HEADER = /^\*{2,}\s*Cell\b(.*)$/gim;
const STATUS: Readonly<Record<string, string>> = { pending: '·', running: '▸', complete: '✓', error: '✗' };

/** Cells of code. */
export const evalCells: FoldingRenderer = {
  fold: 'tail',
  foldedRows: 12,
  title(view, style) {
    const cells = listOf(detailsOf(view)['cells']).map(fieldsOf);
    if (cells.length > 0) {
      const languages = [...new Set(cells.map((cell) => textOf(cell['language'])))].filter(Boolean).join(', ');
      const [only] = cells;
      const title = cells.length === 1 ? textOf(only?.['title']) : '';
      return titleOf(style, 'eval', oneLine(title || counted(cells.length, 'cell')), oneLine(languages));
    }
    const headers = [...textOf(fieldsOf(view.input)['input']).matchAll(CELL_HEADER)].map(([, words = '']) => words);
    return titleOf(style, 'eval', oneLine(headers.length === 1 ? (headers[0] ?? '') : counted(headers.length, 'cell')));
  },
  body(view, style) {
    const cells = listOf(detailsOf(view)['cells']).map(fieldsOf);
    if (cells.length === 0) {
      const shown = resultText(view) === '' ? textOf(fieldsOf(view.input)['input']) : resultText(view);
      return textRows(shown, style, isFailure(view) ? 'error' : 'toolOutput');
    }
    return cells.flatMap((cell) => cellRows(cell, style));
  },
};

function cellRows(cell: Fields, style: CardStyle): string[] {
  const isBad = cell['status'] === 'error';
  const time = numberOf(cell['durationMs']);
  const title = oneLine(textOf(cell['title']) || textOf(cell['code']).trim().split('\n', 1)[0] || 'cell');
  const head = entryRow(style, [
    [isBad ? 'error' : 'muted', STATUS[textOf(cell['status'])] ?? '·'],
    ['muted', `${oneLine(textOf(cell['language']))} ${title}`.trim()],
    ['dim', time === undefined ? '' : elapsedText(time)],
  ]);
  return [
    head,
    ...(style.isExpanded ? textRows(textOf(cell['code']), style, 'mdCodeBlock') : []),
    ...textRows(textOf(cell['output']), style, isBad ? 'error' : 'toolOutput'),
  ];
}

/** Background jobs. */
export const job: FoldingRenderer = {
  foldedRows: 12,
  title(view, style) {
    const input = fieldsOf(view.input);
    const ids = (key: string) => oneLine(textsOf(input[key]).join(', '));
    if (input['list'] === true) return titleOf(style, 'job', 'list');
    if (textOf(input['output']) !== '') return titleOf(style, 'job', `output of ${oneLine(textOf(input['output']))}`);
    if (ids('cancel') !== '') return titleOf(style, 'job', `cancel ${ids('cancel')}`);
    return titleOf(style, 'job', `wait for ${ids('poll') || 'all'}`);
  },
  body(view, style) {
    const jobs = listOf(detailsOf(view)['jobs']).map(fieldsOf);
    if (jobs.length === 0) return textRows(resultText(view), style, isFailure(view) ? 'error' : 'toolOutput');
    return jobs.flatMap((entry) => jobRows(entry, style));
  },
};

function jobRows(entry: Fields, style: CardStyle): string[] {
  const status = textOf(entry['status']);
  const color = status === 'failed' ? 'error' : status === 'completed' ? 'success' : 'muted';
  const time = numberOf(entry['durationMs']);
  const head = entryRow(style, [
    ['accent', oneLine(textOf(entry['id']))],
    [color, oneLine(status)],
    ['dim', time === undefined ? '' : elapsedText(time)],
    ['muted', oneLine(textOf(entry['label']))],
  ]);
  const output = textRows(textOf(entry['errorText']) || textOf(entry['resultText']), style);
  return [head, ...(style.isExpanded ? output : output.slice(-3))];
}
