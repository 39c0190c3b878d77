import { folders } from '@tenon/host';
import { definePlugin } from '@tenon/kernel';
import { toolRunner, tools } from '@tenon/tools/api';
import { taskRunners } from './api.ts';
import { createCalcTool } from './calc/calc-tool.ts';
import { createMermaidTool } from './mermaid/mermaid-tool.ts';
import { createRecipeTool } from './recipe/recipe-tool.ts';
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
  activate(ctx) {
    ctx.contribute(taskRunners, 'just', justRunner);
    ctx.contribute(taskRunners, 'pkg', packageRunner);
    ctx.contribute(taskRunners, 'cargo', cargoRunner);
    ctx.contribute(taskRunners, 'make', makeRunner);
    ctx.contribute(taskRunners, 'task', taskfileRunner);
    ctx.contribute(tools, 'calc', createCalcTool());
    ctx.contribute(tools, 'render_mermaid', createMermaidTool());
    ctx.contribute(
      tools,
      'recipe',
      createRecipeTool({
        registry: ctx.read(taskRunners),
        runner: ctx.needs.runner,
        folders: ctx.needs.folders,
        log: ctx.log,
      }),
    );
  },
});
