import { builtIn } from '@tenon/test-kit/plugins';
import { createKernel, type PluginContext, Type } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { describe, expect, it } from 'vitest';
import { toolCall, type ToolCallEvent, toolInput, toolResult, toolRunner, tools } from '../src/api.ts';

async function start(handler: (event: ToolCallEvent) => ToolCallEvent | undefined) {
  const executed: unknown[] = [];
  const judged: unknown[] = [];
  const finished: unknown[] = [];
  const sample = inlineCandidate(
    {
      id: 'sample',
      activate(given) {
        const ctx = given as PluginContext;
        ctx.contribute(tools, 'greet', {
          description: 'Greets',
          parameters: Type.Object({ name: Type.String() }, { additionalProperties: false }),
          execute: (input) => (executed.push(input), Promise.resolve({ content: [] })),
        });
        ctx.on(toolInput, handler);
        ctx.on(toolCall, ({ tool, input }) => void judged.push([tool, input]));
        ctx.on(toolResult, ({ input }) => void finished.push(input));
      },
    },
    {
      contributes: { tools: { greet: { summary: 'Greets', risk: 'read' } } },
      handles: ['tool.input', 'tool.call', 'tool.result'],
    },
  );
  const kernel = createKernel();
  kernel.install(await builtIn('tools'), sample);
  const result = await (await kernel.find(toolRunner)).run('greet', { name: 'Ada' });
  return { result, executed, judged, finished };
}

describe('tool.input', () => {
  it('changes what is judged, what runs, and what is told about it', async () => {
    const { executed, judged, finished } = await start((event) => ({ ...event, input: { name: 'Grace' } }));
    expect(judged).toEqual([['greet', { name: 'Grace' }]]);
    expect(executed).toEqual([{ name: 'Grace' }]);
    expect(finished).toEqual([{ name: 'Grace' }]);
  });

  it('cannot make a call look like another one', async () => {
    const { judged } = await start((event) => ({ ...event, tool: 'harmless', input: { name: 'Grace' } }));
    expect(judged).toEqual([['greet', { name: 'Grace' }]]);
  });

  it('must give what the tool accepts', async () => {
    const { result, executed } = await start((event) => ({ ...event, input: { nickname: 7 } }));
    expect(executed).toEqual([]);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('A plugin has changed the input of the call');
  });

  it('refuses the call when a handler fails', async () => {
    const { result, executed } = await start(() => {
      throw new Error('cannot make it safe');
    });
    expect(executed).toEqual([]);
    expect(JSON.stringify(result.content)).toContain('cannot make it safe');
  });
});
