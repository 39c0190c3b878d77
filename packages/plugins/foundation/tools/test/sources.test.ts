/** Tools that plugins bring when somebody asks for those of a folder. */
import { builtIn } from '@tenon/test-kit/plugins';
import { type CommandCall } from '@tenon/command-line/api';
import { createKernel, defineErrors, Type } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { runCommand } from '@tenon/test-kit/command-run';
import { describe, expect, it, vi } from 'vitest';
import { toolCatalogue, type ToolData, type ToolRequest, tools, type ToolSource, toolSources } from '../src/api.ts';

const errors = defineErrors('servers', {
  SERVERS_DOWN: { summary: 'The server "stock" cannot be reached.', next: 'Start it.' },
});

interface Brings {
  readonly data?: Omit<ToolData, 'summary'>;
  readonly tools?: readonly string[];
  /** What it does instead of bringing anything. */
  readonly fails?: ToolSource['offer'];
}

/** A kernel with plugins that bring tools, in this order. */
async function world(sources: Readonly<Record<string, Brings>>) {
  const kernel = createKernel();
  const asked: [string, ToolRequest][] = [];
  const candidates = Object.entries(sources).map(([id, { tools: names = [], data, fails }], index) =>
    inlineCandidate(
      {
        id,
        activate(ctx) {
          const source: ToolSource = {
            async offer(request) {
              asked.push([id, request]);
              if (fails) return fails(request);
              for (const name of names) {
                const tool = {
                  description: `About ${name}`,
                  parameters: Type.Object({}),
                  execute: async () => ({ content: [{ type: 'text' as const, text: `${name} of ${id}` }] }),
                };
                ctx.contribute(tools, name, tool, { data: { summary: name, ...data }, file: `/etc/${id}.json` });
              }
              return [];
            },
          };
          ctx.contribute(toolSources, id, source, { priority: -index });
        },
      },
      { contributes: { tools: { '*': {} }, 'tool-sources': { [id]: {} } } as never },
    ),
  );
  kernel.install(await builtIn('tools'), ...candidates);
  const catalogue = await kernel.find(toolCatalogue);
  const find = (...names: string[]) => catalogue.find({ cwd: '/here', names });
  const command = async (words: string, args: CommandCall['args'], flags: CommandCall['flags'] = {}) => {
    const { code, out, err, json } = await runCommand(kernel, words, { args, flags, cwd: '/here', io: { width: 100 } });
    return { code, out: out + err, json };
  };
  return { kernel, asked, find, command };
}

describe('a tool that is named', () => {
  it('is asked for one source after the other, until it is there', async () => {
    const { find, asked } = await world({ first: { tools: ['alpha'] }, second: { tools: ['beta'] }, third: {} });
    expect(await find('search_tool_bm25')).toEqual({ names: ['search_tool_bm25'] });
    expect(asked).toEqual([]);
    expect(await find('alpha', 'beta', 'search_tool_bm25')).toEqual({ names: ['alpha', 'beta', 'search_tool_bm25'] });
    expect(asked.map(([id, { names }]) => [id, names])).toEqual([
      ['first', ['alpha', 'beta']],
      ['second', ['alpha', 'beta']],
    ]);
  });

  it('can be a pattern, for which all are asked; what it means comes once', async () => {
    const { find } = await world({ first: { tools: ['m__a', 'm__b', 'x.y'] }, second: { tools: ['m__c'] } });
    expect(await find('m__b', 'm__*')).toEqual({ names: ['m__b', 'm__a', 'm__c'] });
    expect((await find('x?y')).unknown?.name).toBe('x?y');
    expect((await find('n__*')).unknown?.name).toBe('n__*');
  });

  it('and that nobody has, is answered with the nearest name and with what is missing', async () => {
    const { find, kernel } = await world({
      down: { fails: async () => [errors.create('SERVERS_DOWN')] },
      broken: { fails: () => Promise.reject(new Error('no such luck')) },
      fine: { tools: ['weather'] },
    });
    const { unknown, names } = await find('wether', 'weather');
    expect(names).toEqual(['weather']);
    expect(unknown).toEqual({
      name: 'wether',
      hint:
        ' Did you mean "weather"? The server "stock" cannot be reached. Start it.' +
        ' The source "broken" could not offer its tools: no such luck. See what is wrong with `tenon doctor`.' +
        ' The other tools can be used.',
    });
    expect(kernel.diagnostics().map(({ error }) => error.code)).toEqual(['TOOLS_SOURCE_FAILED']);
  });

  it('is no longer waited for when whoever wants it gives up', async () => {
    const { kernel, asked } = await world({
      slow: {
        fails: ({ signal }) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
      },
    });
    const stop = new AbortController();
    const found = (await kernel.find(toolCatalogue)).find({ cwd: '/here', names: ['x'], signal: stop.signal });
    await vi.waitUntil(() => asked.length === 1);
    stop.abort(new Error('enough'));
    await expect(found).rejects.toThrow('enough');
  });
});

describe('tenon tools', () => {
  const sources = {
    servers: { tools: ['m__count'], data: { origin: { kind: 'mcp-server', name: 'stock' } } },
  } as const;

  it('list has what every source brings, and where it is from', async () => {
    const { command } = await world(sources);
    const { json } = await command('tools list', {}, { json: true });
    expect((JSON.parse(JSON.stringify(json)) as object[])[0]).toEqual({
      name: 'm__count',
      summary: 'm__count',
      risk: null,
      plugin: 'servers',
      discoverable: false,
      exclusive: false,
      origin: { kind: 'mcp-server', name: 'stock', file: '/etc/servers.json' },
      description: 'About m__count',
      parameters: { type: 'object', properties: {} },
    });
    expect((await command('tools list', {})).out).toContain('m__count (servers, MCP server "stock")\n');
  });

  it('show and run find a tool that a source brings', async () => {
    const shown = await (await world(sources)).command('tools show', { name: 'm__count' });
    expect(shown.out).toContain('plugin: servers, MCP server "stock", file: /etc/servers.json');
    const ran = await (await world(sources)).command('tool run', { name: 'm__count' }, { input: '{}' });
    expect(ran).toMatchObject({ code: 0, out: 'm__count of servers\n' });
  });

  it('show and run say what is nearest when there is no such tool', async () => {
    for (const words of ['tools show', 'tool run']) {
      const { command } = await world(sources);
      await expect(command(words, { name: 'm_count' }, { input: '{}' })).rejects.toMatchObject({
        code: 'TOOLS_UNKNOWN',
        message: 'There is no tool "m_count". Did you mean "m__count"?',
      });
    }
  });
});
