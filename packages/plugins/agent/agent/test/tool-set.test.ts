import { builtIn } from '@tenon/test-kit/plugins';
import { createKernel, type Disposable, type PluginContext, Type } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type Tool, toolCatalogue, tools, toolSources } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { ToolSet } from '../src/tool-set.ts';

/** Each of the extra tools takes about 1,500 of the 5,000 tokens. */
const EXTRAS = ['one', 'two', 'three', 'four'];
const CWD = '/project/here';
/** Not offered unless somebody adds it. */
const HIDDEN = { data: { discoverable: true } };

const sample = (description: string, parameters: Tool['parameters'] = Type.Object({})): Tool => ({
  description,
  parameters,
  execute: () => Promise.resolve({ content: [] }),
});

async function world() {
  const kernel = createKernel();
  /** A plugin whose tools come only when somebody asks for them, and go again. */
  const late = {
    context: undefined as PluginContext | undefined,
    brings: [] as string[],
    asked: [] as object[],
    entries: new Map<string, Disposable>(),
    async add(name: string, description = name, parameters?: Tool['parameters']) {
      await kernel.activate('servers');
      await late.entries.get(name)?.dispose();
      if (late.context)
        late.entries.set(name, late.context.contribute(tools, name, sample(description, parameters), HIDDEN));
    },
  };
  const contributes = {
    tools: Object.fromEntries([
      ['read', { summary: 'Read', risk: 'read' }],
      ['write', { summary: 'Write', risk: 'write' }],
      ...EXTRAS.map((name) => [name, { summary: `Number ${name}`, discoverable: true }]),
    ]) as Record<string, object>,
  };
  kernel.install(
    await builtIn('tools'),
    inlineCandidate(
      {
        id: 'samples',
        activate(ctx) {
          for (const name of Object.keys(contributes.tools)) {
            const description = EXTRAS.includes(name) ? 'x'.repeat(5_400) : name;
            ctx.contribute(tools, name, sample(description));
          }
        },
      },
      { contributes: contributes as never },
    ),
    inlineCandidate(
      {
        id: 'servers',
        activate(ctx) {
          late.context = ctx as PluginContext;
          ctx.contribute(toolSources, 'servers', {
            async offer({ cwd, names }) {
              late.asked.push({ cwd, names });
              for (const name of late.brings) late.entries.set(name, ctx.contribute(tools, name, sample(name), HIDDEN));
              return [];
            },
          });
        },
      },
      { contributes: { tools: { '*': {} }, 'tool-sources': { servers: {} } } as never },
    ),
  );
  const kept: (readonly string[])[] = [];
  const open = async (found: readonly string[] = [], names?: readonly string[]) =>
    ToolSet.create(kernel.read(tools), names, {
      catalogue: await kernel.find(toolCatalogue),
      cwd: CWD,
      room: () => Number.POSITIVE_INFINITY,
      foundTools: { names: found, keep: (list) => Promise.resolve(kept.push(list)) },
    });
  return { open, kept, late };
}

describe('the tools of a session', () => {
  it('grow by what is found, and the session remembers it', async () => {
    const { open, kept } = await world();
    const set = await open();
    expect(set.names()).toEqual(['read', 'write', 'search_tool_bm25']);
    expect(await set.activate(['one', 'one', 'nowhere'])).toEqual({ activated: ['one'], putBack: [] });
    expect(set.modelTools().map(({ name }) => name)).toContain('one');
    expect(kept).toEqual([['one']]);
  });

  it('are told to models without the dialect of their schemas, which some providers refuse', async () => {
    const { open, late } = await world();
    await late.add('far', 'far', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' });
    const set = await open();
    await set.activate(['far']);
    const told = () => set.modelTools().find(({ name }) => name === 'far')?.parameters;
    expect(told()).toEqual({ type: 'object' });
    // What was counted once is recognized.
    expect(told()).toBe(told());
  });

  it('put back what was found longest ago when the room is full; the best match always gets in', async () => {
    const { open, kept } = await world();
    const set = await open();
    expect(await set.activate(EXTRAS)).toEqual({ activated: ['one', 'two', 'three'], putBack: [] });
    expect(await set.activate(['four'])).toEqual({ activated: ['four'], putBack: ['one'] });
    expect(set.selected()).toEqual(['two', 'three', 'four']);
    expect(set.has('one')).toBe(false);
    expect(kept.at(-1)).toEqual(['two', 'three', 'four']);
  });

  it('are the same when the session goes on, without those that are gone', async () => {
    const { open } = await world();
    const set = await open(['two', 'uninstalled']);
    expect(set.names()).toEqual(['read', 'write', 'search_tool_bm25', 'two']);
    expect(set.selected()).toEqual(['two']);
  });

  it('are exactly those that were asked for', async () => {
    const { open } = await world();
    expect((await open(['two'], ['read'])).names()).toEqual(['read']);
  });

  it('say how to get a tool that is there but not active', async () => {
    const { open } = await world();
    const set = await open();
    expect(set.missing('one')).toContain('Find it with search_tool_bm25');
    expect(set.missing('nowhere')).toContain('There is no tool "nowhere"');
  });
});

describe('tools that plugins add to a session', () => {
  it('are all there when several add some at the same moment, whatever else is changed then', async () => {
    const { open, late } = await world();
    for (const name of ['a', 'b', 'c']) await late.add(name);
    const set = await open();
    await Promise.all([set.add(['a']), set.activate(['one']), set.add(['b']), set.add(['c', 'a'])]);
    expect(set.names()).toEqual(['read', 'write', 'search_tool_bm25', 'a', 'one', 'b', 'c']);
  });

  it('do not come into a session whose tools somebody chose, at the beginning or later', async () => {
    const { open, late } = await world();
    await late.add('a');
    const chosen = await open([], ['read', 'write']);
    await chosen.add(['a']);
    expect(chosen.names()).toEqual(['read', 'write']);
    const narrowed = await open();
    await narrowed.choose(['read']);
    await narrowed.add(['a']);
    expect(narrowed.names()).toEqual(['read']);
    const widened = await open();
    await widened.choose([...widened.names(), 'two']);
    await widened.add(['a']);
    expect(widened.names()).toContain('a');
  });

  it('come as far as there is room, and the search for the others with them', async () => {
    const { open, late } = await world();
    await late.add('large', 'x'.repeat(4_000));
    await late.add('small');
    const set = await open();
    await set.choose(['read', 'write', 'search_tool_bm25', 'one', 'two']);
    await set.add(['large', 'three', 'small']);
    expect(set.names()).toEqual(['read', 'write', 'search_tool_bm25', 'one', 'two', 'large', 'small']);
    const apart = await open();
    await apart.add(['large', 'small'], 500);
    expect(apart.names()).toEqual(['read', 'write', 'search_tool_bm25', 'small']);
  });

  it('are taken back without those that were there before', async () => {
    const { open, late } = await world();
    await late.add('a');
    await late.add('b');
    const set = await open();
    await set.add(['a']);
    const added = await set.add(['a', 'b']);
    await Promise.all([added.dispose(), set.activate(['one'])]);
    expect(set.names()).toEqual(['read', 'write', 'search_tool_bm25', 'a', 'one']);
  });

  it('leave with their entry, come back with it, and are described as they are now', async () => {
    const { open, late } = await world();
    await late.add('a', 'as it was');
    const set = await open();
    await set.add(['a']);
    await late.entries.get('a')?.dispose();
    expect([set.has('a'), set.names()]).toEqual([false, ['read', 'write', 'search_tool_bm25']]);
    expect(set.missing('a')).toContain('There is no tool "a"');
    await late.add('a', 'as it is');
    expect(set.modelTools().at(-1)).toMatchObject({ name: 'a', description: 'as it is' });
  });

  it('that were found before are there again as soon as their server is', async () => {
    const { open, late } = await world();
    const set = await open(['from_server']);
    await set.choose(['read', 'search_tool_bm25']);
    expect([set.names(), set.selected()]).toEqual([['read', 'search_tool_bm25'], []]);
    await late.add('from_server');
    expect([set.names(), set.selected()]).toEqual([['read', 'search_tool_bm25', 'from_server'], ['from_server']]);
  });
});

describe('tools that are named before anybody brought them', () => {
  it('are asked for where they may come from, and only then', async () => {
    const { open, late } = await world();
    late.brings = ['mcp__a__x', 'mcp__a__y', 'other'];
    expect((await open([], ['read'])).names()).toEqual(['read']);
    expect(late.asked).toEqual([]);
    expect((await open([], ['mcp__a__*', 'read', 'mcp__a__x'])).names()).toEqual(['mcp__a__x', 'mcp__a__y', 'read']);
    expect(late.asked).toEqual([{ cwd: CWD, names: ['mcp__a__*', 'mcp__a__x'] }]);
  });

  it('and that nobody knows are an error with the nearest name', async () => {
    const { open, late } = await world();
    late.brings = ['mcp__a__x'];
    await expect(open([], ['read', 'mcp__a__z'])).rejects.toMatchObject({
      code: 'AGENT_TOOL_UNKNOWN',
      message: 'There is no tool "mcp__a__z". Did you mean "mcp__a__x"?',
    });
  });
});
