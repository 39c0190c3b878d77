/** Extensions in a session with the real loop; each runs in a process of its own, under the sandbox. */
import { inlineCandidate } from '@tenon/kernel/testing';
import { toolInput } from '@tenon/tools/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolTexts, until, world, type World } from './support/world.ts';

let current: World | undefined;
beforeAll(() => useBuiltHost('pi-compat'), 60_000);
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const open = async (...args: Parameters<typeof world>) => (current = await world(...args));

describe('tools', () => {
  test('the model uses a tool of an extension, written with zod, and its defaults are filled in', async () => {
    const { agent, requests, ...seen } = await open(
      {
        greeter: `
          import type { ExtensionAPI } from '@oh-my-pi/pi-coding-agent';
          export default function (pi: ExtensionAPI) {
            const { z } = pi.zod;
            pi.registerTool({
              name: 'greet', label: 'Greet', description: 'Greets somebody.',
              parameters: z.object({ name: z.string().default('world'), loud: z.boolean().optional() }),
              async execute(id, params, signal, onUpdate, ctx) {
                onUpdate({ content: [{ type: 'text', text: 'one moment' }] });
                return { content: [{ type: 'text', text: 'Hello, ' + params.name + ' in ' + ctx.cwd }], details: { id } };
              },
            });
          }`,
      },
      [{ calls: [{ name: 'greet' }] }, { text: 'done' }],
    );
    await agent.prompt('greet');
    expect(requests[0]?.tools.map(({ name }) => name)).toContain('greet');
    expect(toolTexts(seen)).toEqual([`Hello, world in ${seen.cwd}`]);
    const update = seen.events.find(({ type }) => type === 'tool_execution_update');
    expect(update).toMatchObject({ partialResult: { content: [{ text: 'one moment' }] } });
  });

  test('tools can be written with TypeBox under both of its names, and as custom tools with their own order of arguments', async () => {
    const { agent, requests, ...seen } = await open(
      {
        old: `
          import { Type } from '@sinclair/typebox';
          export default (pi) => pi.registerTool({
            name: 'one', label: 'One', description: 'One.', parameters: Type.Object({ a: Type.String() }),
            execute: async (id, { a }) => ({ content: [{ type: 'text', text: 'one ' + a }] }),
          });`,
        young: `
          import { Type } from 'typebox';
          import { StringEnum } from '@mariozechner/pi-ai';
          import { defineTool } from '@earendil-works/pi-coding-agent';
          const tool = defineTool({
            name: 'two', label: 'Two', description: 'Two.', parameters: Type.Object({ b: StringEnum(['x', 'y']) }),
            execute: async (id, { b }) => ({ content: [{ type: 'text', text: 'two ' + b }] }),
          });
          export default (pi) => pi.registerTool(tool);`,
        custom: {
          kind: 'tool',
          code: `
            export default (pi) => [{
              name: 'three', label: 'Three', description: 'Three.', parameters: pi.zod.object({ c: pi.zod.number() }),
              async execute(id, params, onUpdate, ctx, signal) {
                return { content: [{ type: 'text', text: 'three ' + params.c + ' ' + (signal instanceof AbortSignal) + ' ' + typeof onUpdate }] };
              },
            }];`,
        },
      },
      [
        { calls: [{ name: 'one', arguments: { a: 'A' } }] },
        { calls: [{ name: 'two', arguments: { b: 'x' } }] },
        { calls: [{ name: 'three', arguments: { c: 3 } }] },
        { text: 'done' },
      ],
    );
    await agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['one A', 'two x', 'three 3 true function']);
    const two = requests[0]?.tools.find(({ name }) => name === 'two');
    expect(two?.parameters).toMatchObject({ properties: { b: { type: 'string', enum: ['x', 'y'] } } });
  });

  test('a tool that throws is a result with an error, and an input that the schema refuses never reaches it', async () => {
    const { agent, ...seen } = await open(
      {
        thrower: `
          export default (pi) => pi.registerTool({
            name: 'fail', label: 'Fail', description: 'Fails.', parameters: pi.zod.object({ n: pi.zod.number() }),
            execute: async () => { throw new Error('the disk is full'); },
          });`,
      },
      [
        { calls: [{ name: 'fail', arguments: { n: 1 } }] },
        { calls: [{ name: 'fail', arguments: { n: 'many' } }] },
        { text: 'done' },
      ],
    );
    await agent.prompt('go');
    const [first = '', second = ''] = toolTexts(seen);
    expect(first).toContain('the disk is full');
    expect(second).toContain('n');
    expect(second).not.toContain('the disk is full');
  });

  test('a custom tool with the name of a built-in one is refused, and an extension may replace one', async () => {
    const module = (kind: 'tool' | 'extension') => ({
      kind,
      code:
        kind === 'tool'
          ? `export default () => ({ name: 'taken', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });`
          : `export default (pi) => pi.registerTool({ name: 'open', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'replaced' }] }) });`,
    });
    const own = async () => ({ content: [{ type: 'text' as const, text: 'built in' }] });
    const { agent, ...seen } = await open(
      { custom: module('tool'), replacer: module('extension') },
      [{ calls: [{ name: 'taken' }] }, { calls: [{ name: 'open' }] }, { text: 'done' }],
      { tools: { taken: own, open: own } },
    );
    await agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['built in', 'replaced']);
    expect(seen.reports().map(({ code }) => code)).toContain('PI_COMPAT_TOOL_TAKEN');
  });

  test('tools that are registered later are offered from the next turn on, and the rest of too many can be found', async () => {
    const { agent, requests } = await open(
      {
        late: `
          export default (pi) => {
            const add = (name) => pi.registerTool({ name, description: 'x'.repeat(2000), parameters: { type: 'object' }, execute: async () => ({ content: [] }) });
            add('first');
            pi.on('agent_start', () => { add('second'); add('third'); });
          };`,
      },
      [{ text: 'one' }, { text: 'two' }],
      { config: { toolTokens: 1300 } },
    );
    await agent.prompt('one');
    await until(() => agent.state.tools.some(({ name }) => name === 'second'), 'the second tool');
    await agent.prompt('two');
    const names = requests.at(-1)?.tools.map(({ name }) => name) ?? [];
    expect(names).toContain('first');
    expect(names).toContain('second');
    expect(names).not.toContain('third');
    expect(names).toContain('search_tool_bm25');
  });
});

describe('events', () => {
  test('a handler blocks a call, and one that throws blocks it too', async () => {
    const { agent, ...seen } = await open(
      {
        guard: `
          export default (pi) => pi.on('tool_call', async (event) => {
            if (event.input.path === 'secret') return { block: true, reason: 'not that one' };
            if (event.input.path === 'odd') throw new Error('I am confused');
          });`,
      },
      [
        { calls: [{ name: 'look', arguments: { path: 'secret' } }] },
        { calls: [{ name: 'look', arguments: { path: 'odd' } }] },
        { calls: [{ name: 'look', arguments: { path: 'fine' } }] },
        { text: 'done' },
      ],
      { tools: { look: async ({ path }) => ({ content: [{ type: 'text', text: `looked at ${String(path)}` }] }) } },
    );
    await agent.prompt('go');
    const [first, second, third] = toolTexts(seen);
    expect(first).toContain('not that one');
    expect(second).toContain('I am confused');
    expect(third).toBe('looked at fine');
  });

  test('a changed input is what runs, each extension seeing what the one before made of it', async () => {
    const { agent, ...seen } = await open(
      {
        a_rewriter: `export default (pi) => pi.on('tool_call', (event) => { event.input.command = 'nice ' + event.input.command; });`,
        b_returner: `export default (pi) => pi.on('tool_call', (event) => ({ input: { ...event.input, dry: true } }));`,
        c_watcher: `
          export default (pi) => {
            pi.on('tool_call', (event) => { if (event.input.command === 'nice rm') return { block: true, reason: 'even so' }; });
            pi.on('tool_result', (event) => ({ content: [...event.content, { type: 'text', text: JSON.stringify(event.input) }] }));
          };`,
      },
      [
        { calls: [{ name: 'shell', arguments: { command: 'ls' } }] },
        { calls: [{ name: 'shell', arguments: { command: 'rm' } }] },
        { text: 'done' },
      ],
      { tools: { shell: async ({ command, dry }) => said(`ran ${String(command)} ${String(dry)}`) } },
    );
    await agent.prompt('go');
    const [first, second] = toolTexts(seen);
    expect(first).toBe('ran nice ls true\n{"command":"nice ls","dry":true}');
    expect(second).toBe('The call of "shell" was refused by pi-compat: even so (extension "c_watcher")');
  });

  test('a changed input that the tool does not take never reaches it', async () => {
    const { agent, ...seen } = await open(
      {
        adder: `
          export default (pi) => pi.registerTool({
            name: 'double', label: 'Double', description: 'Doubles.', parameters: pi.zod.object({ n: pi.zod.number() }),
            execute: async (id, { n }) => ({ content: [{ type: 'text', text: String(n * 2) }] }),
          });`,
        spoiler: `export default (pi) => pi.on('tool_call', (event) => { if (event.input.n === 1) event.input.n = 'many'; });`,
      },
      [
        { calls: [{ name: 'double', arguments: { n: 1 } }] },
        { calls: [{ name: 'double', arguments: { n: 2 } }] },
        { text: 'done' },
      ],
    );
    await agent.prompt('go');
    const [first, second] = toolTexts(seen);
    expect(first).toMatch(/A plugin has changed the input of the call\..*n: must be number/s);
    expect(second).toBe('4');
  });

  test('what another plugin makes of the input after the extensions is put to them too, and no call twice', async () => {
    const { agent, kernel, notices, ...seen } = await open(
      {
        guard: `
          export default (pi) => pi.on('tool_call', (event, ctx) => {
            ctx.ui.notify('asked about ' + event.input.path);
            if (event.input.path === 'secret') return { block: true, reason: 'not that one' };
          });`,
      },
      [
        { calls: [{ name: 'look', arguments: { path: 'link' } }] },
        { calls: [{ name: 'look', arguments: { path: 'plain' } }] },
        { text: 'done' },
      ],
      { tools: { look: async ({ path }) => said(`looked at ${String(path)}`) } },
    );
    kernel.install(
      inlineCandidate(
        {
          id: 'follower',
          activate: (ctx) =>
            void ctx.on(
              toolInput,
              (event) => (event.input['path'] === 'link' ? { ...event, input: { path: 'secret' } } : undefined),
              { priority: -100 },
            ),
        },
        { handles: ['tool.input'] },
      ),
    );
    await agent.prompt('go');
    expect(toolTexts(seen)).toEqual([expect.stringContaining('not that one'), 'looked at plain']);
    expect(notices).toEqual(['asked about link', 'asked about secret', 'asked about plain']);
  });

  test('results are changed one extension after the other, errors included', async () => {
    const { agent, ...seen } = await open(
      {
        a: `export default (pi) => pi.on('tool_result', (event) => ({ content: [{ type: 'text', text: event.content[0].text + ' a' }] }));`,
        b: {
          kind: 'hook',
          code: `export default (pi) => pi.on('tool_result', (event) => ({ content: [{ type: 'text', text: event.content[0].text + ' b ' + event.isError }], isError: false }));`,
        },
      },
      [{ calls: [{ name: 'bad' }] }, { text: 'done' }],
      { tools: { bad: async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) } },
    );
    await agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['no a b true']);
    expect(seen.events.find(({ type }) => type === 'tool_execution_end')).toMatchObject({ isError: false });
  });

  test('input, system prompt, injected messages and the context of a call can be changed', async () => {
    const { agent, requests } = await open({
      changer: `
        export default (pi) => {
          pi.on('input', (event) => event.text === 'old' ? { action: 'transform', text: 'new' } : { action: 'continue' });
          pi.on('before_agent_start', (event) => ({
            systemPrompt: event.systemPrompt + ' Speak like a pirate.',
            message: { customType: 'note', content: 'a note for ' + event.prompt, display: false },
          }));
          pi.on('context', (event) => ({ messages: [...event.messages, { role: 'user', content: 'one more', timestamp: 1 }] }));
        };`,
    });
    await agent.prompt('old');
    const [request] = requests;
    expect(request?.systemPrompt).toContain('Speak like a pirate.');
    const said = JSON.stringify(request?.messages);
    expect(said).toContain('"new"');
    expect(said).toContain('a note for new');
    expect(said).toContain('one more');
    expect(said).not.toContain('"old"');
  });

  test('an extension that has dealt with the input keeps it from the model', async () => {
    const { agent, requests, notices } = await open({
      handler: `export default (pi) => pi.on('input', (event, ctx) => { ctx.ui.notify('got ' + event.text); return { handled: true }; });`,
    });
    await agent.prompt('psst');
    await until(() => notices.includes('got psst'), 'the notice');
    expect(requests).toHaveLength(0);
  });

  test('what an extension says for the user is marked as such, and commands of extensions are no input', async () => {
    const { agent, notices, requests } = await open({
      echo: `
        export default (pi) => {
          pi.on('input', (event, ctx) => { ctx.ui.notify(event.source + ' ' + event.text); });
          pi.registerCommand('say', { handler: async (args) => pi.sendUserMessage(args) });
        };`,
    });
    await agent.prompt('hello');
    await current?.command('say again');
    await until(() => requests.length === 2, 'the second request');
    await agent.idle();
    expect(notices).toEqual(['interactive hello', 'extension again']);
  });

  test('a run is told from its beginning to its end, in order', async () => {
    const { agent, session } = await open(
      {
        watcher: `
          export default (pi) => {
            const seen = [];
            for (const name of ['session_start', 'agent_start', 'turn_start', 'message_start', 'message_update', 'message_end',
              'tool_execution_start', 'tool_execution_end', 'turn_end', 'agent_end', 'session_shutdown'])
              pi.on(name, async (event) => {
                await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
                seen.push(event.type + (event.turnIndex ?? ''));
                if (event.type === 'session_shutdown') pi.appendEntry('seen', seen);
              });
          };`,
      },
      [{ text: 'a', calls: [{ name: 'noop' }] }, { text: 'b' }],
      { tools: { noop: async () => ({ content: [] }) } },
    );
    await agent.prompt('go');
    await agent.dispose();
    const entry = [...session.entries()].find(({ type }) => type === 'custom');
    const seen = (entry as unknown as { data: string[] }).data;
    const started = seen.filter((name) => !name.startsWith('message'));
    expect(started).toEqual([
      'session_start',
      'agent_start',
      'turn_start0',
      'tool_execution_start',
      'tool_execution_end',
      'turn_end0',
      'turn_start1',
      'turn_end1',
      'agent_end',
      'session_shutdown',
    ]);
    expect(seen.filter((name) => name === 'message_end')).toHaveLength(4);
    // As in pi, the turn has begun when the prompt is told.
    expect(seen.slice(1, 5)).toEqual(['agent_start', 'turn_start0', 'message_start', 'message_end']);
  });
});

describe('what extensions do', () => {
  test('they read the session at once, also what they have just written', async () => {
    const { agent, session } = await open({
      reader: `
        export default (pi) => pi.on('agent_end', (event, ctx) => {
          pi.appendEntry('count', { entries: ctx.sessionManager.getEntries().length });
          const last = ctx.sessionManager.getLeafEntry();
          pi.setSessionName('named by ' + last.customType);
          pi.appendEntry('facts', {
            last: last.data.entries, name: pi.getSessionName(), file: ctx.sessionManager.getSessionFile(), id: ctx.sessionManager.getSessionId(),
            roles: ctx.sessionManager.getBranch().filter((entry) => entry.type === 'message').map((entry) => entry.message.role),
            model: ctx.model.id, tokens: ctx.getContextUsage().contextWindow, tools: pi.getActiveTools().length > 0, prompt: ctx.getSystemPrompt().length > 0,
            models: ctx.modelRegistry.getAvailable().map((model) => model.id), tree: ctx.sessionManager.getTree().length, hasUI: ctx.hasUI,
          });
        });`,
    });
    await agent.prompt('hello');
    await until(
      () => [...session.entries()].some((entry) => entry.type === 'custom' && entry.customType === 'facts'),
      'the entry',
    );
    const facts = [...session.entries()].find((entry) => entry.type === 'custom' && entry.customType === 'facts');
    expect(facts).toMatchObject({
      data: {
        last: 2,
        name: 'named by count',
        file: session.file,
        id: session.id,
        roles: ['user', 'assistant'],
        model: 'm',
        tokens: 10_000,
        models: ['m', 'other'],
        tree: 1,
        hasUI: false,
      },
    });
    expect(session.header.title).toBe('named by count');
  });

  test('they send messages of their own and of the user, choose model, thinking and tools', async () => {
    const { agent, requests } = await open(
      {
        actor: `
          export default (pi) => {
            pi.registerTool({ name: 'extra', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });
            pi.registerCommand('act', { description: 'acts', handler: async (args, ctx) => {
              await pi.setModel(ctx.modelRegistry.find('test', 'other'));
              pi.setThinkingLevel('high');
              pi.setActiveTools(['extra']);
              pi.sendMessage({ customType: 'mine', content: 'from ' + args, display: true }, { deliverAs: 'nextTurn' });
              pi.sendUserMessage('go on');
            } });
          };`,
      },
      [{ text: 'ok' }],
    );
    await agent.idle();
    expect(await current?.command('act me')).toEqual({ kind: 'handled' });
    await until(() => requests.length > 0, 'the request');
    await agent.idle();
    const [request] = requests;
    expect(request?.model.id).toBe('other');
    expect(request?.thinking).toBe('high');
    expect(request?.tools.map(({ name }) => name)).toEqual(['extra']);
    expect(JSON.stringify(request?.messages)).toContain('from me');
    expect(JSON.stringify(request?.messages)).toContain('go on');
  });

  test('a command that is typed finds the agent idle, and what it says for the user becomes the prompt', async () => {
    const { agent, requests, session } = await open({
      typed: `
        export default (pi) => {
          pi.registerCommand('ask', { handler: async (args, ctx) => { if (ctx.isIdle()) pi.sendUserMessage('please ' + args); } });
          pi.registerCommand('note', { handler: async (args) => pi.sendMessage({ customType: 'note', content: args, display: true }) });
          pi.registerCommand('turn', { handler: async (args) => pi.sendMessage({ customType: 'turn', content: args, display: true }, { triggerTurn: true }) });
          pi.registerCommand('fresh', { handler: async (args, ctx) => { await ctx.waitForIdle(); await ctx.newSession(); } });
        };`,
    });
    await agent.prompt('/note for later');
    expect(requests).toHaveLength(0);
    await agent.prompt('/ask help me');
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]?.messages)).toContain('for later');
    expect(JSON.stringify(requests[0]?.messages)).toContain('please help me');
    await agent.prompt('/turn around');
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1]?.messages)).toContain('around');
    await agent.prompt('/fresh');
    await until(() => agent.session !== session, 'the new session');
    expect(requests).toHaveLength(2);
  });

  test('commands begin new sessions and write what they begin with', async () => {
    const { agent, session } = await open({
      mover: `
        export default (pi) => pi.registerCommand('fresh', { handler: async (args, ctx) => {
          await ctx.waitForIdle();
          const result = await ctx.newSession({
            parentSession: ctx.sessionManager.getSessionFile(),
            setup: async (sm) => { sm.appendMessage({ role: 'user', content: [{ type: 'text', text: 'carry on' }], timestamp: 1 }); },
            withSession: async (inner) => { pi.appendEntry('moved', { to: inner.sessionManager.getSessionId() }); },
          });
          if (result.cancelled) ctx.ui.notify('cancelled');
        } });`,
    });
    await agent.idle();
    await current?.command('fresh');
    const written = () => [...agent.session.entries()].filter(({ type }) => type === 'message' || type === 'custom');
    await until(() => agent.session !== session && written().length >= 2, 'the new session');
    const [first, second] = written();
    expect(first).toMatchObject({ type: 'message', message: { content: [{ text: 'carry on' }] } });
    expect(second).toMatchObject({ type: 'custom', data: { to: agent.session.id } });
    expect(agent.session.header.parentSession).toBe(session.file);
  });

  test('a command that began a new session reads that one, and writes to it', async () => {
    const { agent, session } = await open({
      mover: `
        export default (pi) => pi.registerCommand('fresh', { handler: async (args, ctx) => {
          const before = ctx.sessionManager.getSessionId();
          await ctx.newSession({ setup: async (sm) => { sm.appendMessage({ role: 'user', content: 'carry on', timestamp: 1 }); } });
          const said = ctx.sessionManager.getBranch().flatMap(({ message }) => message?.content ?? []);
          pi.appendEntry('moved', { before, after: ctx.sessionManager.getSessionId(), said });
        } });`,
    });
    await agent.idle();
    await current?.command('fresh');
    const moved = () => [...agent.session.entries()].find(({ type }) => type === 'custom');
    await until(() => agent.session !== session && moved() !== undefined, 'the entry in the new session');
    expect(moved()).toMatchObject({ data: { before: session.id, after: agent.session.id, said: ['carry on'] } });
  });

  test('dialogs, notices and status lines reach the user interface; what draws is turned down politely', async () => {
    const asked: unknown[] = [];
    const { agent, notices, statuses } = await open(
      {
        talker: `
          export default (pi) => pi.registerCommand('talk', { handler: async (args, ctx) => {
            const choice = await ctx.ui.select('Which?', ['a', { label: 'b' }]);
            const sure = await ctx.ui.confirm('Sure?', 'Really?', { timeout: 5000 });
            const name = await ctx.ui.input('Name?', 'somebody');
            const text = await ctx.ui.editor('Text?', 'draft');
            const drawn = await ctx.ui.custom(() => ({ render: () => [] }));
            ctx.ui.setStatus('s', ctx.ui.theme.fg('accent', 'busy\\nnow'));
            ctx.ui.setWidget('w', ['line']);
            ctx.ui.notify([choice, sure, name, text, String(drawn), ctx.hasUI].join(' '), 'warning');
          } });`,
      },
      [{ text: 'x' }],
      {
        ui: {
          canAsk: () => true,
          select: async (title, options) => (asked.push([title, options]), options[1]),
          confirm: async (_title, _message, dialog) => (asked.push(dialog), true),
          input: async (_title, placeholder) => placeholder,
          editor: async (_title, prefill) => `${prefill}!`,
        },
      },
    );
    await agent.idle();
    await current?.command('talk');
    expect(notices.at(-1)).toBe('b true somebody draft! undefined true');
    expect(asked).toEqual([['Which?', ['a', 'b']], { timeoutMs: 5000 }]);
    expect([...statuses.values()]).toEqual(['busy now']);
  });

  test('a previewed change waits for `resolve`, and a model is called with the keys that Tenon keeps', async () => {
    const { agent, actions, ...seen } = await open(
      {
        previewer: {
          kind: 'tool',
          code: `
            import { complete } from '@mariozechner/pi-ai';
            export default (pi) => ({
              name: 'preview', description: 'x', parameters: pi.zod.object({}),
              async execute(id, params, onUpdate, ctx) {
                pi.pushPendingAction({ label: 'two files', sourceToolName: 'preview', apply: async (reason) => ({ content: [{ type: 'text', text: 'applied: ' + reason }] }) });
                const apiKey = await ctx.modelRegistry.getApiKey(ctx.model);
                const answer = await complete(ctx.model, { messages: [{ role: 'user', content: 'sum up', timestamp: 1 }] }, { apiKey });
                return { content: [{ type: 'text', text: apiKey + ': ' + answer.content[0].text }] };
              },
            });`,
        },
      },
      [{ calls: [{ name: 'preview' }] }, { text: 'a summary' }, { text: 'done' }],
    );
    await agent.prompt('go');
    expect(toolTexts(seen)).toEqual(['kept-by-tenon: a summary']);
    expect(actions).toHaveLength(1);
    expect(actions[0]).toMatchObject({ label: 'two files', sourceToolName: 'preview' });
    expect(await actions[0]?.apply('because')).toMatchObject({ content: [{ text: 'applied: because' }] });
  });

  test('extensions hear each other on the bus, have flags and labels, and run programs that were granted', async () => {
    const { agent, notices } = await open(
      {
        sender: {
          code: `
            export default (pi) => {
              pi.setLabel('Sender');
              pi.registerFlag('mood', { type: 'string', default: 'calm' });
              pi.registerCommand('send', { handler: async (args, ctx) => {
                const { stdout, code } = await pi.exec('echo', ['from', 'echo']);
                pi.events.emit('news', { mood: pi.getFlag('mood'), said: stdout.trim(), code });
              } });
            };`,
          granted: { exec: ['echo'] },
        },
        hearer: `
          export default (pi) => {
            let ui;
            pi.on('session_start', (event, ctx) => { ui = ctx.ui; });
            pi.events.on('news', (news) => ui.notify(JSON.stringify(news)));
          };`,
      },
      [{ text: 'x' }],
      { config: { flags: { mood: 'merry' } } },
    );
    await agent.idle();
    await current?.command('send');
    await until(() => notices.length > 0, 'the news');
    expect(notices).toEqual(['{"mood":"merry","said":"from echo","code":0}']);
  });
});
