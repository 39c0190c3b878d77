import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalQuestion, FormQuestion } from '@tenon/host';
import { CURSOR_MARKER } from '@tenon/screen';
import {
  ApprovalDialog,
  Countdown,
  createInterface,
  FormDialog,
  type InterfaceExtras,
  SelectDialog,
  TextDialog,
} from '../src/dialogs/index.ts';
import { badRows, text, theme } from './cards-style.ts';
import { Desk, KEY } from './dialogs-screen.ts';

function start(extras: Partial<InterfaceExtras> = {}, size: { columns?: number; rows?: number } = {}) {
  const desk = new Desk(size.columns, size.rows);
  const told: unknown[][] = [];
  const ui = createInterface(desk, {
    now: desk.now,
    setStatus: (...words) => void told.push(['status', ...words]),
    setWidget: (...words) => void told.push(['widget', ...words]),
    setTitle: (...words) => void told.push(['title', ...words]),
    ...extras,
  });
  return { desk, ui, told };
}

describe('a question', () => {
  it('is answered with arrows and enter, or with the number of the answer', async () => {
    const { desk, ui } = start();
    const first = ui.select('Which one?', ['red', 'green', 'blue']);
    expect(await desk.sees('Which one?')).toContain('❯ 1 red');
    await desk.type(KEY.down, KEY.enter);
    expect(await first).toBe('green');
    const second = ui.select('And now?', ['red', 'green', 'blue']);
    await desk.sees('And now?');
    await desk.type('3');
    expect(await second).toBe('blue');
    expect(await desk.sees('the editor')).toEqual(['the editor']);
  });

  it('is not answered by keys that were typed before anybody could see it', async () => {
    const { desk, ui } = start();
    let answer: boolean | 'none' = 'none';
    const asked = ui.confirm('Delete everything?', 'It cannot be undone.').then((said) => (answer = said));
    desk.typeAhead('y', KEY.enter);
    await desk.sees('Delete everything?');
    desk.time += 399;
    desk.typeAhead('y', KEY.enter);
    await desk.shown();
    expect(answer).toBe('none');
    await desk.type('n');
    expect(await asked).toBe(false);
  });

  it('without an answer gives undefined, and a confirmation no', async () => {
    const { desk, ui } = start();
    const asked = [ui.select('Which?', ['a']), ui.confirm('Really?', ''), ui.input('Name?')] as const;
    for (const title of ['Which?', 'Really?', 'Name?']) {
      await desk.sees(title);
      await desk.type(KEY.escape);
    }
    expect(await Promise.all(asked)).toEqual([undefined, false, undefined]);
  });

  it('disappears when its signal aborts or its time is over, and says how much is left', async () => {
    const { desk, ui } = start();
    const stop = new AbortController();
    const first = ui.select('Wait?', ['a'], { signal: stop.signal });
    await desk.sees('Wait?');
    stop.abort();
    expect(await first).toBeUndefined();
    await desk.sees('the editor');
    const second = ui.input('Quick?', 'now', { timeoutMs: 2_000 });
    await desk.sees(/Quick\?[\s\S]*\ds left/);
    expect(await second).toBeUndefined();
    await desk.sees('the editor');
    expect(await ui.select('Never', ['a'], { signal: stop.signal })).toBeUndefined();
  });

  it('waits for those before it; one that is withdrawn while it waits is never shown', async () => {
    const asking: boolean[] = [];
    const { desk, ui } = start({ onAsking: (isAsking) => void asking.push(isAsking) });
    const stop = new AbortController();
    const first = ui.select('First?', ['a']);
    const second = ui.select('Second?', ['b'], { signal: stop.signal });
    const third = ui.select('Third?', ['c']);
    await desk.sees('First?');
    stop.abort();
    expect(await second).toBeUndefined();
    await desk.type(KEY.enter);
    expect(await first).toBe('a');
    expect((await desk.sees('Third?')).join('\n')).not.toContain('Second?');
    await desk.type(KEY.enter);
    expect(await third).toBe('c');
    expect(asking).toEqual([true, false, true, false]);
  });

  it('shows no control sequences of whoever asks, and gives the answer as it was', async () => {
    const { desk, ui } = start();
    const evil = '\u001b[2Jgone\u202e\u0007';
    const asked = ui.select(`Title\u001b]0;x\u0007 \u001b[31mred`, [evil, 'other']);
    const rows = await desk.sees('Title');
    expect(rows.join('\n')).toContain('gone');
    await desk.type(KEY.enter);
    expect(await asked).toBe(evil);
  });

  it('with more answers than the screen has rows shows those around the selected one', async () => {
    const { desk, ui } = start({}, { rows: 12 });
    const asked = ui.select(
      'Many',
      Array.from({ length: 60 }, (_, at) => `answer ${at}`),
    );
    await desk.sees('answer 0');
    await desk.type(...Array.from({ length: 40 }, () => KEY.down));
    const rows = await desk.sees('answer 40');
    expect(rows[0]).toMatch(/^─+$/);
    expect(rows.length).toBeLessThanOrEqual(12);
    await desk.type(KEY.enter);
    expect(await asked).toBe('answer 40');
  });
});

describe('a long question', () => {
  it('can be read to its end, with its answers in view', async () => {
    const { desk, ui } = start({}, { rows: 16 });
    const title = Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join('\n');
    const asked = ui.select(title, ['Trust this folder', 'Do not trust it']);
    expect((await desk.sees('rows 1-')).join('\n')).toContain('Trust this folder');
    await desk.type(...Array.from({ length: 20 }, () => KEY.pageDown));
    expect((await desk.sees('Line 39.')).join('\n')).toContain('❯ 1 Trust this folder');
    await desk.type('2');
    expect(await asked).toBe('Do not trust it');
  });
});

describe('any dialog', () => {
  it('is never wider than the screen, whatever is asked, and passes no control sequences on', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constantFrom('\u001b[2J', '\u001b]0;x\u0007', '表'.repeat(60), 'a\nb\tc\r', ''),
    );
    const answers = (said: string) => [said, said].map((label) => ({ label, detail: said }));
    const look = { text, theme, requestFrame: () => undefined, notify: () => undefined };
    const keys = { keysOf: () => [], isKey: () => false };
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 60 }), (said, width, rows) => {
        const seat = { ...look, ...keys, rows };
        const clock = new Countdown(undefined, () => undefined);
        const parts = { clock, done: () => undefined };
        const question: ApprovalQuestion = {
          id: 'x',
          tool: said,
          input: {},
          folder: said,
          pieces: [
            { text: said, isRisky: false },
            { text: said, isRisky: true },
          ],
          tier: 3,
          reasons: [said],
          notes: [said],
          isSecondRun: false,
          command: said,
          choices: [
            { id: '0', label: said, allows: true, extent: 'always', rules: [said] },
            { id: '1', label: 'Deny', allows: false },
          ],
        };
        const approval = new ApprovalDialog(seat, question, { ...parts, now: () => Date.now() });
        approval.previews = [{ path: said, diff: `@@ -1 +1 @@\n-${said}\n+x` }];
        const form = [{ id: 'a', question: said, options: answers(said), multi: true, recommended: 1 }];
        const dialogs = [
          approval,
          new SelectDialog(seat, { title: said, message: said, options: answers(said) }, parts),
          new FormDialog(seat, form, parts),
          new TextDialog(seat, { title: said, prefill: said, placeholder: said, isLong: true }, parts),
        ];
        const rendered = dialogs.flatMap((dialog) => dialog.render(width));
        const shown = rendered.map((row) => row.replaceAll(CURSOR_MARKER, ''));
        expect(badRows(shown, width)).toEqual([]);
      }),
    );
  });

  it('that was covered by another one does not get the key that answered that', async () => {
    const { desk, ui } = start();
    let below: number | 'none' | undefined = 'none';
    const question = {
      title: 'Below?',
      options: [
        { label: 'yes', letter: 'y' },
        { label: 'no', letter: 'n' },
      ],
    };
    const clock = new Countdown(undefined, () => undefined);
    const covered = desk
      .ask<number>((done) => new SelectDialog(desk, question, { clock, now: desk.now, done }))
      .then((answer) => (below = answer));
    await desk.sees('Below?');
    const above = ui.confirm('Above?', '');
    await desk.sees('Above?');
    await desk.type('y', 'y', 'y');
    expect(await above).toBe(true);
    await desk.sees('Below?');
    expect(below).toBe('none');
    await desk.type('n');
    expect(await covered).toBe(1);
  });

  it('takes no paste for an answer', async () => {
    const { desk, ui } = start();
    const asked = ui.confirm('Really?', '');
    await desk.sees('Really?');
    await desk.type('\u001b[200~y\u001b[201~');
    await desk.type('n');
    expect(await asked).toBe(false);
  });
});

describe('a text', () => {
  it('is typed and sent with enter; a long one has lines and may be written in the own editor', async () => {
    const { desk, ui } = start({ externalEditor: async (draft) => `${draft}\nfrom outside\n` });
    const name = ui.input('Name?');
    await desk.sees('Name?');
    await desk.type('A', 'd', 'a', KEY.enter);
    expect(await name).toBe('Ada');
    const long = ui.editor('Story', 'Once');
    await desk.sees(/Story[\s\S]*ctrl\+g opens your editor/);
    await desk.type('\u001b[200~ upon\na time\u001b[201~');
    await desk.sees('a time');
    await desk.type('\x07');
    await desk.sees('from outside');
    await desk.type(KEY.enter);
    expect(await long).toBe('Once upon\na time\nfrom outside');
  });
});

describe('a form', () => {
  const questions: FormQuestion[] = [
    {
      id: 'db',
      question: 'Which database?',
      options: [{ label: 'SQLite', description: 'one file' }, { label: 'Postgres' }],
      recommended: 1,
    },
    {
      id: 'parts',
      question: 'Which parts?',
      multi: true,
      options: [{ label: 'login' }, { label: 'cart' }, { label: 'mail' }],
    },
  ];

  it('takes options, boxes and own words, and lets one go back', async () => {
    const { desk, ui } = start();
    const asked = ui.fillIn?.(questions);
    const rows = await desk.sees('1/2 Which database?');
    expect(rows).toContain('❯ 2 Postgres (recommended)');
    expect(rows.join('\n')).toContain('one file');
    await desk.type(KEY.enter);
    await desk.sees('2/2 Which parts?');
    await desk.type(KEY.left);
    await desk.sees('1/2');
    await desk.type('1');
    await desk.sees('2/2');
    await desk.type(' ', KEY.down, KEY.down, ' ');
    expect(await desk.sees('[x] mail')).toContain('  1 [x] login');
    await desk.type('4');
    await desk.sees('Your answer');
    await desk.type('s', 'e', 'o', KEY.enter);
    expect(await asked).toEqual([
      { id: 'db', selected: ['SQLite'] },
      { id: 'parts', selected: ['login', 'mail'], custom: 'seo' },
    ]);
  });

  it('gives what was answered and what is recommended when time is over', async () => {
    const { desk, ui } = start();
    const asked = ui.fillIn?.(questions, { timeoutMs: 2_500 });
    await desk.sees('1/2');
    await desk.type('1');
    expect(await asked).toEqual([
      { id: 'db', selected: ['SQLite'] },
      { id: 'parts', selected: ['login'], timedOut: true },
    ]);
  });

  it('closed by the user gives nothing', async () => {
    const { desk, ui } = start();
    const asked = ui.fillIn?.(questions);
    await desk.sees('1/2');
    await desk.type(KEY.escape);
    expect(await asked).toBeUndefined();
  });
});

describe('what plugins show', () => {
  it('goes to the functions of the screen', () => {
    const { desk, ui, told } = start();
    ui.setStatus('k', 'on');
    ui.setWidget('w', ['row']);
    ui.setTitle('t');
    ui.notify('hello');
    ui.setEditorText('draft');
    expect(told).toEqual([
      ['status', 'k', 'on'],
      ['widget', 'w', ['row']],
      ['title', 't'],
    ]);
    expect([desk.notices, desk.draft]).toEqual([['hello'], 'draft']);
  });
});
