import { loadAccelerator } from '@tenon/native';
import { CURSOR_MARKER } from '@tenon/screen';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fuzzyMatch,
  fuzzyQuery,
  keyName,
  type SelectItem,
  SelectList,
  type SelectListOptions,
  SettingsList,
  TreeList,
  type TreeNode,
  typedText,
} from '../src/index.ts';
import { treeRows } from '../src/lists/tree-rows.ts';
import { COLOURED, KEYS, PLAIN, shown, type } from './lists-support.ts';

const text = await loadAccelerator('text');
const look = { theme: PLAIN, text };

const items = (count: number): SelectItem<number>[] =>
  Array.from({ length: count }, (_, value) => ({ value, label: `item ${value}` }));

function list(options: Partial<SelectListOptions<number>> = {}) {
  const chosen: number[] = [];
  const made = new SelectList<number>({
    look,
    items: items(120),
    onChoose: ({ value }) => chosen.push(value),
    ...options,
  });
  return { made, chosen };
}

describe('keys', () => {
  it('have one name in every form that terminals send, and text is no name', () => {
    expect([keyName('\x0e'), keyName('\x1b[110;5u'), keyName('\x1b[27;5;110~')]).toEqual([
      'ctrl+n',
      'ctrl+n',
      'ctrl+n',
    ]);
    expect(keyName('\x1b[Z')).toBe('shift+tab');
    expect(keyName('a')).toBeUndefined();
    expect(typedText('\x1b[200~two\nlines\x1b[31m\x1b[201~')).toBe('two lines [31m');
    expect(typedText('\x1b[97;1:3u')).toBe('');
  });
});

describe('fuzzy matching', () => {
  const rank = (query: string, texts: string[]) =>
    texts
      .flatMap((name) => {
        const match = fuzzyMatch(fuzzyQuery(query), name.toLowerCase());
        return match ? [{ name, score: match.score }] : [];
      })
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);

  it('prefers whole words, beginnings of words and letters that stand together', () => {
    expect(rank('son', ['person', 'claude-sonnet', 's-o-n'])).toEqual(['claude-sonnet', 'person', 's-o-n']);
    expect(rank('cs', ['abcxs', 'claude-sonnet'])[0]).toBe('claude-sonnet');
    expect(rank('x', ['abc'])).toEqual([]);
    expect(rank('gpt mini', ['gpt-5-mini', 'gpt-5'])).toEqual(['gpt-5-mini']);
    expect(rank('xyz', [`x${' '.repeat(20)}y${' '.repeat(20)}z`])).toEqual([]);
    expect(fuzzyMatch(['key', 'label'], 'label', 'keywords')?.hits).toEqual([0, 1, 2, 3, 4]);
    expect(fuzzyMatch(['kw'], 'label', 'keywords')).toBeUndefined();
  });

  it('finds every text by any of its subsequences, and hits are where the letters are', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.array(fc.nat(29), { maxLength: 8 }), (whole, places) => {
        const small = whole.toLowerCase();
        const query = [...new Set(places)]
          .sort((a, b) => a - b)
          .map((at) => small[at] ?? '')
          .join('')
          .replaceAll(/\s/g, '');
        const words = query === '' ? [] : [query];
        const match = fuzzyMatch(words, small);
        expect(match).toBeDefined();
        expect(match?.hits.map((at) => small[at]).join('')).toBe(query);
      }),
    );
  });
});

describe('a list', () => {
  it('shows a window with a counter, and moves by step, page and to the ends', () => {
    const { made, chosen } = list({ title: 'Things', maxRows: 5 });
    expect(shown(made.render(40))).toEqual([
      expect.stringMatching(/^Things +1\/120$/),
      '>',
      '❯ item 0',
      '  item 1',
      '  item 2',
      '  item 3',
      '  item 4',
    ]);
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.ctrlN);
    expect(shown(made.render(40))[0]).toContain('3/120');
    made.handleInput(KEYS.pageDown);
    expect(shown(made.render(40))).toContain('❯ item 6');
    made.handleInput(KEYS.end);
    made.handleInput(KEYS.down);
    expect(made.selected?.value).toBe(0);
    made.handleInput(KEYS.ctrlP);
    made.handleInput(KEYS.pageUp);
    made.handleInput(KEYS.enter);
    expect(chosen).toEqual([115]);
    made.handleInput(KEYS.home);
    made.handleInput(KEYS.enter);
    expect(chosen).toEqual([115, 0]);
  });

  it('filters while one types, marks what matched, and takes it back', () => {
    const { made } = list({ look: { theme: { ...PLAIN, bold: (part) => `<${part}>` }, text } });
    type(made, '117');
    const [head, query, first] = shown(made.render(40));
    expect(head).toContain('1/1');
    expect(query).toContain('117');
    expect(first).toContain('item <117>');
    type(made, 'x');
    expect(shown(made.render(40)).join('\n')).toContain('Nothing matches.');
    made.handleInput(KEYS.enter);
    for (let count = 0; count < 4; count += 1) made.handleInput(KEYS.backspace);
    expect(shown(made.render(40))[0]).toContain('1/120');
  });

  it('says its own words when it is empty, and not because of what was typed', () => {
    const { made } = list({ items: [], empty: 'There are no sessions.' });
    expect(shown(made.render(40)).join('\n')).toContain('There are no sessions.');
    type(made, 'x');
    expect(shown(made.render(40)).join('\n')).toContain('Nothing matches.');
    expect(made.spoken()).toBe('Nothing matches.');
  });

  it('takes back characters, words and everything that was typed', () => {
    const { made } = list();
    const query = () => shown(made.render(40))[1];
    type(made, 'one two 👩‍🚀👩‍🚀');
    made.handleInput(KEYS.backspace);
    expect(query()).toBe('> one two 👩‍🚀');
    made.handleInput(KEYS.ctrlW);
    made.handleInput(KEYS.ctrlW);
    expect(query()).toBe('> one');
    made.handleInput('\x1b[200~pasted\ntext\x1b[201~');
    expect(query()).toBe('> one pasted text');
    made.handleInput(KEYS.ctrlU);
    expect(query()).toBe('>');
  });

  it('has names of groups above their items, and beside them once they are sorted', () => {
    const grouped = [
      { value: 1, label: 'opus', group: 'anthropic', isCurrent: true },
      { value: 2, label: 'sonnet', group: 'anthropic', detail: 'smaller' },
      { value: 3, label: 'gpt', group: 'openai' },
    ];
    const { made } = list({ items: grouped });
    expect(shown(made.render(50)).slice(2)).toEqual(['anthropic', '❯ opus ✓', '  sonnet  smaller', 'openai', '  gpt']);
    type(made, 'g');
    expect(shown(made.render(50))[2]).toMatch(/^❯ gpt +openai$/);
  });

  it('gives keys to whoever shows it first, and Esc closes', () => {
    const names: string[] = [];
    let isClosed = false;
    const { made } = list({
      onKey: (name) => names.push(name) > 0 && name === 'ctrl+r',
      onCancel: () => (isClosed = true),
    });
    made.handleInput(KEYS.ctrlR);
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.escape);
    expect(names).toEqual(['ctrl+r', 'down', 'escape']);
    expect([made.selected?.value, isClosed]).toEqual([1, true]);
  });

  it('shows a preview of what rests, and gives up the others', async () => {
    const asked: number[] = [];
    const stopped: number[] = [];
    let frames = 0;
    const { made } = list({
      previewRows: 2,
      requestFrame: () => (frames += 1),
      preview: (value, signal) =>
        new Promise((resolve) => {
          asked.push(value);
          signal.addEventListener('abort', () => stopped.push(value));
          if (value === 2) resolve([`about ${value}\x1b]0;title\x07`, 'second', 'third']);
        }),
    });
    await until(() => asked.includes(0));
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.down);
    await until(() => frames > 0);
    expect(asked).toEqual([0, 2]);
    expect(stopped).toEqual([0]);
    expect(shown(made.render(30)).slice(-3)).toEqual(['─'.repeat(30), 'about 2', 'second']);
    made.stop();
  });

  it('shows what a search finds later below what the filter found', async () => {
    let frames = 0;
    const { made } = list({
      items: items(30),
      requestFrame: () => (frames += 1),
      search: async (query) => new Set(query === 'item 2' ? [7] : []),
    });
    type(made, 'item 2');
    await until(() => frames > 0);
    made.handleInput(KEYS.end);
    expect(made.selected?.value).toBe(7);
    type(made, '9');
    expect(shown(made.render(30))[0]).toContain('1/1');
  });

  it('keeps the selection when its items change', () => {
    const { made } = list({ items: items(5) });
    made.handleInput(KEYS.end);
    made.setItems(items(9));
    expect(made.selected?.value).toBe(4);
    made.setItems([]);
    made.handleInput(KEYS.down);
    expect(made.selected).toBeUndefined();
  });
});

/** Labels as hostile as files and models make them. */
const hostile = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('\x1b[2J\x1b]0;x\x07', 'a\nb\tc', '日本語テキスト', '👩‍🚀🇩🇪', 'İ'.repeat(9), '\u0301\u0301', ''),
);

function expectToFit(rows: readonly string[], width: number): void {
  for (const row of rows) {
    const plain = row.replaceAll(CURSOR_MARKER, '');
    expect(text.width(plain), JSON.stringify(row)).toBeLessThanOrEqual(width);
    expect(plain).not.toMatch(/[\n\t]/);
    expect(text.sanitize(plain, { keepStyle: true })).toBe(plain);
  }
}

/** All nodes, each before its children. */
const inOrder = (nodes: readonly TreeNode<number>[]): TreeNode<number>[] =>
  nodes.flatMap((node) => [node, ...inOrder(node.children)]);

const widths = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 }));
const keys = fc.array(fc.oneof(fc.constantFrom(...Object.values(KEYS)), hostile), { maxLength: 12 });
const themes = fc.constantFrom(PLAIN, COLOURED);

describe('rows', () => {
  it('of a list fit widths from 1 to 400, whatever the items hold and whatever is typed', () => {
    const item = fc.record(
      { value: fc.nat(), label: hostile, detail: hostile, hint: hostile, group: hostile, isCurrent: fc.boolean() },
      { requiredKeys: ['value', 'label'] },
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), widths, keys, themes, (all, width, typed, theme) => {
        const made = new SelectList({
          look: { theme, text },
          items: all as SelectItem<number>[],
          title: 'A title that is longer than narrow screens',
          maxRows: 4,
          footer: () => 'enter take · esc close',
          onChoose: () => undefined,
        });
        expectToFit(made.render(width), width);
        for (const data of typed) made.handleInput(data);
        expectToFit(made.render(width), width);
      }),
    );
  });

  it('of a tree fit, too', () => {
    type Below = fc.Arbitrary<readonly TreeNode<number>[]>;
    const nodeOver = (children: Below) =>
      fc.record(
        { id: fc.uuid(), value: fc.nat(), label: hostile, tag: hostile, hint: hostile, children },
        { requiredKeys: ['id', 'value', 'label', 'children'] },
      ) as fc.Arbitrary<TreeNode<number>>;
    const none: Below = fc.constant([]);
    const deep = [1, 2, 3, 4].reduce<Below>((below) => fc.array(nodeOver(below), { maxLength: 3 }), none);
    const node = nodeOver(deep);
    fc.assert(
      fc.property(fc.array(node, { maxLength: 3 }), widths, keys, themes, (roots, width, typed, theme) => {
        const rows = treeRows(roots, { isShown: ({ value }) => value % 3 !== 0, folded: new Set() });
        expect(rows.map((row) => row.node)).toEqual(inOrder(roots).filter(({ value }) => value % 3 !== 0));
        const made = new TreeList({ look: { theme, text }, roots, title: 'Tree', onChoose: () => undefined });
        expectToFit(made.render(width), width);
        for (const data of typed) made.handleInput(data);
        expectToFit(made.render(width), width);
      }),
    );
  });

  it('of settings fit, too', () => {
    const kind = fc.oneof(
      fc.constantFrom('boolean' as const, 'text' as const),
      fc.record({ choices: fc.array(hostile, { maxLength: 3 }) }),
    );
    const item = fc.record({ key: hostile, value: hostile, description: hostile, kind });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), widths, keys, themes, (all, width, typed, theme) => {
        const made = new SettingsList({
          look: { theme, text },
          items: all,
          title: 'Settings',
          onChange: async () => 'refused\n',
          onCancel: () => undefined,
          requestFrame: () => undefined,
        });
        for (const data of ['', ...typed]) {
          made.handleInput(data);
          expectToFit(made.render(width), width);
        }
      }),
    );
  });
});

describe('a tree', () => {
  const leaf = (id: string, ...children: TreeNode<string>[]): TreeNode<string> => ({
    id,
    value: id,
    label: id,
    children,
  });
  const roots = [leaf('a', leaf('b', leaf('c', leaf('d')), leaf('e', leaf('f'))))];

  it('indents branches only, marks the way to where the user is, and folds', () => {
    const chosen: string[] = [];
    const made = new TreeList({ look, roots, current: 'd', onChoose: ({ id }) => chosen.push(id) });
    expect(shown(made.render(60)).slice(2)).toEqual([
      '  • a',
      '  • b',
      '  ├─ • c',
      '❯ │  • d ← you are here',
      '  └─   e',
      '       f',
    ]);
    made.handleInput(KEYS.left);
    expect(made.selected?.id).toBe('c');
    made.handleInput(KEYS.left);
    expect(shown(made.render(60)).slice(2)).toEqual([
      '  • a',
      '  • b',
      '❯ ├─ • c ▸ 1 more ← you are here',
      '  └─   e',
      '       f',
    ]);
    made.handleInput(KEYS.right);
    made.handleInput(KEYS.right);
    made.handleInput(KEYS.enter);
    expect(chosen).toEqual(['d']);
  });

  it('keeps the shape when a filter hides what lies between', () => {
    const made = new TreeList({
      look,
      roots,
      isShown: ({ id }) => id !== 'b' && id !== 'c',
      onChoose: () => undefined,
    });
    expect(shown(made.render(60)).slice(2)).toEqual(['❯   a', '  ├─   d', '  └─   e', '       f']);
    type(made, 'f');
    expect(shown(made.render(60)).slice(2)).toEqual(['❯   f']);
  });

  it('takes chains of 20,000 entries', () => {
    let chain = leaf('20000');
    for (let at = 19_999; at >= 0; at -= 1) chain = leaf(String(at), chain);
    const made = new TreeList({ look, roots: [chain], current: '20000', onChoose: () => undefined });
    expect(shown(made.render(40)).at(-1)).toBe('❯ • 20000 ← you are here');
    made.handleInput(KEYS.left);
    expect(made.selected?.id).toBe('0');
  });
});

describe('settings', () => {
  function settings(answer: string | undefined = undefined) {
    const changes: [string, string | undefined][] = [];
    const made = new SettingsList({
      look,
      items: [
        { key: 'a.on', value: 'true', kind: 'boolean', description: 'Switches it.' },
        { key: 'a.mode', value: 'one', kind: { choices: ['one', 'two'] } },
        { key: 'a.name', value: 'old', kind: 'text' },
      ],
      onChange: async (key, value) => {
        changes.push([key, value]);
        return answer;
      },
      onCancel: () => undefined,
      requestFrame: () => undefined,
    });
    return { made, changes };
  }

  it('switches, offers choices, takes text and sets back', () => {
    const { made, changes } = settings();
    expect(shown(made.render(60)).join('\n')).toContain('Switches it.');
    made.handleInput(KEYS.enter);
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.enter);
    expect(shown(made.render(60))).toContain('❯ one ✓');
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.enter);
    made.handleInput(KEYS.down);
    made.handleInput(KEYS.enter);
    expect(shown(made.render(60)).at(-1)).toBe('a.name = old');
    made.handleInput(KEYS.escape);
    made.handleInput(KEYS.enter);
    type(made, 'er');
    made.handleInput(KEYS.enter);
    made.handleInput(KEYS.ctrlR);
    expect(changes).toEqual([
      ['a.on', 'false'],
      ['a.mode', 'two'],
      ['a.name', 'older'],
      ['a.name', undefined],
    ]);
  });

  it('shows why a change was refused', async () => {
    const { made } = settings('Only a person may do that.');
    made.handleInput(KEYS.enter);
    await until(() => shown(made.render(60)).join('\n').includes('Only a person may do that.'));
  });
});
