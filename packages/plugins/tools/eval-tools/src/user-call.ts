/** Python code that the user typed: it runs in the session's own kernel, so that user and model share their variables. */
import { randomUUID } from 'node:crypto';
import { failedUserCommand, type LiveAgents, type UserCommand, type UserCommandResult } from '@tenon/agent/api';
import { artifactMaker } from '@tenon/sessions/api';
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
  { session, cwd, command, signal }: UserCommand,
): Promise<UserCommandResult> {
  try {
    if (!host.languages.includes('python')) throw errors.create('EVAL_LANGUAGE_OFF', { language: 'python' });
    const live = (await host.agents()).get(session)?.session;
    const scope: ToolScope = { session, cwd, ...(live && { artifact: artifactMaker(live) }) };
    const call = { id: `user-${randomUUID()}`, signal, scope, update: async () => undefined };
    const cells = [{ language: 'python' as const, code: command, reset: false }];
    return resultOf(await runCells(host, { call, scope, cells, notices: [], timeLimit: () => NO_LIMIT_MS }), signal);
  } catch (fault) {
    return failedUserCommand(fault, signal);
  }
}

function resultOf({ record, summary, failure }: CellOutcome, signal: AbortSignal): UserCommandResult {
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
