/** Runs a command for the tool and writes what came of it. */
import {
  OutputSink,
  scopeOf,
  type SinkSummary,
  spillFile,
  textResult,
  type ToolCall,
  type ToolResult,
} from '@tenon/tools/api';
import { byteText, plainText } from '@tenon/wording';
import type { KnownHost } from './api.ts';
import { errors } from './errors.ts';
import { type RemoteEnd, runCommand, systemOf, tooLate } from './remote-run.ts';
import type { SshHost, SshParts } from './ssh-tool.ts';

const MAX_BYTES = 50 * 1024;
const MAX_FILE = 64 * 1024 * 1024;
const SHOWN_BYTES = 4 * 1024;
const UPDATE_MS = 250;
/** What `ssh` gives when it is not the command that failed. */
const SSH_FAILED = 255;

/** What is run. */
interface RunOrder {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly seconds: number;
}

/** Runs a command; the end of its output is shown while it runs. */
export async function presentRun(
  host: Pick<SshHost, 'folders'>,
  { connections, systems }: SshParts,
  target: KnownHost,
  { command, cwd, seconds }: RunOrder,
  call: ToolCall,
): Promise<ToolResult> {
  const scope = scopeOf(call, host.folders);
  const sink = new OutputSink({
    maxBytes: MAX_BYTES,
    maxSpillBytes: MAX_FILE,
    spill: () => spillFile(scope, host.folders.state),
  });
  // Connecting has a limit of its own; what comes then has to do with the time of the call.
  const lease = await connections.lease(target, call.signal);
  const started = Date.now();
  const left = () => Math.max(1, seconds * 1000 - (Date.now() - started));
  let shownAt = 0;
  // Two streams come at once; the sink takes one piece after the other.
  let queue = Promise.resolve();
  const output = (text: string) =>
    (queue = queue.then(async () => {
      await sink.push(plainText(text));
      if (Date.now() - shownAt < UPDATE_MS) return;
      shownAt = Date.now();
      await call.update(textResult(plainText(sink.latest(SHOWN_BYTES))));
    }));
  const end = await systemOf(target, connections, systems, call.signal, left())
    .then((system) =>
      runCommand(target, connections, system, { command, cwd }, { signal: call.signal, timeoutMs: left(), output }),
    )
    .finally(() => lease.release());
  await queue;
  const summary = await sink.end();
  call.signal.throwIfAborted();
  const text = textOf(summary);
  if (end.why === 'timeout' && !end.hasBegun) throw tooLate(target, seconds);
  if (end.why === 'timeout') {
    const tail = text === '' ? '' : `\n\n${text}\n\n`;
    throw errors.create('SSH_TIMEOUT', { what: 'The command', host: target.name, seconds, output: tail });
  }
  if (end.code === SSH_FAILED) {
    const problem = await connections.problemOf(target);
    if (problem !== undefined) throw errors.create('SSH_LOST', { host: target.name, reason: problem });
  }
  return resultOf(target, end, text, summary, Date.now() - started);
}

function resultOf(
  target: KnownHost,
  end: RemoteEnd,
  text: string,
  summary: SinkSummary,
  durationMs: number,
): ToolResult {
  const details = {
    host: target.name,
    exitCode: end.code,
    durationMs,
    totalBytes: summary.totalBytes,
    ...(summary.isTruncated && {
      meta: {
        truncation: {
          direction: 'tail',
          truncatedBy: 'bytes',
          totalLines: summary.totalLines,
          totalBytes: summary.totalBytes,
          shownRange: { start: Math.max(1, summary.totalLines - text.split('\n').length + 1), end: summary.totalLines },
          ...(summary.file?.id !== undefined && { artifactId: summary.file.id }),
        },
      },
    }),
  };
  if (end.code === 0) return textResult(text === '' ? '(no output)' : text, details);
  const said = text === '' ? '' : `${text}\n\n`;
  return { ...textResult(`${said}Command exited with code ${end.code}`, details), isError: true };
}

/** All of the output, or its end and where the rest is. */
function textOf({ tail, isTruncated, totalLines, totalBytes, file, isFileCut, fileProblem }: SinkSummary): string {
  const text = plainText(tail).replace(/\n+$/, '');
  if (!isTruncated) return text;
  const where = file
    ? `${isFileCut ? 'The first part' : 'Everything'}: ${file.id === undefined ? file.path : `artifact://${file.id}`}`
    : `The rest is lost: ${fileProblem ?? 'there is no file for it'}`;
  return `[Only the end of ${totalLines} lines (${byteText(totalBytes)}) is shown. ${where}]\n${text}`;
}
