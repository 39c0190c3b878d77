/** What a model reads of a call. */
import type { SinkSummary, ToolContent, ToolResult, Truncation } from '@tenon/tools/api';
import { byteText } from '@tenon/wording';
import type { CallRecord, CellRecord } from './cell-record.ts';
import type { CellEnd } from './kernels/kernel-process.ts';

/** For a call that broke off in the middle. */
export const ABORT_WARNING =
  '[The call was broken off (*** Abort): the cells before it ran and what they left is there; the last one did not run.]';

/** How programs complain about what a sandbox keeps from them. */
const COMPLAINTS =
  /read-only file system|permission denied|operation not permitted|\bE(?:ROFS|ACCES|PERM|NETUNREACH|AI_AGAIN|NOTFOUND|CONNREFUSED)\b|network is unreachable|name resolution|name or service not known|connection refused/i;

/** What can be done about it. */
const OPENINGS =
  'Cells cannot leave it. Do this part with the tool bash, which can ask the user. A person can also open it to all programs: ' +
  '`tenon config set sandbox.writable \'["FOLDER"]\'` or `tenon config set sandbox.network.allow \'["HOST"]\'`.';

/** What to say about a cell that did not end well. */
export function failureText(record: CellRecord, total: number, end: CellEnd, timeoutMs: number): string {
  const which = total > 1 ? `Cell ${record.index + 1} of ${total}` : 'The cell';
  const name = record.title === undefined ? which : `${which} ("${record.title}")`;
  const rest = record.index + 1 < total ? ' Later cells were not run; what earlier ones left is kept.' : '';
  const kernel = end.isKernelAlive
    ? ' The kernel and its variables are kept.'
    : ` The kernel has ended (${end.reason ?? 'for an unknown reason'}); the next cell gets a new one without earlier variables.`;
  switch (end.status) {
    case 'timed-out':
      return `${name} timed out after ${timeoutMs / 1000} seconds.${kernel}${rest} Give more time in its header (t:120s), or do less at once.`;
    case 'cancelled':
      return `${name} was cancelled.${kernel}${rest}`;
    case 'kernel-ended':
      return `${name} ended its kernel.${kernel}${rest}`;
    default: {
      const fault = end.fault ? ` with ${end.fault.name}` : '';
      return `${name} failed${fault}.${rest}`;
    }
  }
}

/** The result of a call. */
export function present(record: CallRecord, summary: SinkSummary, failure: string | undefined): ToolResult {
  const { text, note, truncation } = shownPart(summary);
  const hasRich = record.images.length + record.jsonOutputs.length > 0;
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(record.picturesLeftOut > 0 ? [`[${record.picturesLeftOut} more pictures were left out.]`] : []),
    ...record.notices,
    ...(failure === undefined ? [] : [failure]),
    ...(failure !== undefined && record.sandbox?.startsWith('Sandbox') && COMPLAINTS.test(text)
      ? [`[${record.sandbox} ${OPENINGS}]`]
      : []),
  ];
  const body = text.trim() === '' ? (hasRich ? '(no text output)' : '(no output)') : text.replace(/\n+$/, '');
  const content: ToolContent[] = [
    { type: 'text', text: [body, ...notes].join('\n\n') },
    ...record.images.map(({ data, mimeType }) => ({ type: 'image' as const, data, mimeType })),
  ];
  const isError = failure !== undefined;
  const details = { ...record.details(), ...(truncation && { meta: { truncation } }), ...(isError && { isError }) };
  return { content, details, ...(isError && { isError }) };
}

function shownPart({ tail, isTruncated, totalLines, totalBytes, file, isFileCut, fileProblem }: SinkSummary) {
  if (!isTruncated) return { text: tail };
  const shown = tail.replace(/\n$/, '').split('\n').length;
  const start = Math.max(1, totalLines - shown + 1);
  const where = file ? ` Full: ${file.id === undefined ? file.path : `artifact://${file.id}`}` : '';
  const problem = fileProblem === undefined ? '' : ` The full output was not kept: ${fileProblem}`;
  const cut = isFileCut ? ' The file ends early.' : '';
  const truncation: Truncation = {
    direction: 'tail',
    truncatedBy: 'bytes',
    totalLines,
    totalBytes,
    shownRange: { start, end: totalLines },
    ...(file?.id !== undefined && { artifactId: file.id }),
  };
  return {
    text: tail,
    note: `[Showing lines ${start}-${totalLines} of ${totalLines} (${byteText(totalBytes)} in all).${where}${cut}${problem}]`,
    truncation,
  };
}
