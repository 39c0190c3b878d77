/** Tools that call other tools with `ctx.executeTool`: every such call goes the way of a call of the model. */
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { inlineCandidate } from '@tenon/kernel/testing';
import { toolCall } from '@tenon/tools/api';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, world, type World, type WorldOptions } from './support/world.ts';

let current: World | undefined;
beforeAll(() => useBuiltHost('pi-compat'), 60_000);
afterEach(async () => {
  await current?.end();
  current = undefined;
});
const open = async (...args: Parameters<typeof world>) => (current = await world(...args));

/** An extension with a tool that runs `body`; what it gives is the text of the tool, as JSON. */
const caller = (body: string, more = '') => `
  export default (pi) => {
    pi.registerTool({ name: 'outer', description: 'calls others', parameters: { type: 'object' },
      execute: async (id, params, signal, update, ctx) => JSON.stringify(await (async () => { ${body} })()) });
    ${more}
  };`;
const call = [{ calls: [{ name: 'outer' }] }, { text: 'done' }];
const echo: WorldOptions = {
  tools: {
    echo: async (input) => ({ content: [{ type: 'text', text: `echo ${JSON.stringify(input)}` }], details: { n: 1 } }),
  },
};
const said = (seen: World) => JSON.parse(toolTexts(seen).at(-1) ?? 'null') as unknown;

describe('a tool that calls another one', () => {
  test('gets its result, and the call has an id below its own', async () => {
    const seen = await open({ a: caller(`return ctx.executeTool('echo', { a: 1 });`) }, call, echo);
    await seen.agent.prompt('go');
    expect(said(seen)).toMatchObject({
      toolCall: { type: 'toolCall', id: 'call-0/1', name: 'echo', arguments: { a: 1 } },
      result: { content: [{ type: 'text', text: 'echo {"a":1}' }], details: { n: 1 } },
      isError: false,
    });
    // It is no part of the conversation: that has a prompt, a call and its result.
    expect(seen.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult']);
  });

  test('hears a failure, a refusal and an unknown tool as results that are errors', async () => {
    const seen = await open(
      {
        a: caller(
          `return Promise.all(['broken', 'echo', 'nothing'].map(async (name) => { const { isError, result } = await ctx.executeTool(name, {}); return [isError, result.content[0].text]; }));`,
        ),
      },
      call,
      {
        tools: {
          ...echo.tools,
          broken: async () => {
            throw new Error('it broke');
          },
        },
      },
    );
    seen.kernel.install(
      inlineCandidate(
        {
          id: 'guard',
          activate: (ctx) => void ctx.on(toolCall, ({ tool }) => (tool === 'echo' ? { deny: 'not today' } : undefined)),
        },
        { handles: ['tool.call'] },
      ),
    );
    await seen.agent.prompt('go');
    const [broken, refused, unknown] = said(seen) as [boolean, string][];
    expect(broken).toEqual([true, expect.stringContaining('it broke')]);
    expect(refused).toEqual([true, expect.stringContaining('not today')]);
    expect(unknown).toEqual([true, 'There is no tool "nothing" that this session may use.']);
  });

  test('is judged by other extensions, which learn who made the call and may change its input', async () => {
    const seen = await open(
      {
        a: caller(`return (await ctx.executeTool('echo', { path: '/etc' })).result.content[0].text;`),
        judge: `
          export default (pi) => {
            for (const name of ['tool_call', 'tool_result', 'tool_execution_start', 'tool_execution_end'])
              pi.on(name, (event, ctx) => {
                if (event.toolName !== 'echo') return;
                ctx.ui.notify([name, event.toolCallId, event.parentToolCallId].join(' '));
                if (name === 'tool_call') event.input.path = '/tmp';
              });
          };`,
      },
      call,
      echo,
    );
    await seen.agent.prompt('go');
    expect(said(seen)).toBe('echo {"path":"/tmp"}');
    await until(() => seen.notices.length === 4, 'the events');
    expect([...seen.notices].sort()).toEqual([
      'tool_call call-0/1 call-0',
      'tool_execution_end call-0/1 call-0',
      'tool_execution_start call-0/1 call-0',
      'tool_result call-0/1 call-0',
    ]);
  });

  test('reaches only what the model may use, and its own tools', async () => {
    const own = `pi.registerTool({ name: 'hidden', hidden: true, description: 'x', parameters: { type: 'object' }, execute: async () => 'own' });`;
    const body = `
      const names = ctx.tools.map(({ name }) => name);
      const text = async (name) => (await ctx.executeTool(name, {})).result.content[0].text;
      return { names, echo: await text('echo'), hidden: await text('hidden') };`;
    const seen = await open({ a: caller(body, own) }, call, { ...echo, named: ['outer'] });
    await seen.agent.prompt('go');
    expect(said(seen)).toEqual({
      names: expect.arrayContaining(['outer', 'hidden']),
      echo: 'There is no tool "echo" that this session may use.',
      hidden: 'own',
    });
    expect((said(seen) as { names: string[] }).names).not.toContain('echo');
  });

  test('that calls itself for ever is stopped', async () => {
    const seen = await open(
      {
        a: caller(
          `const { isError, result } = await ctx.executeTool('outer', {}); return isError ? result.content[0].text : JSON.parse(result.content[0].text);`,
        ),
      },
      call,
    );
    await seen.agent.prompt('go');
    expect(said(seen)).toContain('called each other too many times');
  });

  test('gets what the other one shows while it works, and takes it along when it is stopped', async () => {
    let wasStopped: unknown;
    const seen = await open(
      {
        a: caller(
          `const parts = []; const stop = new AbortController(); const { isError, result } = await ctx.executeTool('slow', {}, { signal: stop.signal, onUpdate: ({ content }) => { parts.push(content[0].text); stop.abort(); } }); return [isError, result.content[0].text, parts];`,
        ),
      },
      call,
      {
        tools: {
          slow: (_input, { signal, update }) =>
            new Promise((_resolve, reject) => {
              void update({ content: [{ type: 'text', text: 'half' }] });
              signal.addEventListener('abort', () => {
                wasStopped = signal.reason;
                reject(signal.reason as Error);
              });
            }),
        },
      },
    );
    await seen.agent.prompt('go');
    expect(said(seen)).toEqual([true, 'The call was stopped.', ['half']]);
    expect(wasStopped).toBeDefined();
  });

  test('leaves nothing running behind when it ends first, and cannot call anything afterwards', async () => {
    let isStopped = false;
    const seen = await open(
      {
        a: caller(
          `globalThis.left = ctx; void ctx.executeTool('slow', {}); await new Promise((done) => setTimeout(done, 200)); return 1;`,
          `pi.registerCommand('late', { handler: async (words, ctx) => ctx.ui.notify(await globalThis.left.executeTool('echo', {}).then(() => 'called', (fault) => fault.message)) });`,
        ),
      },
      call,
      {
        tools: {
          ...echo.tools,
          slow: (_input, { signal }) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                isStopped = true;
                reject(signal.reason as Error);
              }),
            ),
        },
      },
    );
    await seen.agent.prompt('go');
    await until(() => isStopped, 'the end of the call');
    await seen.command('late');
    expect(seen.notices).toEqual(['ctx.executeTool() works only while the tool runs that calls it.']);
  });
});
