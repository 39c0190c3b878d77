import { sessionShutdown, sessionSwitch, userPython } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { toolRunner, tools } from '@tenon/tools/api';
import type { CellRunner } from './cell-runner.ts';
import { errors } from './errors.ts';
import { createEvalTool } from './eval-tool.ts';
import type { EvalToolsSettings } from './generated/settings.ts';

/** Whoever wants to carry out the user's code in another way comes before. */
const LAST = -100;

/** The tool that runs cells of code in kernels that stay, and the user's own Python in the same kernels. */
export default definePlugin({
  id: 'eval-tools',
  config: Type.Unsafe<EvalToolsSettings>({}),
  needs: { folders, toolRunner },
  activate(ctx) {
    const { config, log } = ctx;
    const { folders: places, toolRunner: runner } = ctx.needs;
    // The end of every session starts this plugin, and most sessions have had no cell: what runs cells is loaded with the first one.
    let made: Promise<CellRunner> | undefined;
    const cells = (): Promise<CellRunner> => {
      if (ctx.signal.aborted) throw errors.create('EVAL_CLOSED', { reason: 'the plugin is being unloaded' });
      const load = async () => (await import('./cell-runner.ts')).createCellRunner;
      made ??= load().then((create) => create({ kernel: ctx, config, folders: places, runner, log }));
      return made;
    };
    ctx.defer(async () => (await made)?.close());
    ctx.contribute(
      tools,
      'eval',
      createEvalTool(config, places, async (input, call) => (await cells()).runCall(input, call)),
    );
    ctx.on(sessionShutdown, async ({ session }) => (await made)?.endSession(session));
    ctx.on(sessionSwitch, async ({ previous }) => (await made)?.endSession(previous));
    ctx.on(userPython, async (command) => ({ result: await (await cells()).runForUser(command) }), { priority: LAST });
  },
});
