/** What the agent reads when its subagents are done: every result in the order of the tasks, each bounded. */
import { MAX_OUTPUT_BYTES } from '@tenon/tools/api';
import { plainLine } from '@tenon/wording';
import { numbersOf, type TaskView } from './board.ts';

/** Room for headings and notes beside the results. */
const HEADINGS_BYTES = 4 * 1024;
const MAX_PER_TASK = 16 * 1024;

/** How much of each of so many results is shown. */
export function shareOf(count: number): number {
  return Math.min(MAX_PER_TASK, Math.floor((MAX_OUTPUT_BYTES - HEADINGS_BYTES) / Math.max(1, count)));
}

/** The end of a text, from the beginning of a line where there is one. */
export function tailOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character cut in half decodes to U+FFFD at the start; it is taken off.
  const end = bytes
    .subarray(bytes.length - maxBytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
  const line = end.indexOf('\n');
  return line === -1 || line > end.length / 2 ? end : end.slice(line + 1);
}

/** A task with its whole result. */
export interface Finished {
  readonly view: TaskView;
  readonly output: string;
}

/** The text for the agent. */
export function reportText(agent: string, finished: readonly Finished[]): string {
  const failed = finished.filter(({ view }) => view.status !== 'completed').length;
  const head = failed === 0 ? [] : [`${failed} of ${finished.length} tasks did not end well.`];
  return [...head, ...finished.map((task) => section(agent, task, shareOf(finished.length)))].join('\n\n');
}

function section(agent: string, { view, output }: Finished, maxBytes: number): string {
  const { id, status, error, warnings = [], merge } = view;
  const shown = tailOf(output.trim(), maxBytes);
  const isCut = shown.length < output.trim().length;
  return [
    `## ${id} (${plainLine(agent)}): ${status}, ${Math.round(view.durationMs / 1000)}s, ${numbersOf(view)}`,
    ...(error === undefined ? [] : [plainLine(error)]),
    ...warnings.map((warning) => `[${plainLine(warning)}.]`),
    ...(merge ? [mergeText(merge)] : []),
    ...(isCut ? [`[The end of it; \`agent://${id}\` has all.]`] : []),
    shown === '' ? '(no output)' : shown,
  ].join('\n');
}

function mergeText({ status, files, reason, kept }: NonNullable<TaskView['merge']>): string {
  const what =
    status === 'empty'
      ? 'It changed nothing'
      : status === 'merged'
        ? `Its changes are merged: ${files.join(', ')}`
        : `Its changes are not merged (${status}${reason === undefined ? '' : `: ${reason}`}): ${files.join(', ')}`;
  return `[${plainLine(what)}.${kept === undefined ? '' : ` They are kept in ${plainLine(kept)}.`}]`;
}
