import type { Folders } from '@tenon/command-line/api';
import {
  byteText,
  explainFailures,
  MAX_OUTPUT_BYTES,
  scopeOf,
  textResult,
  type TruncationMeta,
} from '@tenon/file-tools/api';
import { type Logger, Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { Tool, ToolCall, ToolResult } from '@tenon/tools/api';
import type { BashDetails } from './api.ts';
import { type Command, readCommand } from './command.ts';
import { OutputSink, type SinkSummary } from './output-sink.ts';
import { prompts } from './prompts/index.ts';
import type { ShellPool } from './shell-pool.ts';
import { spillFile } from './spill-file.ts';

const MAX_SPILL_BYTES = 256 * 1024 * 1024;
const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4 * 1024;
const BACKGROUND_BYTES = 4 * 1024;
const MAX_BACKGROUND = 5;

type Shell = ReturnType<Accelerators['shell']['openSession']>;
type RunResult = Awaited<ReturnType<Shell['run']>>;

/** What the tool needs from the rest of Tenon. */
export interface BashHost {
  readonly folders: Pick<Folders, 'cwd' | 'state'>;
  readonly pool: ShellPool;
  readonly log: Logger;
  readonly timeoutSeconds: number;
  text(): Promise<Accelerators['text']>;
  /** Called after every command: it may have changed any file. */
  filesMayHaveChanged(): Promise<void>;
}

/** The tool that runs shell commands. */
export function createBashTool(host: BashHost): Tool {
  const lines = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));
  return explainFailures({
    description: prompts.bash({ timeout: host.timeoutSeconds }),
    parameters: Type.Object(
      {
        command: Type.String({ description: 'The command' }),
        // Not a Record: some model providers do not know `patternProperties`.
        env: Type.Optional(
          Type.Object({}, { additionalProperties: Type.String(), description: 'Variables for this command' }),
        ),
        timeout: Type.Optional(Type.Number({ description: `Seconds, 1 to 3600 (default ${host.timeoutSeconds})` })),
        cwd: Type.Optional(Type.String({ description: 'Folder to run in (default: the project folder)' })),
        head: lines('Show only the first lines'),
        tail: lines('Show only the last lines'),
      },
      { additionalProperties: false },
    ),
    async execute(input, call) {
      const scope = scopeOf(call, host.folders);
      const command = await readCommand(input, scope.cwd, host.timeoutSeconds);
      const sink = new OutputSink({
        maxBytes: MAX_OUTPUT_BYTES,
        maxSpillBytes: MAX_SPILL_BYTES,
        spill: () => spillFile(scope, host.folders.state),
      });
      return host.pool.use(scope.session, scope.cwd, async (shell) => {
        const text = await host.text();
        const earlier = shell.takeBackgroundOutput();
        const result = await runInto(sink, shell, command, {
          sanitizer: text.sanitizer(),
          call,
          log: host.log,
        }).catch(async (fault: unknown) => {
          await sink.end();
          throw fault;
        });
        await host.filesMayHaveChanged();
        const summary = await sink.end();
        call.signal.throwIfAborted();
        const notes = [
          ...backgroundNotes(text, earlier.bytes, shell, result),
          ...(result.shell === 'fresh'
            ? ['[The shell ended; the next command gets a new one without earlier variables.]']
            : []),
        ];
        return present(command, result, summary, notes);
      });
    },
  });
}

async function runInto(
  sink: OutputSink,
  shell: Shell,
  { command, cwd, env, timeoutSeconds }: Command,
  { sanitizer, call, log }: { sanitizer: ReturnType<Accelerators['text']['sanitizer']>; call: ToolCall; log: Logger },
): Promise<RunResult> {
  let shownAt = 0;
  let shown: Promise<void> = Promise.resolve();
  const result = await shell.run(command, {
    cwd,
    env,
    timeoutMs: timeoutSeconds * 1000,
    signal: call.signal,
    async onOutput({ bytes }) {
      await sink.push(sanitizer.push(bytes));
      const now = Date.now();
      if (now - shownAt < UPDATE_EVERY_MS) return;
      shownAt = now;
      // Not awaited here: a slow screen must not slow the command down.
      shown = shown
        .then(() => call.update(textResult(sink.latest(UPDATE_BYTES))))
        .catch((error: unknown) => log.warn('progress of a command could not be shown', { error }));
    },
  });
  await sink.push(sanitizer.end());
  await shown;
  return result;
}

function backgroundNotes(
  text: Accelerators['text'],
  earlier: Uint8Array,
  shell: Shell,
  { shell: after }: RunResult,
): string[] {
  const output = text.sanitize(earlier.subarray(-BACKGROUND_BYTES)).trim();
  // A shell that has just been replaced may still be starting, and would be listed itself.
  const running = after === 'kept' ? shell.background().slice(0, MAX_BACKGROUND) : [];
  const names = running.map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
  return [
    ...(output === '' ? [] : [`[Background processes wrote meanwhile:]\n${output}`]),
    ...(names.length === 0 ? [] : [`[Still running in the background: ${names.join('; ')}]`]),
  ];
}

function present(command: Command, result: RunResult, summary: SinkSummary, notes: readonly string[]): ToolResult {
  const { timeoutSeconds, requestedTimeoutSeconds } = command;
  const shown = choose(command, summary);
  const clamped =
    requestedTimeoutSeconds === undefined
      ? []
      : [`[Timeout set to ${timeoutSeconds}s: ${requestedTimeoutSeconds}s is out of range.]`];
  const failure = failureText(result, timeoutSeconds);
  const text = [
    shown.text === '' ? '(no output)' : shown.text,
    ...[...shown.notes, ...notes, ...clamped, ...(failure === undefined ? [] : [failure])].flatMap((note) => [
      '',
      note,
    ]),
  ].join('\n');
  const details: BashDetails = {
    exitCode: result.exitCode,
    outcome: result.outcome,
    timeoutSeconds,
    ...(requestedTimeoutSeconds !== undefined && { requestedTimeoutSeconds }),
    ...(shown.truncation && { meta: { truncation: shown.truncation } }),
  };
  return { ...textResult(text, { ...details }), ...(failure !== undefined && { isError: true }) };
}

function failureText({ outcome, exitCode }: RunResult, timeoutSeconds: number): string | undefined {
  if (outcome === 'timed-out') {
    return `Command timed out after ${timeoutSeconds} seconds. Give a longer timeout, or run it in the background (command > out.log 2>&1 &).`;
  }
  if (outcome === 'cancelled') return 'Command was cancelled.';
  if (exitCode === null) return 'Command failed: missing exit status';
  return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
}

interface Shown {
  readonly text: string;
  readonly notes: readonly string[];
  readonly truncation?: TruncationMeta;
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
  const truncation: TruncationMeta = {
    direction: head === undefined ? 'tail' : 'head',
    truncatedBy: isTruncated ? 'bytes' : 'lines',
    totalLines,
    totalBytes,
    shownRange: { start, end },
    ...(file?.id !== undefined && { artifactId: file.id }),
  };
  return { text, notes, truncation };
}
