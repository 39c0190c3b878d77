/** What the model is told about a command that has ended. */
import { type SinkSummary, textResult, type ToolResult, type Truncation } from '@tenon/tools/api';
import { byteText } from '@tenon/wording';
import type { BashDetails } from './api.ts';
import type { Command } from './command.ts';
import type { RunResult } from './open-shell.ts';

/** The most that is written to a file. */
export const MAX_SPILL_BYTES = 256 * 1024 * 1024;

/** The result of a command. */
export function present(
  command: Command,
  result: RunResult,
  summary: SinkSummary,
  notes: readonly string[],
): ToolResult {
  const { timeoutSeconds, requestedTimeoutSeconds } = command;
  const shown = choose(command, summary);
  const failure = failureText(result, timeoutSeconds);
  const rest = [...shown.notes, ...notes, ...clampNotes(command), ...(failure === undefined ? [] : [failure])];
  const text = [shown.text === '' ? '(no output)' : shown.text, ...rest.flatMap((note) => ['', note])].join('\n');
  const details: BashDetails = {
    exitCode: result.exitCode,
    outcome: result.outcome,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(requestedTimeoutSeconds !== undefined && { requestedTimeoutSeconds }),
    ...(shown.truncation && { meta: { truncation: shown.truncation } }),
  };
  return { ...textResult(text, { ...details }), ...(failure !== undefined && { isError: true }) };
}

/** The result of a command that goes on as a job. */
export function presentJob(
  command: Command,
  job: { readonly id: string; readonly label: string },
  preview: string,
  notes: readonly string[],
): ToolResult {
  const started = `Background job ${job.id} started: ${job.label}\nYou are told when it ends. The tool job shows its output, waits for it or cancels it.`;
  const parts = [...(preview.trim() === '' ? [] : [preview.trimEnd()]), ...notes, ...clampNotes(command), started];
  const details: BashDetails = { async: { state: 'running', jobId: job.id, type: 'bash' } };
  return textResult(parts.join('\n\n'), { ...details });
}

function clampNotes({ timeoutSeconds, requestedTimeoutSeconds }: Command): string[] {
  if (requestedTimeoutSeconds === undefined) return [];
  return [`[Timeout set to ${timeoutSeconds}s: ${requestedTimeoutSeconds}s is out of range.]`];
}

function failureText({ outcome, exitCode }: RunResult, timeoutSeconds: number | undefined): string | undefined {
  if (outcome === 'timed-out') {
    return `Command timed out after ${timeoutSeconds} seconds. Give a longer timeout, or run it as a job (async: true).`;
  }
  if (outcome === 'cancelled') return 'Command was cancelled.';
  if (exitCode === null) return 'Command failed: missing exit status';
  return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
}

interface Shown {
  readonly text: string;
  readonly notes: readonly string[];
  readonly truncation?: Truncation;
}

/** The part of the output that the model sees: what `head` and `tail` ask for, else the end. */
function choose({ head, tail }: Command, summary: SinkSummary): Shown {
  const { totalLines, totalBytes, isTruncated, file } = summary;
  const window = head === undefined ? summary.tail : summary.head;
  let lines = window.replace(/\n$/, '').split('\n');
  if (window === '') lines = [];
  let start = head === undefined ? Math.max(1, totalLines - lines.length + 1) : 1;
  if (head !== undefined) lines = lines.slice(0, head);
  if (tail !== undefined && lines.length > tail) {
    start += lines.length - tail;
    lines = lines.slice(-tail);
  }
  const text = lines.join('\n');
  if (lines.length >= totalLines && !isTruncated) return { text, notes: [] };
  const end = start + lines.length - 1;
  const limit = isTruncated ? ` (${byteText(totalBytes)} in all)` : '';
  const where = file ? ` Full: ${file.id === undefined ? file.path : `artifact://${file.id}`}` : '';
  const notes = [
    `[Showing lines ${start}-${end} of ${totalLines}${limit}.${where}]`,
    ...(summary.isFileCut ? [`[The file ends after ${byteText(MAX_SPILL_BYTES)}.]`] : []),
    ...(summary.fileProblem === undefined ? [] : [`[The full output was not kept: ${summary.fileProblem}]`]),
  ];
  const truncation: Truncation = {
    direction: head === undefined ? 'tail' : 'head',
    truncatedBy: isTruncated ? 'bytes' : 'lines',
    totalLines,
    totalBytes,
    shownRange: { start, end },
    ...(file?.id !== undefined && { artifactId: file.id }),
  };
  return { text, notes, truncation };
}
