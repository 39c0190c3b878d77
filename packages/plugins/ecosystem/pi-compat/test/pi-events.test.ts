/** The events, calls and contexts that pi 1.5 added, and what `extension check` says about the others. */
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { until } from '@tenon/test-kit/waiting';
import { modelSources } from '@tenon/models/api';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, world, type World } from './support/world.ts';

let current: World | undefined;
beforeAll(() => useBuiltHost('pi-compat'), 60_000);
afterEach(async () => {
  await current?.end();
  current = undefined;
});
const open = async (...args: Parameters<typeof world>) => (current = await world(...args));

describe('events', () => {
  test('tell that the agent has settled, that a session has another name, and that somebody is asked', async () => {
    const { agent, notices } = await open(
      {
        watcher: `
          export default (pi) => {
            for (const name of ['agent_end', 'agent_settled', 'session_info_changed', 'ui_prompt_start', 'ui_prompt_end'])
              pi.on(name, (event, ctx) => ctx.ui.notify([name, event.name ?? event.kind ?? event.aborted ?? ''].join(' ').trim()));
          };`,
        actor: `
          export default (pi) => pi.on('before_agent_start', async (event, ctx) => {
            pi.setSessionName('parser');
            await ctx.ui.confirm('Sure?', '');
          });`,
      },
      [{ text: 'done' }],
      { ui: { canAsk: () => true, confirm: async () => true } },
    );
    await agent.prompt('go');
    await until(() => notices.includes('agent_settled false'), 'the end');
    expect(notices).toEqual([
      'session_info_changed parser',
      'ui_prompt_start confirm',
      'ui_prompt_end confirm',
      'agent_end',
      'agent_settled false',
    ]);
  });

  test('let an extension go on before the agent settles, and change a context that has the system prompt', async () => {
    const { agent, requests, session } = await open(
      {
        keen: `
          let times = 0;
          export default (pi) => {
            pi.on('agent_before_settle', (event) => times++ > 0 ? undefined : {
              continue: true,
              entries: [{ type: 'custom', customType: 'mark', data: 1 }, { type: 'custom_message', customType: 'x', content: 'also run the tests', display: true }],
            });
            pi.on('context_with_system', (event) => ({
              messages: [...event.messages, { role: 'user', content: 'first is ' + event.messages[0].role, timestamp: 1 }],
            }));
          };`,
      },
      [{ text: 'one' }, { text: 'two' }],
    );
    await agent.prompt('go');
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1]?.messages)).toContain('also run the tests');
    const last = requests[0]?.messages.at(-1);
    expect(JSON.stringify(last)).toContain('first is system');
    expect(requests[0]?.messages.some(({ role }) => (role as string) === 'system')).toBe(false);
    expect([...session.entries()].some(({ type }) => type === 'custom')).toBe(true);
  });
});

test('an extension that uses everything of pi 1.5 runs, and what has no counterpart does nothing', async () => {
  const seen = await open(
    {
      modern: `
        export default (pi) => {
          pi.registerEntryRenderer('x', () => undefined);
          pi.registerToolRenderer(() => undefined);
          pi.registerMarkdownTransformer((text) => text);
          pi.registerMcpServer('jira', { url: 'https://mcp.invalid/' });
          pi.unregisterMcpServer('jira');
          pi.registerVirtualModel({ provider: 'p', id: 'v', route: () => undefined });
          pi.unregisterVirtualModel('p', 'v');
          pi.registerProvider({ id: 'native' });
          pi.registerTool({ name: 'state', description: 'x', parameters: { type: 'object' },
            execute: async (id, params, signal, update, ctx) => JSON.stringify([pi.getMcpServers(), pi.getSettings(), ctx.thinkingLevel, ctx.scopedModels, ctx.tools.length > 0]) });
        };`,
    },
    [{ calls: [{ name: 'state' }] }, { text: 'done' }],
  );
  await seen.agent.prompt('go');
  expect(toolTexts(seen)).toEqual(['[[],{},"off",[],true]']);
  expect(seen.reports()).toEqual([]);
});

describe('on the command line', () => {
  test('a flag that an extension registered has the value that was typed, else that of the settings, else its own', async () => {
    const seen = await open(
      {
        flagged: `
          export default (pi) => {
            for (const name of ['typed', 'set', 'plain']) pi.registerFlag(name, { type: 'string', default: 'default' });
            pi.registerTool({ name: 'flags', description: 'x', parameters: { type: 'object' },
              execute: async () => ['typed', 'set', 'plain', 'foreign'].map((name) => pi.getFlag(name)).join(' ') });
          };`,
      },
      [{ calls: [{ name: 'flags' }] }, { text: 'done' }],
      {
        config: { flags: { typed: 'no', set: 'setting' } },
        flags: { extensions: [], noExtensions: false, values: { typed: 'yes', foreign: 'hidden' } },
      },
    );
    await seen.agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['yes setting default ']);
  });

  test('models of an extension are there before a session, for whoever asks for them by name', async () => {
    const { kernel, cwd } = await open({
      own: {
        trust: 'unconfined',
        code: `export default (pi) => pi.registerProvider('corp', { baseUrl: 'https://corp.invalid/v1', api: 'openai-completions', apiKey: 'k',
          models: [{ id: 'big', name: 'Big', reasoning: false, input: ['text'], cost: {}, contextWindow: 1000, maxTokens: 100 }] });`,
      },
    });
    const { models } = await import('@tenon/models/api');
    await (await kernel.read(modelSources).resolve('pi-extensions')).offer({ cwd });
    expect(kernel.read(models).get('corp/big')?.data).toMatchObject({ provider: 'corp', id: 'big' });
  });
});

test('a native addon finds the shared libraries of the system in the sandbox', async () => {
  const seen = await open(
    {
      native: `
        export default (pi) => pi.registerTool({ name: 'open', description: 'x', parameters: { type: 'object' },
          execute: async () => { try { process.dlopen({ exports: {} }, 'libresolv.so.2'); return 'loaded'; } catch (fault) { return String(fault.message); } } });`,
    },
    [{ calls: [{ name: 'open' }] }, { text: 'done' }],
  );
  await seen.agent.prompt('go');
  // A library that is no addon is opened and then turned down.
  if (process.platform === 'linux') expect(toolTexts(seen)[0]).not.toContain('cannot open shared object file');
});
