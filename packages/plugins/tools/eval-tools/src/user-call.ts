/** Python code that the user typed: it runs in the session's own kernel, so that user and model share their variables. */
import { randomUUID } from 'node:crypto';
import type { CommandResult, LiveAgents, UserCommand } from '@tenon/agent/api';
import { TenonError } from '@tenon/kernel';
import type { ToolScope } from '@tenon/tools/api';
import type { CellLanguage } from './api.ts';
import { type CellHost, type CellOutcome, runCells } from './call-work.ts';
import { errors } from './errors.ts';

/** A person waits for it and can stop it. */
const NO_LIMIT_MS = 2_147_483_647;

/** What code of the user needs beside what cells do. */
export interface UserCallHost extends CellHost {
  readonly languages: readonly CellLanguage[];
  agents(): Promise<LiveAgents>;
}

/** Carries out Python code of the user. */
export async function runUserPython(
  host: UserCallHost,
  { session, cwd, command }: UserCommand,
  signal: AbortSignal,
): Promise<CommandResult> {
  try {
    if (!host.languages.includes('python')) throw errors.create('EVAL_LANGUAGE_OFF', { language: 'python' });
    const scope: ToolScope = { session, cwd, ...(await artifactsOf(host, session)) };
    const call = { id: `user-${randomUUID()}`, signal, scope, update: async () => undefined };
    const cells = [{ language: 'python' as const, code: command, reset: false }];
    return resultOf(await runCells(host, { call, scope, cells, notices: [], timeLimit: () => NO_LIMIT_MS }), signal);
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    // It is the answer: of a handler that fails the user would not read why.
    const output = `${[fault.message, fault.next].filter(Boolean).join(' ')}\n`;
    return { output, exitCode: 1, cancelled: false, truncated: false };
  }
}

async function artifactsOf(host: UserCallHost, id: string): Promise<Pick<ToolScope, 'artifact'>> {
  const session = (await host.agents()).get(id)?.session;
  if (!session) return {};
  return {
    async artifact(name) {
      const artifact = await session.putArtifact(name, '');
      return { id: artifact, path: (await session.artifactPath(artifact)) ?? '' };
    },
  };
}

function resultOf({ record, summary, failure }: CellOutcome, signal: AbortSignal): CommandResult {
  const exitCode = record.cells[0]?.exitCode;
  const pictures = record.images.length + record.picturesLeftOut;
  const notes = [
    ...(pictures > 0 ? [`[Pictures cannot be shown here: ${pictures} left out.]`] : []),
    ...record.notices,
    // What an exception is about stands in the output already.
    ...(failure !== undefined && exitCode === undefined ? [failure] : []),
  ];
  return {
    output: summary.tail + notes.map((note) => `${note}\n`).join(''),
    ...(exitCode !== undefined && { exitCode }),
    cancelled: signal.aborted,
    truncated: summary.isTruncated,
    ...(summary.file && { fullOutputPath: summary.file.path }),
  };
}
