/** All that runs cells, behind one door: it is loaded with the first cell. */
import { type UserCommandResult, type LiveAgents, liveAgents, type UserCommand } from '@tenon/agent/api';
import type { Folders } from '@tenon/host';
import type { KernelAccess, Logger } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { secretMasks } from '@tenon/secrets/api';
import { sandboxes, withheldVariables } from '@tenon/sandbox/api';
import type { Tool, ToolRunner } from '@tenon/tools/api';
import { KernelPool } from './kernels/kernel-pool.ts';
import { findPython, kernelCommand } from './kernels/languages.ts';
import { runModelCall } from './model-call.ts';
import { runUserPython } from './user-call.ts';
import type { EvalToolsSettings } from './generated/settings.ts';

/** Runs cells for models and for the user. */
export interface CellRunner {
  readonly runCall: Tool['execute'];
  runForUser(command: UserCommand): Promise<UserCommandResult>;
  /** Ends the kernels of a session that is over. */
  endSession(session: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes one. No kernel is started yet. */
export function createCellRunner(parts: {
  readonly kernel: Pick<KernelAccess, 'find' | 'findOptional'>;
  readonly config: EvalToolsSettings;
  readonly folders: Folders;
  readonly runner: ToolRunner;
  readonly log: Logger;
}): CellRunner {
  const { kernel, config, folders, runner, log } = parts;
  const { languages, timeoutSeconds, idleMinutes, maxKernels, python } = config;
  const confining = () => kernel.find(sandboxes);
  const pool = new KernelPool({
    maxKernels,
    idleMs: idleMinutes * 60_000,
    async obstacle({ cwd }, { confinement }) {
      const profile = await (await confining()).profileFor({ cwd });
      return profile === confinement.profile ? undefined : `the sandbox profile is now ${profile}`;
    },
    async prepare({ cwd, language }) {
      const { command, env } = kernelCommand(language, cwd, { python, env: process.env });
      const confinement = await (await confining()).wrap({ cwd });
      // Printing the environment must not put keys into the conversation, sandbox or not.
      return { command, env: { ...env, ...withheldVariables(process.env) }, cwd, confinement };
    },
  });
  const host = {
    folders,
    pool,
    log,
    languages,
    timeoutSeconds,
    hasPython(cwd: string) {
      try {
        return findPython(cwd, python, process.env).program !== '';
      } catch {
        return false; // The reason is told when a cell asks for Python by name.
      }
    },
    agents: (): Promise<LiveAgents> => kernel.find(liveAgents),
    masks: () => kernel.findOptional(secretMasks),
    runner: async () => runner,
    text: () => loadAccelerator('text'),
    syntax: () => loadAccelerator('syntax'),
    filesMayHaveChanged: async () => void (await loadAccelerator('scan')).invalidate(),
  };
  return {
    runCall: (input, call) => runModelCall(host, input, call),
    runForUser: (command) => runUserPython(host, command),
    endSession: (session) => pool.endSession(session),
    close: () => pool.close(),
  };
}
