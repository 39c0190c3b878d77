/** Events about sessions, users' commands, providers and what extensions draw. */
import { beforeBranch, beforeCompact, beforeSwitch, beforeTree, compacting, userBash } from '@tenon/agent/api';
import { endpoints, models, type ModelRequest, providers } from '@tenon/models/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { beforeAll, describe, expect, test } from 'vitest';
import { piExtensions } from '../src/api.ts';
import { until, world } from './support/world.ts';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);

describe('sessions', () => {
  test('a switch, a branch, a move and a summary can be called off or answered', async () => {
    const { kernel, agent, cwd } = await world({
      decider: `
        export default (pi) => {
          pi.on('session_before_switch', (event) => ({ cancel: event.reason === 'new' }));
          pi.on('session_before_branch', (event) => event.entryId === 'keep' ? { skipConversationRestore: true } : { cancel: true });
          pi.on('session_before_tree', (event) => ({ summary: { summary: 'to ' + event.preparation.targetId + ' from ' + event.preparation.commonAncestorId + ', left ' + event.preparation.entriesToSummarize.map(({ id }) => id), details: { a: 1 } } }));
          pi.on('session_before_compact', (event) => ({ compaction: {
            summary: event.preparation.messagesToSummarize.length + ' messages, ' + event.branchEntries.length + ' entries, ' + (event.signal instanceof AbortSignal),
            firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore } }));
          pi.on('session.compacting', () => ({ context: ['remember the milk'], prompt: 'Sum up.', preserveData: { mine: 1 } }));
        };`,
    });
    await agent.prompt('hello');
    const place = { session: agent.session.id, cwd };
    expect(await kernel.run(beforeSwitch, { ...place, reason: 'new' })).toEqual({ cancel: true, by: 'decider' });
    expect(await kernel.run(beforeSwitch, { ...place, reason: 'resume', target: 'x' })).toBeUndefined();
    expect(await kernel.run(beforeBranch, { ...place, entryId: 'keep' })).toEqual({ skipConversationRestore: true });
    expect(await kernel.run(beforeBranch, { ...place, entryId: 'other' })).toEqual({ cancel: true, by: 'decider' });
    const entries = [...agent.session.walk()];
    const move = { from: 'a', to: 'b', commonAncestor: 'c', entries, summarize: true };
    expect(await kernel.run(beforeTree, { ...place, ...move })).toEqual({
      summary: { summary: `to b from c, left ${entries.map(({ id }) => id).join(',')}`, details: { a: 1 } },
    });
    const plan = {
      ...place,
      reason: 'manual' as const,
      tokensBefore: 9,
      messages: [],
      firstKeptEntryId: 'k',
      context: ['first'],
    };
    expect(await kernel.run(beforeCompact, plan)).toMatchObject({
      summary: '0 messages, 2 entries, true',
      by: 'decider',
    });
    expect(await kernel.run(compacting, plan)).toMatchObject({
      context: ['first', 'remember the milk'],
      prompt: 'Sum up.',
      preserveData: { mine: 1 },
    });
  });

  test('whoever listens to switches hears of one, and the others hear that a session starts', async () => {
    const { agent, notices } = await world({
      old: `export default (pi) => {
        pi.on('session_start', (event, ctx) => ctx.ui.notify('old start'));
        pi.on('session_switch', (event, ctx) => ctx.ui.notify('old switch ' + event.reason + ' ' + (event.previousSessionFile !== undefined)));
      };`,
      young: `export default (pi) => pi.on('session_start', (event, ctx) => ctx.ui.notify('young ' + event.reason));`,
      tool: {
        kind: 'tool',
        code: `export default (pi) => ({ name: 't', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }), onSession: (event, ctx) => ctx.ui.notify('tool ' + event.reason) });`,
      },
    });
    await agent.newSession();
    await until(() => notices.length >= 6, 'all notices');
    expect([...notices].sort()).toEqual(
      ['old start', 'old switch new true', 'tool start', 'tool switch', 'young new', 'young startup'].sort(),
    );
  });

  test('a command of the user is carried out by an extension', async () => {
    const { kernel, agent, cwd } = await world({
      runner: `
        export default (pi) => pi.on('user_bash', (event) => event.command === 'all'
          ? { result: { output: 'ran ' + event.command + ' in ' + event.cwd, exitCode: 0, cancelled: false, truncated: false } }
          : { operations: { exec: async (command, cwd, { onData }) => { onData(Buffer.from('did ' + command)); return { exitCode: 7 }; } } });`,
    });
    await agent.prompt('hello');
    const asked = { session: agent.session.id, cwd, excludeFromContext: false, signal: new AbortController().signal };
    expect(await kernel.run(userBash, { ...asked, command: 'all' })).toMatchObject({
      result: { output: `ran all in ${cwd}`, exitCode: 0 },
    });
    expect(await kernel.run(userBash, { ...asked, command: 'part' })).toMatchObject({
      result: { output: 'did part', exitCode: 7 },
    });
  });

  test('an extension makes the agent go on where it would stop', async () => {
    const { agent, requests } = await world(
      {
        pusher: `export default (pi) => pi.on('session_stop', (event) => event.stop_hook_active ? undefined : { continue: true, additionalContext: 'now the tests' });`,
      },
      [{ text: 'one' }, { text: 'two' }],
      {},
    );
    await agent.prompt('go');
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1]?.messages)).toContain('now the tests');
  });
});

describe('providers', () => {
  const config = (baseUrl: string) =>
    `{ baseUrl: '${baseUrl}', apiKey: 'literal-key', api: 'openai-completions', models: [{ id: 'm1', name: 'M1', reasoning: false, input: ['text'], cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }] }`;

  test('an extension brings a provider at a host that it may reach, and takes it away again', async () => {
    const seen = await world({
      bringer: {
        code: `export default (pi) => { pi.registerProvider('mine', ${config('https://models.example.org/v1')}); pi.registerCommand('gone', { handler: async () => pi.unregisterProvider('mine') }); };`,
        granted: { net: ['models.example.org'] },
      },
    });
    await seen.agent.prompt('hello');
    expect(seen.kernel.read(endpoints).get('mine')?.data).toMatchObject({
      api: 'openai-completions',
      baseUrl: 'https://models.example.org/v1',
    });
    expect(seen.kernel.read(models).get('mine/m1')?.data).toMatchObject({
      provider: 'mine',
      contextWindow: 1000,
      price: { output: 2 },
    });
    expect(seen.keys.get('mine')).toBe('literal-key');
    await seen.command('gone');
    await until(() => seen.kernel.read(endpoints).get('mine') === undefined, 'the end of the provider');
  });

  test('is refused when keys are kept under its name that are meant for others, logins at MCP servers included', async () => {
    for (const [name, credentials] of [
      ['corp', [{ provider: 'corp', source: 'models file' }]],
      ['mcp:github:0123456789ab', []],
    ] as const) {
      const code = `export default (pi) => pi.registerProvider('${name}', ${config('https://models.example.org/v1')});`;
      const seen = await world({ taker: { code, granted: { net: ['models.example.org'] } } }, undefined, {
        credentials,
      });
      await seen.agent.prompt('go');
      expect(seen.reports().map(({ code: reported }) => reported)).toContain('PI_COMPAT_PROVIDER_REFUSED');
      expect(seen.kernel.read(endpoints).get(name)).toBeUndefined();
      await seen.end();
    }
  });

  test('one that would send conversations elsewhere is refused, and says how to allow it', async () => {
    const seen = await world({
      sender: `export default (pi) => pi.registerProvider('mine', ${config('https://elsewhere.example.org')});`,
    });
    await seen.agent.prompt('hello');
    expect(seen.kernel.read(endpoints).get('mine')).toBeUndefined();
    const report = seen.reports().find(({ code }) => code === 'PI_COMPAT_PROVIDER_REFUSED');
    expect(report?.next).toContain('tenon extension allow sender --net elsewhere.example.org');
  });

  test('one that speaks its own protocol streams from its process', async () => {
    const seen = await world({
      speaker: `
        import { createAssistantMessageEventStream } from '@mariozechner/pi-ai';
        export default (pi) => pi.registerProvider('spoken', { baseUrl: 'https://x.example.org', apiKey: 'k', api: 'own', models: [{ id: 's', name: 'S', reasoning: false, input: ['text'], cost: {}, contextWindow: 1, maxTokens: 1 }],
          streamSimple: (model, context, options) => {
            const stream = createAssistantMessageEventStream();
            const message = { role: 'assistant', content: [{ type: 'text', text: model.id + ' heard ' + context.messages[0].content + ' ' + (options.signal instanceof AbortSignal) }], stopReason: 'stop' };
            queueMicrotask(() => { stream.push({ type: 'start', partial: message }); stream.push({ type: 'done', reason: 'stop', message }); stream.end(); });
            return stream;
          } });`,
    });
    await seen.agent.prompt('hello');
    const provider = await seen.kernel.read(providers).resolve('pi:speaker:spoken');
    const model = {
      provider: 'spoken',
      id: 's',
      name: 'S',
      api: 'pi:speaker:spoken',
      contextWindow: 1,
      maxTokens: 1,
      input: ['text' as const],
      reasoning: false,
    };
    const request: ModelRequest = {
      model,
      systemPrompt: '',
      messages: [{ role: 'user', content: 'you', timestamp: 1 }],
      tools: [],
    };
    const events = [];
    for await (const event of provider.stream(request, { signal: new AbortController().signal })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['start', 'done']);
    expect(JSON.stringify(events.at(-1))).toContain('s heard you true');
  });
});

test('messages and tools are drawn by the extension, and keys reach it', async () => {
  const seen = await world({
    drawer: `
      import { Text, Box, Container, truncateToWidth } from '@mariozechner/pi-tui';
      export default (pi) => {
        pi.registerMessageRenderer('note', (message, { expanded }, theme) => {
          const box = new Box(1, 0);
          box.addChild(new Text(theme.bold(message.content) + (expanded ? ' (all)' : ''), 0, 0));
          return box;
        });
        pi.registerTool({ name: 'draws', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }),
          renderCall: (args, theme) => new Text(theme.fg('accent', 'draws ' + args.n), 0, 0),
          renderResult: (result, { expanded }, theme) => new Text('got ' + result.content.length, 0, 0) });
        pi.registerShortcut('ctrl+x', { description: 'x', handler: (ctx) => ctx.ui.notify('pressed') });
      };`,
  });
  await seen.agent.prompt('hello');
  const extensions = await seen.kernel.find(piExtensions);
  const options = { width: 20, expanded: true };
  expect(await extensions.drawMessage(seen.cwd, 'note', { content: 'a long message of many words' }, options)).toEqual([
    ' a long message of',
    ' many words (all)',
  ]);
  expect(await extensions.drawTool(seen.cwd, 'draws', 'call', { args: { n: 3 } }, options)).toEqual(['draws 3']);
  expect(
    await extensions.drawTool(seen.cwd, 'draws', 'result', { args: {}, result: { content: [1] } }, options),
  ).toEqual(['got 1']);
  expect(await extensions.pressKey(seen.cwd, 'ctrl+x', seen.agent.session.id)).toBe(true);
  expect(await extensions.pressKey(seen.cwd, 'ctrl+y')).toBe(false);
  await until(() => seen.notices.includes('pressed'), 'the notice');
  expect(extensions.list(seen.cwd)).toMatchObject([
    { name: 'drawer', trust: 'isolated', shape: { shortcuts: [{ key: 'ctrl+x' }] } },
  ]);
});

test('entries, tools of others and Markdown are drawn as extensions want, and a fault of one costs only its drawing', async () => {
  const seen = await world({
    drawer: `
      import { Text } from '@mariozechner/pi-tui';
      export default (pi) => {
        pi.registerEntryRenderer('usage', (entry, { expanded }, theme) => new Text('used ' + entry.data.n, 0, 0));
        pi.registerEntryRenderer('broken', () => { throw new Error('no ink'); });
        pi.registerToolRenderer('bash', {
          renderCall: (args, theme, context) => { context.state.seen = (context.state.seen ?? 0) + 1; return new Text('$ ' + args.command, 0, 0); },
          renderResult: (result, options, theme, context) => new Text('call seen ' + context.state.seen + ' in ' + context.toolCallId, 0, 0),
        });
        pi.registerToolRenderer((name) => name === 'find' ? { renderCall: () => new Text('looks', 0, 0) } : undefined);
        pi.registerMarkdownTransformer((text, { messageType }) => messageType === 'user' ? text : text.replaceAll('teh', 'the'));
        pi.registerShortcut('ctrl+q', { description: 'Ask', handler: () => { throw new Error('no answer'); } });
      };`,
  });
  await seen.agent.prompt('hello');
  const extensions = await seen.kernel.find(piExtensions);
  const options = { width: 40, expanded: false, callId: 'c1' };
  expect(await extensions.drawEntry(seen.cwd, 'usage', { data: { n: 7 } }, options)).toEqual(['used 7']);
  expect(await extensions.drawEntry(seen.cwd, 'broken', {}, options)).toBeUndefined();
  const args = { command: 'ls' };
  expect(await extensions.drawTool(seen.cwd, 'bash', 'call', { args }, options)).toEqual(['$ ls']);
  expect(await extensions.drawTool(seen.cwd, 'bash', 'result', { args, result: {} }, options)).toEqual([
    'call seen 1 in c1',
  ]);
  const drawn = [
    ['entry', 'usage'],
    ['tool', 'bash'],
    ['tool', 'read'],
    ['message', 'usage'],
  ] as const;
  // Somebody decides for each tool, so that any may be drawn.
  expect(drawn.map(([what, name]) => extensions.draws(seen.cwd, what, name))).toEqual([true, true, true, false]);
  expect(await extensions.drawTool(seen.cwd, 'find', 'call', { args: {} }, options)).toEqual(['looks']);
  expect(await extensions.drawTool(seen.cwd, 'read', 'call', { args: {} }, options)).toBeUndefined();
  const shown = (messageType: 'user' | 'assistant') =>
    extensions.transformMarkdown(seen.cwd, 'teh end', { messageType });
  expect([await shown('assistant'), await shown('user')]).toEqual(['the end', 'teh end']);
  const [shortcut] = extensions.shortcuts(seen.cwd);
  expect(shortcut).toMatchObject({ key: 'ctrl+q', description: 'Ask', extension: 'drawer' });
  await shortcut?.run(seen.agent.session.id);
  const reports = seen.reports().map(({ message }) => message);
  for (const reason of ['no ink', 'no answer']) expect(reports.join('\n')).toContain(reason);
});

test('extensions draw below thoughts, one after the other; one that fails is reported and the others are shown', async () => {
  const seen = await world({
    counter: `
      import { Container, Text } from '@oh-my-pi/pi-tui';
      export default (pi) => {
        pi.registerAssistantThinkingRenderer((context, theme) => {
          const container = new Container();
          container.addChild(new Text(theme.fg('dim', 'thinking chars: ' + context.text.length), 1, 0));
          context.requestRender();
          return container;
        });
        pi.registerAssistantThinkingRenderer(({ contentIndex, thinkingIndex }) => new Text(contentIndex + '/' + thinkingIndex, 0, 0));
        pi.registerAssistantThinkingRenderer(() => undefined);
      };`,
    broken: `export default (pi) => pi.registerAssistantThinkingRenderer(() => { throw new Error('no pen'); });`,
  });
  await seen.agent.prompt('hello');
  const extensions = await seen.kernel.find(piExtensions);
  expect(extensions.draws(seen.cwd, 'thought')).toBe(true);
  const thought = { text: 'hmm', contentIndex: 2, thinkingIndex: 1 };
  const rows = await extensions.drawThought(seen.cwd, thought, { width: 20, expanded: false });
  expect(rows?.map((row) => row.trimEnd())).toEqual([' thinking chars: 3', '2/1']);
  expect(seen.reports().map(({ message }) => message)).toEqual([expect.stringContaining('drawing thoughts: no pen')]);
});
