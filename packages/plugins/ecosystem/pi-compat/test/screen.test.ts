/** Extensions on a real screen: components in processes of their own, keys go in, rows come out. */
import { afterEach, expect, test } from 'vitest';
import { until } from '@tenon/test-kit/waiting';
import { TestScreen } from './support/screen-world.ts';
import { type World, world, type WorldOptions, type Written } from './support/world.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(
  modules: Readonly<Record<string, Written | string>>,
  options: WorldOptions = {},
): Promise<World & { readonly screen: TestScreen }> {
  const screen = await TestScreen.make();
  const made = await world(modules, [{ text: 'done' }], {
    ...options,
    ui: { canAsk: () => true, ...options.ui, screen },
  });
  open.push(async () => {
    await made.end();
    screen.close();
  });
  return { ...made, screen };
}

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ENTER = '\r';
const ESCAPE = '\u001b';

const PICKER = `
  import { Container, SelectList, Text, Key, matchesKey } from '@mariozechner/pi-tui';
  import { DynamicBorder, getSelectListTheme } from '@mariozechner/pi-coding-agent';
  export default (pi) => {
    pi.registerCommand('pick', { handler: async (_args, ctx) => {
      const items = ['red', 'green', 'blue'].map((value) => ({ value, label: value }));
      const picked = await ctx.ui.custom(async (tui, theme, keybindings, done) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        const box = new Container();
        box.addChild(new DynamicBorder());
        box.addChild(new Text(theme.fg('accent', 'Which colour?'), 1, 0));
        const list = new SelectList(items, 5, getSelectListTheme());
        list.onSelect = (item) => done({ value: item.value, mode: ctx.mode });
        list.onCancel = () => done(null);
        box.addChild(list);
        box.handleInput = (data) => { list.handleInput(data); tui.requestRender(); };
        box.dispose = () => pi.events.emit('disposed', true);
        return box;
      });
      ctx.ui.notify('picked ' + JSON.stringify(picked));
    } });
  };`;

test('a dialog gets keys in order, draws with the colours of the screen, and its value comes back', async () => {
  const { command, screen, notices } = await start({ picker: PICKER });
  const running = command('pick');
  await screen.see('Which colour?');
  await screen.see('→ red');
  expect(screen.terminal.colorOf('Which colour?')).toBe(42);
  await screen.press(DOWN, DOWN, UP);
  await screen.see('→ green');
  await screen.press(ENTER);
  await running;
  await until(() => notices.includes('picked {"value":"green","mode":"tui"}'), `the value in ${notices.join()}`);
  await screen.lose('Which colour?');
});

test('a dialog that the user cancels gives what the extension says', async () => {
  const { command, screen, notices } = await start({ picker: PICKER });
  const running = command('pick');
  await screen.see('→ red');
  await screen.press(ESCAPE);
  await running;
  await until(() => notices.includes('picked null'), 'the cancellation');
});

test('rows follow the width of the window and the theme', async () => {
  const { command, screen } = await start({
    wide: `
      export default (pi) => pi.registerCommand('wide', { handler: (_args, ctx) => {
        ctx.ui.setFooter((tui, theme, data) => ({
          invalidate() {},
          render: (width) => [theme.fg('accent', 'footer of ' + width + ' in ' + theme.name), 'on ' + data.getGitBranch()],
        }));
        ctx.ui.setHeader(() => ({ invalidate() {}, render: () => ['the header'] }));
        ctx.ui.setWidget('below', ['lines below'], { placement: 'belowEditor' });
        ctx.ui.setWidget('above', (tui, theme) => ({ invalidate() {}, render: () => ['drawn above'] }));
      } });`,
  });
  await command('wide');
  await screen.see('footer of 60 in dark');
  for (const text of ['the header', 'lines below', 'drawn above', 'on null']) await screen.see(text);
  const rows = screen.contents.split('\n');
  const at = (text: string) => rows.findIndex((row) => row.includes(text));
  expect([at('the header'), at('drawn above'), at('lines below'), at('footer of')]).toEqual(
    [at('the header'), at('drawn above'), at('lines below'), at('footer of')].sort((a, b) => a - b),
  );
  screen.resize(50, 20);
  await screen.see('footer of 50');
  screen.setTheme('light');
  await screen.see('in light');
  await until(() => screen.terminal.colorOf('footer of 50') === 21, 'the new colour');
});

test('an extension that never answers does not hold the screen, and the user can leave its dialog', async () => {
  const { command, screen, notices } = await start(
    {
      stuck: `
        export default (pi) => pi.registerCommand('stuck', { handler: async (_args, ctx) => {
          await ctx.ui.custom(() => ({
            invalidate() {},
            render: () => ['stuck dialog'],
            handleInput: () => { for (const end = Date.now() + 60_000; Date.now() < end; ); },
          }));
        } });`,
    },
    { packHost: { hangSeconds: 60 } },
  );
  command('stuck').catch(() => undefined); // it runs when the test ends
  await screen.see('stuck dialog');
  await screen.press('x');
  const { frames } = screen.terminal;
  screen.draft = 'typed';
  await screen.press('y');
  await screen.see('> typed');
  expect(screen.terminal.frames).toBeGreaterThan(frames);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  await screen.press(ESCAPE);
  await screen.lose('stuck dialog');
  expect(notices.join('\n')).toContain('"stuck" does not answer');
});

test('a flood of requests to draw costs a bounded number of frames', async () => {
  const { command, screen } = await start({
    flood: `
      export default (pi) => pi.registerCommand('flood', { handler: async (_args, ctx) => {
        await ctx.ui.custom((tui, theme, kb, done) => {
          let count = 0;
          const end = Date.now() + 1500;
          const again = () => { for (let i = 0; i < 200; i++) tui.requestRender(); count++; if (Date.now() < end) setImmediate(again); };
          again();
          let drawn = 0;
          return { invalidate() {}, render: () => ['drawn ' + ++drawn, Date.now() < end ? 'going on' : 'calm now'], handleInput: () => done(drawn) };
        }).then((drawn) => ctx.ui.notify('drawn ' + drawn));
      } });`,
  });
  command('flood').catch(() => undefined); // its dialog is open when the test ends
  await screen.see('drawn');
  const before = screen.terminal.frames;
  await screen.see('calm now');
  expect(screen.terminal.frames - before).toBeLessThan(100);
});

test('rows without end are cut, and a component that fails to draw says so', async () => {
  const { command, screen, reports } = await start({
    many: `
      export default (pi) => pi.registerCommand('many', { handler: async (_args, ctx) => {
        let isBroken = false;
        await ctx.ui.custom((tui, theme, kb, done) => ({
          invalidate() {},
          render: () => { if (isBroken) throw new Error('no paint'); return Array.from({ length: 3_000 }, (_, at) => 'row ' + at + 'x'.repeat(3_000)); },
          handleInput: () => { isBroken = true; },
        }));
      } });`,
  });
  command('many').catch(() => undefined); // its dialog is open when the test ends
  await screen.see('row ');
  await screen.press('x');
  await screen.see('failed to draw: no paint');
  expect(reports().some(({ message }) => message.includes('no paint'))).toBe(true);
});

test('a crash of the extension closes its dialog with a notice, and the session goes on', async () => {
  const { command, screen, notices, agent } = await start({
    crash: `
      export default (pi) => {
        pi.registerCommand('crash', { handler: async (_args, ctx) => {
          await ctx.ui.custom(() => ({ invalidate() {}, render: () => ['about to crash'], handleInput: () => process.exit(3) }));
        } });
        pi.registerCommand('alive', { handler: (_args, ctx) => ctx.ui.notify('alive again') });
      };`,
  });
  const running = command('crash').catch(() => undefined);
  await screen.see('about to crash');
  await screen.press('x');
  await screen.lose('about to crash');
  await running;
  await until(() => notices.some((notice) => notice.includes('"crash" ended')), 'the notice');
  await command('alive');
  expect(notices).toContain('alive again');
  await agent.prompt('go on');
});

test('overlays of overlays open and close by their handles', async () => {
  const { command, screen, notices } = await start({
    layers: `
      import { Input, Text } from '@earendil-works/pi-tui';
      export default (pi) => pi.registerCommand('layers', { handler: async (_args, ctx) => {
        let handle;
        const value = await ctx.ui.custom((tui, theme, kb, done) => {
          const input = new Input();
          input.onSubmit = done;
          const inner = tui.showOverlay(new Text('inner panel', 0, 0), { nonCapturing: true, anchor: 'top-right', width: '50%' });
          const outer = {
            width: 30,
            get focused() { return input.focused; },
            set focused(value) { input.focused = value; },
            invalidate() {},
            render: (width) => ['outer of ' + width, ...input.render(width)],
            handleInput: (data) => { if (data === '\\t') inner.hide(); else input.handleInput(data); },
          };
          return outer;
        }, { overlay: true, onHandle: (given) => { handle = given; } });
        ctx.ui.notify('typed ' + value + ' ' + typeof handle.setHidden);
      } });`,
  });
  const running = command('layers');
  await screen.see('inner panel');
  await screen.see('outer of 60');
  await screen.press('h', 'é', 'y', '\u007f', '\t');
  await screen.lose('inner panel');
  await screen.see('> hé');
  await screen.press(ENTER);
  await running;
  await until(() => notices.includes('typed hé function'), 'what was typed');
});

test('an editor of an extension edits, sends, and leaves the keys of the screen to the screen', async () => {
  const questions: string[] = [];
  const { screen } = await start(
    {
      modal: `
        import { CustomEditor } from '@mariozechner/pi-coding-agent';
        import { matchesKey } from '@mariozechner/pi-tui';
        class Modal extends CustomEditor {
          mode = 'insert';
          handleInput(data) {
            if (matchesKey(data, 'escape') && this.mode === 'insert') { this.mode = 'normal'; return; }
            if (this.mode === 'normal' && data === 'i') { this.mode = 'insert'; return; }
            if (this.mode === 'normal' && data === 'h') return super.handleInput('\\u001b[D');
            if (this.mode === 'normal' && data.length === 1 && data >= ' ') return;
            super.handleInput(data);
          }
          render(width) { return [...super.render(width), 'mode ' + this.mode]; }
        }
        export default (pi) => pi.on('session_start', (_event, ctx) => ctx.ui.setEditorComponent((tui, theme, kb) => new Modal(tui, theme, kb)));`,
    },
    { ui: { confirm: async (_title, message) => (questions.push(message), false) } },
  );
  await screen.see('mode insert');
  await screen.press('a', 'c', ESCAPE);
  await screen.see('mode normal');
  await screen.press('h', 'i', 'b');
  await until(() => screen.draft === 'abc', `the text abc, which is ${screen.draft}`);
  await screen.press('\u000f', ENTER);
  await until(() => screen.sent.length === 1, 'the prompt');
  expect([screen.sent, screen.passed]).toEqual([['abc'], ['\u000f']]);
  // What would run a command is the user's to confirm: the extension is in the sandbox.
  await screen.press('!', 'l', 's', ENTER);
  await until(() => questions.length === 1, 'the question');
  expect([questions, screen.sent]).toEqual([['!ls'], ['abc']]);
});

test('terminal input is heard first; in the sandbox it can be kept, and not changed', async () => {
  const code = `
    export default (pi) => pi.on('session_start', (_event, ctx) => {
      ctx.ui.onTerminalInput((data) => data === 'q' ? { consume: true } : data === 'a' ? { data: 'b' } : undefined);
    });`;
  const { screen } = await start({ ears: code });
  await until(() => screen.listens === 1, 'the listener');
  await screen.press('x', 'q', 'a');
  expect(screen.draft).toBe('xa');
  const trusted = await start({ ears: { code, trust: 'unconfined' } });
  await until(() => trusted.screen.listens === 1, 'the listener');
  await trusted.screen.press('x', 'q', 'a');
  expect(trusted.screen.draft).toBe('xb');
});

test('completions, the working message, the text of the editor and themes reach the screen', async () => {
  const { command, screen, notices } = await start({
    parts: `
      export default (pi) => pi.registerCommand('parts', { handler: (_args, ctx) => {
        ctx.ui.addAutocompleteProvider((current) => ({
          getSuggestions: async (lines, line, col, options) => {
            const match = /#(\\w*)$/.exec(lines[line].slice(0, col));
            return match ? { prefix: match[0], items: [{ value: '#12', label: 'issue\\u001b[2J 12' }] } : current.getSuggestions(lines, line, col, options);
          },
        }));
        const text = ctx.ui.getEditorText();
        ctx.ui.setWorkingMessage('Thinking hard');
        ctx.ui.pasteToEditor('pasted');
        ctx.ui.setToolsExpanded(true);
        ctx.ui.notify(JSON.stringify([text, ctx.ui.setTheme('light').success, ctx.ui.setTheme('none').success, ctx.ui.getAllThemes().map(({ name }) => name)]));
      } });`,
  });
  screen.draft = 'draft ';
  await command('parts');
  await until(() => notices.length > 0 && screen.sources.size === 1, 'the effects');
  expect(notices).toContain(JSON.stringify(['draft ', true, false, ['dark', 'light']]));
  await until(() => screen.expanded && screen.draft === 'draft pasted', 'the calls that nobody waits for');
  expect(screen.working).toEqual(['Thinking hard']);
  const [source] = screen.sources;
  const signal = new AbortController().signal;
  const found = await source?.({ lines: ['see #1'], line: 0, column: 6 }, signal);
  expect(found).toMatchObject({ prefix: '#1', items: [{ value: '#12' }] });
  expect(found?.items[0]?.label).not.toContain('\u001b');
  expect(await source?.({ lines: ['see'], line: 0, column: 3 }, signal)).toBeUndefined();
});

test('an extension inside Tenon shows the same components', async () => {
  const { command, screen, notices } = await start({ picker: { code: PICKER, trust: 'in-process' } });
  const running = command('pick');
  await screen.see('→ red');
  await screen.press(DOWN, ENTER);
  await running;
  await until(() => notices.includes('picked {"value":"green","mode":"tui"}'), 'the value');
});
