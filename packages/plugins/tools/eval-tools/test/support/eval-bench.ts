/** A workbench with cells, the real sandbox and the file tools. */
import { sessionShutdown, sessionSwitch, userPython } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { standIn } from '@tenon/test-kit/kernel';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { type ToolResult, tools } from '@tenon/tools/api';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import type { EvalDetails } from '../../src/api.ts';

/** Stands in for the plugins of the agent and of modes: the hooks that they define. */
export const agentHooks = standIn([sessionShutdown, sessionSwitch, userPython], 'agent');

/** Stands in for the plugins that define what the sandbox contributes to. */
export const slots = standIn([cliCommands, doctorChecks], 'slots');

/** Two tools for cells to call: one answers, one fails. */
const helpers = inlineCandidate(
  {
    id: 'helpers',
    activate(ctx) {
      const parameters = { type: 'object', properties: { word: { type: 'string' } }, additionalProperties: false };
      ctx.contribute(tools, 'echo', {
        description: 'Gives the word back.',
        parameters,
        execute: async (input) => ({ content: [{ type: 'text', text: `echo ${String(input['word'])}` }] }),
      });
      ctx.contribute(tools, 'fail', {
        description: 'Fails.',
        parameters,
        execute: async () => ({ content: [{ type: 'text', text: 'no such thing' }], isError: true }),
      });
      ctx.contribute(tools, 'slow', {
        description: 'Takes its time.',
        parameters,
        execute: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1500));
          return { content: [{ type: 'text', text: 'at last' }] };
        },
      });
    },
  },
  { contributes: { tools: { echo: { summary: 'Echo' }, fail: { summary: 'Fail' }, slow: { summary: 'Slow' } } } },
);

/** What tests of cells work with. */
export interface EvalBench extends Workbench {
  /** The text of cells that must succeed. */
  cells(input: string, session?: string): Promise<string>;
  call(
    input: string,
    options?: Parameters<Workbench['run']>[2],
  ): Promise<{ text: string; result: ToolResult; details: EvalDetails }>;
}

/** Opens one. The profile is `full` unless told, so that tests of cells need no sandbox. */
export async function openEvalBench(
  settings: Record<string, unknown> = {},
  files: Record<string, string> = {},
): Promise<EvalBench> {
  const bench = await openWorkbench(['eval-tools', 'sandbox', agentHooks, slots, helpers], {
    files,
    settings: { sandbox: { profile: 'full' }, ...settings },
  });
  return {
    ...bench,
    cells: (input, session) => bench.ok('eval', { input }, session),
    async call(input, options) {
      const result = await bench.run('eval', { input }, options);
      return { result, text: textOf(result), details: result.details as EvalDetails };
    },
  };
}
