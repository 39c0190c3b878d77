import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { toolRunner, tools } from '@tenon/tools/api';
import { taskRunners } from './api.ts';
import manifest from '../package.json' with { type: 'json' };
import type { ToolModule } from './host.ts';
import { cargoRunner } from './runners/cargo.ts';
import { justRunner } from './runners/just.ts';
import { makeRunner } from './runners/make.ts';
import { packageRunner } from './runners/package-scripts.ts';
import { taskfileRunner } from './runners/taskfile.ts';

/** Small tools: arithmetic, diagrams, and the tasks of a project. */
export default definePlugin({
  id: 'small-tools',
  needs: { folders, runner: toolRunner },
  defines: [taskRunners],
  async activate(ctx) {
    ctx.contribute(taskRunners, 'just', justRunner);
    ctx.contribute(taskRunners, 'pkg', packageRunner);
    ctx.contribute(taskRunners, 'cargo', cargoRunner);
    ctx.contribute(taskRunners, 'make', makeRunner);
    ctx.contribute(taskRunners, 'task', taskfileRunner);
    const host = { ...ctx.needs, taskRunners: ctx.read(taskRunners), log: ctx.log };
    for (const name of Object.keys(manifest.tenon.contributes.tools)) {
      const { createTool } = (await import(`./tools/${name.replaceAll('_', '-')}.ts`)) as ToolModule;
      ctx.contribute(tools, name, createTool(host));
    }
  },
});
