import { dirname } from 'node:path';
import { type SinkSummary, spillFile, type ToolScope } from '@tenon/tools/api';
import type { Accelerators } from '@tenon/native';
import { CommandRun } from './command-run.ts';
import type { Command } from './command.ts';
import type { OpenShell, RunResult } from './open-shell.ts';
import type { BashHost } from './prepare.ts';
import type { SessionShell } from './session-shell.ts';
import { runOnTerminal } from './terminal.ts';

/** What a command is started in. */
export interface RunPlace {
  readonly text: Accelerators['text'];
  readonly shell: OpenShell;
  readonly cwd: string;
}

/** Starts a command as it is; `finish` makes the result of what came out. */
export function startCommand<T>(
  host: Pick<BashHost, 'log' | 'folders' | 'bash' | 'shell' | 'masks' | 'ui'>,
  { command, scope, session }: { readonly command: Command; readonly scope: ToolScope; readonly session: SessionShell },
  { text, shell, cwd }: RunPlace,
  finish: (result: RunResult, summary: SinkSummary) => Promise<T>,
): CommandRun<T> {
  const { env, timeoutSeconds } = command;
  const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
  const spill = () => spillFile(scope, host.folders.state);
  const masked = async (result: RunResult, summary: SinkSummary) => {
    if (summary.file) {
      session.show(dirname(summary.file.path));
      await (await host.masks?.())?.maskFile(summary.file.path);
    }
    return finish(result, summary);
  };
  return new CommandRun({ log: host.log, sanitizer: text.sanitizer(), spill, finish: masked }, async (io) => {
    if (!command.pty) {
      return shell.run(command.command, {
        cwd,
        env,
        signal: io.signal,
        onOutput: ({ bytes }) => io.output(bytes),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
    }
    const ended = await runOnTerminal(await host.shell(), shell, {
      command: command.command,
      cwd,
      env,
      timeoutMs,
      bash: host.bash,
      signal: io.signal,
      onChange: (screen) => io.screen(screen.visible()),
      attach: (await host.ui?.())?.attachTerminal,
    });
    await io.text(ended.text);
    return ended.result;
  });
}
