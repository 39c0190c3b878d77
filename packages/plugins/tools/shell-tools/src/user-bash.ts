/** Commands that the user typed: in the shell of the session, so that user and model share folder, variables and sandbox. */
import { failedUserCommand, type LiveAgents, type UserCommand, type UserCommandResult } from '@tenon/agent/api';
import { artifactMaker } from '@tenon/sessions/api';
import type { ToolScope } from '@tenon/tools/api';
import { type Command, folderNow } from './command.ts';
import { userSandboxNotes } from './confinement.ts';
import type { BashHost } from './prepare.ts';
import { startCommand } from './start-command.ts';

/** What a command of the user needs beside what the tool needs. */
export interface UserBashHost extends BashHost {
  agents(): Promise<LiveAgents | undefined>;
}

/** Carries out a command of the user. It has no time limit: a person waits for it and can stop it. */
export async function runUserBash(
  host: UserBashHost,
  { session: id, cwd: project, command, signal }: UserCommand,
): Promise<UserCommandResult> {
  try {
    const live = (await host.agents())?.get(id)?.session;
    const scope: ToolScope = { session: id, cwd: project, ...(live && { artifact: artifactMaker(live) }) };
    return await run(host, { command, env: {}, pty: false, async: false, unsandboxed: false }, scope, signal);
  } catch (fault) {
    return failedUserCommand(fault, signal);
  }
}

async function run(
  host: UserBashHost,
  command: Command,
  scope: ToolScope,
  signal: AbortSignal,
): Promise<UserCommandResult> {
  const session = await host.pool.session(scope.session, scope.cwd);
  const lease = await session.leaseNow(signal);
  try {
    const { shell } = lease;
    const folder = await folderNow(session.folder, scope.cwd);
    const place = { text: await host.text(), shell, cwd: folder.cwd };
    const running = startCommand(
      host,
      { command, scope, session },
      place,
      async (result, { tail, isTruncated, file }) => {
        await lease.ended(result, folder);
        await host.filesMayHaveChanged();
        const { exitCode, outcome } = result;
        const failure = { command: command.command, exitCode, output: tail };
        const notes = [...lease.notes, ...folder.notes, ...userSandboxNotes(shell.confinement, failure)];
        return {
          output: tail + notes.map((note) => `${note}\n`).join(''),
          ...(exitCode !== null && { exitCode }),
          cancelled: outcome === 'cancelled',
          truncated: isTruncated,
          ...(file && { fullOutputPath: file.path }),
        };
      },
    );
    const stop = () => running.stop(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return await running.result.finally(() => signal.removeEventListener('abort', stop));
  } finally {
    lease.release();
  }
}
