import { join } from 'node:path';
import { explainFailures, scopeOf, textResult, type Tool, type ToolResult } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { SmallToolsHost } from '../host.ts';
import { renderPrompt } from '@tenon/prompts';
import text from '../prompts/recipe.md';
import { isOnPath } from '../runners/project-files.ts';
import { detectRunners, type Recipe, resolveRecipe, taskList } from '../recipe/recipes.ts';

/** The tool that runs a project's tasks. The command goes through `bash`, with its gate, its sandbox and its limits. */
export function createTool(host: SmallToolsHost): Tool {
  return explainFailures({
    description: renderPrompt(text),
    parameters: Type.Object(
      { op: Type.Optional(Type.String({ description: 'Task and arguments, e.g. build --release' })) },
      { additionalProperties: false },
    ),
    // What a task does is judged when `bash` is called with its command.
    touches: (_input, call) => ({ reads: [scopeOf(call, host.folders).cwd] }),
    async execute(input, call) {
      const { cwd } = scopeOf(call, host.folders);
      const op = String(input['op'] ?? '');
      const { runners, notes } = await detectRunners(host.taskRunners, cwd, { signal: call.signal, log: host.log });
      if (runners.length === 0 && notes.length === 0) throw errors.create('SMALL_TOOLS_NO_TASKS', { folder: cwd });
      if (op.trim() === '') {
        const listed = runners.map(({ id, tasks }) => ({ id, tasks }));
        return textResult([taskList(runners), ...notes].filter(Boolean).join('\n'), { runners: listed });
      }
      const recipe = resolveRecipe(op, runners);
      const result = await host.runner.run('bash', commandOf(recipe, cwd), {
        signal: call.signal,
        callId: `${call.id}:bash`,
        onUpdate: (partial) => call.update(partial),
        ...(call.scope && { scope: call.scope }),
      });
      return described(result, recipe);
    },
  });
}

function commandOf({ command, task }: Recipe, cwd: string): Record<string, string> {
  return { command, ...(task.cwd !== undefined && { cwd: join(cwd, task.cwd) }) };
}

/** The result of `bash`, with what was run. A program that is missing is named, because shells do not say how to get it. */
async function described(result: ToolResult, { runner, task, command }: Recipe): Promise<ToolResult> {
  const { program } = runner;
  const isMissing = result.isError === true && program !== undefined && !(await isOnPath(program));
  const note = { type: 'text' as const, text: `[${program} is not installed, or not on the PATH.]` };
  const recipe = { runner: runner.id, task: task.name, command, ...(task.cwd !== undefined && { cwd: task.cwd }) };
  return {
    ...result,
    content: isMissing ? [...result.content, note] : result.content,
    details: { ...(result.details as object | undefined), recipe },
  };
}
