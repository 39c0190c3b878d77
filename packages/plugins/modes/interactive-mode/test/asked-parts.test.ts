/** What isolated packs say between frames: cards of calls that have ended, parts of the status line. */
import type { Logger, Registry } from '@tenon/kernel';
import type { CallLines, LatestStatus, ToolRenderer } from '@tenon/screen-slots/api';
import { until } from '@tenon/test-kit/waiting';
import type { Tool } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { generalRenderer } from '../src/cards/index.ts';
import { RendererTable } from '../src/renderer-table.ts';
import { AskedItems } from '../src/status/asked-items.ts';
import { bare, styleOf, theme } from './cards-style.ts';

const warnings: string[] = [];
const log = { warn: (text: string) => void warnings.push(text) } as unknown as Logger;

type Renderer = ToolRenderer | CallLines;
interface Brought<V> {
  readonly value: V;
  readonly plugin: string;
  readonly foreign?: boolean;
}

function registryOf<V>(entries: Readonly<Record<string, Brought<V>>>): Registry<V> {
  const get = (key: string) => {
    const found = entries[key];
    if (!found) return undefined;
    const { value, plugin, foreign } = found;
    // An isolated pack's value is known once it runs.
    return { key, source: { plugin, ...(foreign && { foreign }) }, ...(!foreign && { value }) };
  };
  return { get, resolve: async (key: string) => entries[key]?.value } as unknown as Registry<V>;
}

const result = (text: string, isError = false) => ({ content: [{ type: 'text' as const, text }], isError });
const call = (name: string, isError = false) => ({ name, input: { of: 'today' }, result: result('5 notes', isError) });
const tool = (plugin: string): Brought<Tool> => ({ value: {} as Tool, plugin });

function tableOf(
  renderers: Readonly<Record<string, Brought<Renderer>>>,
  tools: Readonly<Record<string, Brought<Tool>>>,
): RendererTable {
  return new RendererTable(registryOf(renderers), { tools: registryOf(tools), general: generalRenderer, log });
}

describe('the card of a call that somebody else writes', () => {
  const seen: unknown[] = [];
  const value: CallLines = {
    lines: async (ended) => {
      seen.push(ended);
      return ['one line that is longer than the screen is wide', 'two'];
    },
  };
  const own = { count: { value, plugin: 'notes', foreign: true } };

  it('stands below the title that any call has, broken to the width', async () => {
    const table = tableOf(own, { count: tool('notes') });
    const rows = await table.drawCall(call('count'), styleOf(30));
    expect(bare(rows ?? [])).toEqual([
      '✓ count of=today',
      '  one line that is longer than',
      '  the screen is wide',
      '  two',
    ]);
    expect(seen.at(-1)).toEqual({ ...call('count'), width: 28 });
    // A frame is never drawn by it.
    expect(table.for('count')).toBe(generalRenderer);
  });

  it('is not asked about calls of others, calls that failed, or tools that somebody else has now', () => {
    const table = tableOf(own, { count: tool('notes'), other: tool('x') });
    const before = seen.length;
    expect(table.drawCall(call('other'), styleOf(30))).toBeUndefined();
    expect(table.drawCall(call('count', true), styleOf(30))).toBeUndefined();
    expect(tableOf(own, { count: tool('tools') }).drawCall(call('count'), styleOf(30))).toBeUndefined();
    expect(tableOf(own, {}).drawCall(call('count'), styleOf(30))).toBeUndefined();
    expect(seen).toHaveLength(before);
  });

  it('is left to the general card when it fails, and the log says so', async () => {
    const broken: CallLines = {
      lines: () => {
        throw new Error('out of ink');
      },
    };
    const table = tableOf({ count: { value: broken, plugin: 'notes', foreign: true } }, { count: tool('notes') });
    expect(await table.drawCall(call('count'), styleOf(30))).toBeUndefined();
    expect(warnings.at(-1)).toContain('out of ink');
  });
});

describe('a part of the status line that is asked', () => {
  const texts = (items: AskedItems) => items.item('notes.count').text({ theme, agent: undefined as never });

  it('shows what it said last, and is asked one question at a time', async () => {
    let answer: ((text: string) => void) | undefined;
    let asked = 0;
    let changes = 0;
    const items = new AskedItems(log, () => (changes += 1));
    const part: LatestStatus = {
      latest: () => {
        asked += 1;
        return new Promise((resolve) => (answer = resolve));
      },
    };
    const ask = () => items.ask('notes.count', async () => part);
    ask();
    expect(texts(items)).toBeUndefined();
    await until(() => asked === 1);
    ask();
    ask();
    answer?.('5 \u001b[2Jkept\nnow');
    await until(() => changes === 1);
    expect(bare([texts(items) ?? '']).join()).toBe('5 kept now');
    // The two that came meanwhile are one question.
    await until(() => asked === 2);
    expect(bare([texts(items) ?? '']).join()).toBe('5 kept now');
    answer?.('');
    await until(() => texts(items) === undefined);
    expect(asked).toBe(2);
  });

  it('says nothing when it fails, and the log says why', async () => {
    const items = new AskedItems(log, () => undefined);
    items.ask('notes.count', async () => {
      throw new Error('no pack');
    });
    await until(() => warnings.at(-1)?.includes('no pack') === true);
    expect(texts(items)).toBeUndefined();
  });
});
