import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolRenderer, ToolView } from '@tenon/screen-slots/api';
import { builtInRenderers, prepareDiffs, renderCard, rendererOf } from '../src/cards/index.ts';
import { badRows, bare, styleOf } from './cards-style.ts';

const names = [...Object.keys(builtInRenderers), 'mcp__notes__add', 'constructor', '__proto__'];
/** Texts of files, programs and models: any character, sequences that move the cursor, anchors, patches. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '\u001b[2J\u001b[31mred',
    '\u001b]52;c;aGk=\u0007',
    '\u009b3J',
    'a\r\nb\tc',
    '41th|const a = 1;\n42ab|\n',
    '@@ -1,2 +1,2 @@\n-old\n+new\n same',
    '*** Update File: a.ts\n@@\n-a\n+b',
    '@@ src/a.ts\n= 1ab..2cd\n~x',
    '表'.repeat(30),
  ),
);
const key = fc.constantFrom(
  ...['path', 'content', 'input', 'command', 'cwd', 'pattern', 'paths', 'edits', 'ops', 'questions', 'url', 'query'],
  ...[
    'diff',
    'cells',
    'jobs',
    'phases',
    'tasks',
    'results',
    'perFileResults',
    'async',
    'refused',
    'meta',
    'truncation',
  ],
  ...[
    'shownRange',
    'title',
    'status',
    'output',
    'code',
    'old_text',
    'new_text',
    'calculations',
    'mermaid',
    'task',
    'op',
  ],
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    hostile,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}));
const views = fc.record({
  name: fc.constantFrom(...names),
  input: fc.dictionary(key, value, { maxKeys: 6 }),
  state: fc.constantFrom<ToolView['state']>('writing', 'waiting', 'running', 'done', 'failed'),
  result: fc.oneof(
    fc.constant(undefined),
    fc.record({
      content: fc.oneof(
        value,
        fc.array(fc.record({ type: fc.constantFrom('text', 'image'), text: hostile, data: hostile })),
      ),
      details: value,
      isError: fc.boolean(),
    }),
  ),
});

describe('a card', () => {
  it('never throws, never is wider than its width, and has no control sequences but styles', async () => {
    const isSafe = () =>
      fc.assert(
        fc.property(views, fc.integer({ min: 1, max: 200 }), fc.boolean(), (given, width, isExpanded) => {
          const view = given as unknown as ToolView;
          const rows = renderCard(view, rendererOf(view.name), styleOf(width, isExpanded), { elapsedMs: 61_000 });
          expect(badRows(rows, width)).toEqual([]);
        }),
        { numRuns: caseCount(400) },
      );
    isSafe();
    await prepareDiffs();
    isSafe();
  });

  it('of a renderer that fails shows the name of the tool and what is wrong', () => {
    const broken: ToolRenderer = {
      title: () => {
        throw new Error('no title');
      },
      body: () => {
        throw new Error('no \u001b[2Jbody');
      },
    };
    const rows = renderCard({ name: 'theirs', input: {}, state: 'done' }, broken, styleOf(80));
    expect(bare(rows)).toEqual(['✓ theirs', '  The card of theirs cannot be drawn: no body']);
  });

  it('of a renderer of a pack takes out what is no style, and cuts what is too wide', () => {
    const wild: ToolRenderer = {
      title: () => 'a\u001b[2J\nb',
      body: () => ['x'.repeat(50), '\u001b[31mred\u001b]0;t\u0007'],
    };
    const rows = renderCard({ name: 'theirs', input: {}, state: 'done' }, wild, styleOf(20));
    expect(bare(rows)).toEqual(['✓ a b', `  ${'x'.repeat(17)}…`, '  red']);
    expect(rows.join('')).toContain('\u001b[31mred');
  });
});
