import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { sandboxes, withheldVariables } from '@tenon/sandbox/api';
import { toolRunner, tools } from '@tenon/tools/api';
import type { CellLanguage } from './api.ts';
import { createEvalTool } from './eval-tool.ts';
import { KernelPool } from './kernels/kernel-pool.ts';
import { findPython, kernelCommand } from './kernels/languages.ts';

/** The plugin's settings. */
interface EvalToolsConfig {
  readonly languages: readonly CellLanguage[];
  readonly timeoutSeconds: number;
  readonly idleMinutes: number;
  readonly maxKernels: number;
  readonly python?: string;
}

/** The tool that runs cells of code in kernels that stay. */
export default definePlugin({
  id: 'eval-tools',
  config: Type.Unsafe<EvalToolsConfig>({}),
  needs: { folders, toolRunner },
  activate(ctx) {
    const { languages, timeoutSeconds, idleMinutes, maxKernels, python } = ctx.config;
    const { folders: places, toolRunner: runner } = ctx.needs;
    // Not among the needs: the end of every session starts this plugin, and most sessions have had no cell.
    const confining = () => ctx.find(sandboxes);
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
    ctx.defer(() => pool.close());
    const tool = createEvalTool({
      folders: places,
      pool,
      log: ctx.log,
      languages,
      timeoutSeconds,
      hasPython(cwd) {
        try {
          return findPython(cwd, python, process.env).program !== '';
        } catch {
          return false; // The reason is told when a cell asks for Python by name.
        }
      },
      runner: async () => runner,
      text: () => loadAccelerator('text'),
      syntax: () => loadAccelerator('syntax'),
      filesMayHaveChanged: async () => void (await loadAccelerator('scan')).invalidate(),
    });
    ctx.contribute(tools, 'eval', tool);
    ctx.on(sessionShutdown, ({ session }) => pool.endSession(session));
    ctx.on(sessionSwitch, ({ previous }) => pool.endSession(previous));
  },
});
