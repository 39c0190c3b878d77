import { builtIn } from '@tenon/test-kit/plugins';
import { createKernel, Type } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEARCH_TOOL, type ToolBox, toolCatalogue, toolRunner, tools } from '../src/api.ts';
import { ToolIndex, wordsOf } from '../src/tool-index.ts';

interface Sample {
  readonly summary?: string;
  readonly description?: string;
  readonly keys?: readonly string[];
  readonly discoverable?: boolean;
  readonly keywords?: readonly string[];
  readonly isBroken?: boolean;
}

async function start(samples: Readonly<Record<string, Sample>>) {
  const kernel = createKernel();
  const candidates = Object.entries(samples).map(
    ([name, { summary = name, description = name, keys = [], ...sample }]) =>
      inlineCandidate(
        {
          id: `of-${name.replaceAll('_', '-').toLowerCase()}`,
          activate(ctx) {
            if (sample.isBroken) throw new Error('out of order');
            ctx.contribute(tools, name, {
              description,
              parameters: Type.Object(Object.fromEntries(keys.map((key) => [key, Type.String()]))),
              execute: () => Promise.resolve({ content: [] }),
            });
          },
        },
        { contributes: { tools: { [name]: { summary, ...sample } } } },
      ),
  );
  kernel.install(await builtIn('tools'), ...candidates);
  return { kernel, catalogue: await kernel.find(toolCatalogue), runner: await kernel.find(toolRunner) };
}

const LONG = 'word '.repeat(1_000);
const sorted = (names: readonly string[]) => [...names].sort();

describe('what a session starts with', () => {
  it('is every tool that is not marked, without a search when there is nothing to find', async () => {
    const { catalogue } = await start({ read: {}, bash: {} });
    expect(await catalogue.standard()).toEqual({ names: ['read', 'bash'], overBudget: [] });
  });

  it('has the search as soon as there is something to find', async () => {
    const { catalogue } = await start({ read: {}, calc: { discoverable: true } });
    expect((await catalogue.standard()).names).toEqual(['read', SEARCH_TOOL]);
  });

  it('stays within the budget: the least essential tools are put aside, and the user is told', async () => {
    const { kernel, catalogue } = await start({
      alpha: { description: LONG },
      beta: { description: LONG },
      gamma: { description: LONG },
      bash: { description: LONG },
      read: { description: LONG },
    });
    const { names, overBudget } = await catalogue.standard();
    expect(sorted(names)).toEqual(sorted(['read', 'bash', 'alpha', SEARCH_TOOL]));
    expect(overBudget).toEqual(['beta', 'gamma']);
    expect(kernel.diagnostics().map(({ error }) => error.code)).toEqual(['TOOLS_OVER_BUDGET']);
    const registry = kernel.read(tools);
    const costs = await Promise.all(names.map(async (name) => catalogue.costOf(name, await registry.resolve(name))));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(catalogue.budget);
  });

  it('leaves out a tool whose plugin does not start', async () => {
    const { catalogue } = await start({ read: {}, broken: { isBroken: true } });
    expect((await catalogue.standard()).names).toEqual(['read']);
  });
});

describe(SEARCH_TOOL, () => {
  const samples = {
    read: { summary: 'Read a file' },
    calc: {
      summary: 'Calculate arithmetic expressions',
      keys: ['calculations'],
      keywords: ['math'],
      discoverable: true,
    },
    recipe: { summary: 'Run the tasks of a project', description: 'make, cargo, npm scripts', discoverable: true },
    render_mermaid: { summary: 'Draw a diagram', keys: ['mermaid'], discoverable: true },
    sendEmail: { summary: 'Send a message', keys: ['to', 'subject'], discoverable: true },
  };
  const search = async (query: string, limit?: number) => {
    const { runner } = await start(samples);
    const activated: string[] = [];
    const toolbox: ToolBox = {
      active: () => ['read', ...activated],
      selected: () => activated,
      activate: (names) => {
        activated.push(...names);
        return Promise.resolve({ activated: names, putBack: [] });
      },
    };
    const scope = { session: 's', cwd: '/', toolbox };
    return runner.run(SEARCH_TOOL, { query, ...(limit !== undefined && { limit }) }, { scope });
  };
  const answer = async (query: string, limit?: number) => {
    const { content } = await search(query, limit);
    return JSON.parse((content[0] as { text: string }).text) as Record<string, unknown>;
  };

  it.each([
    ['calculate something', 'calc'],
    ['Maths', 'calc'],
    ['DIAGRAM', 'render_mermaid'],
    ['mermaid', 'render_mermaid'],
    ['cargo', 'recipe'],
    ['email subject', 'sendEmail'],
    ['project task', 'recipe'],
  ])('finds by "%s"', async (query, name) => {
    expect(await answer(query, 1)).toEqual({
      query,
      activated_tools: [name],
      match_count: 1,
      total_tools: 4,
    });
  });

  it('gives facts about the matches to user interfaces', async () => {
    const { details } = await search('arithmetic');
    expect(details).toMatchObject({
      limit: 8,
      active_selected_tools: ['calc'],
      tools: [{ name: 'calc', plugin: 'of-calc', schema_keys: ['calculations'], score: expect.any(Number) }],
    });
  });

  it('says that nothing fits, and does not find what is active', async () => {
    expect(await answer('zebra')).toMatchObject({ activated_tools: [], match_count: 0 });
    expect(await answer('read')).toMatchObject({ activated_tools: [] });
  });

  it('refuses a query without words', async () => {
    expect(await search('?!')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('at least one letter or number') }],
    });
  });

  it('names the tools that can be found in its description', async () => {
    const { kernel } = await start(samples);
    expect((await kernel.read(tools).resolve(SEARCH_TOOL)).description).toContain(
      'Available: calc, recipe, render_mermaid, sendEmail.',
    );
  });
});

describe('the index', () => {
  const index = new ToolIndex([
    { name: 'calc', texts: [{ text: 'calculate arithmetic expressions', weight: 1 }] },
    { name: 'fetch', texts: [{ text: 'read a page on the web', weight: 1 }] },
    { name: 'paint', texts: [{ text: 'draw a picture on the screen, with the page in view', weight: 1 }] },
  ]);
  const found = (query: string) => index.search(query).map(({ name }) => name);

  it('finds words of the same stem, after those that are the same', () => {
    expect(found('calculator')).toEqual(['calc']);
    expect(found('call')).toEqual([]);
  });

  it('does not take words such as "a" and "the" for a reason, unless there are no others', () => {
    expect(found('download a page of the web')).toEqual(['fetch']);
    expect(found('a page')).toEqual(['fetch', 'paint']);
    expect(found('the calculation')).toEqual(['calc']);
    expect(found('the')).toEqual(['paint', 'fetch']);
  });

  it('takes names apart and counts plurals as singulars', () => {
    expect(wordsOf('renderHTMLFiles by_name2')).toEqual(['render', 'html', 'file', 'by', 'name2']);
  });

  it('always finds a document by a word that only it has', () => {
    const word = fc.stringMatching(/^[a-e]{2,4}$/);
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1 }), { minLength: 1, maxLength: 20 }), (lists) => {
        const documents = lists.map((words, index) => ({
          name: `tool${index}`,
          texts: [{ text: [...words, `only${index}`].join(' '), weight: 1 }],
        }));
        const index = new ToolIndex(documents);
        for (const at of lists.keys()) expect(index.search(`only${at}`)[0]?.name).toBe(`tool${at}`);
      }),
    );
  });
});
