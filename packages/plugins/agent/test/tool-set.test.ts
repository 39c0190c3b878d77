import { createKernel, Type } from '@tenon/kernel';
import { candidateFrom, inlineCandidate } from '@tenon/kernel/testing';
import { toolCatalogue, tools } from '@tenon/tools/api';
import toolsPlugin from '@tenon/tools';
import { describe, expect, it } from 'vitest';
import toolsPackage from '../../tools/package.json' with { type: 'json' };
import { ToolSet } from '../src/tool-set.ts';

/** Each of the extra tools takes about 1,500 of the 5,000 tokens. */
const EXTRAS = ['one', 'two', 'three', 'four'];

async function world() {
  const kernel = createKernel();
  const contributes = {
    tools: Object.fromEntries([
      ['read', { summary: 'Read', risk: 'read' }],
      ['write', { summary: 'Write', risk: 'write' }],
      ...EXTRAS.map((name) => [name, { summary: `Number ${name}`, discoverable: true }]),
    ]) as Record<string, object>,
  };
  kernel.install(
    await candidateFrom(toolsPackage, toolsPlugin),
    inlineCandidate(
      {
        id: 'samples',
        activate(ctx) {
          for (const name of Object.keys(contributes.tools)) {
            const description = EXTRAS.includes(name) ? 'x'.repeat(5_400) : name;
            ctx.contribute(tools, name, {
              description,
              parameters: Type.Object({}),
              execute: () => Promise.resolve({ content: [] }),
            });
          }
        },
      },
      { contributes: contributes as never },
    ),
  );
  const kept: (readonly string[])[] = [];
  const open = async (found: readonly string[] = [], names?: readonly string[]) =>
    ToolSet.create(kernel.read(tools), names, {
      catalogue: await kernel.find(toolCatalogue),
      found: { names: found, keep: (list) => Promise.resolve(kept.push(list)) },
    });
  return { open, kept };
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
