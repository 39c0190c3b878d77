import { until } from '@tenon/test-kit/waiting';
import { expect, it } from 'vitest';

import { CURSOR_MARKER, FullScreen, imageRows, MainScreen, type ScreenOptions } from '../src/index.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `#${at}`);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

it('keeps every finished row through a storm of resizes while rows stream, with far fewer frames than resizes', async () => {
  const terminal = new Emulator(80, 24);
  const errors: unknown[] = [];
  const screen = new MainScreen({ terminal, text, onError: (error) => errors.push(error) });
  let live = ['~one', '~two'];
  screen.add({ render: () => [...live, `~>${CURSOR_MARKER}`] });
  screen.start();
  for (let at = 0; at < 400; at += 1) {
    terminal.resize(20 + ((at * 37) % 100), 5 + ((at * 11) % 30));
    screen.append([`#${at}`]);
    live = [`~token ${at}`, '~two'];
    if (at % 20 === 0) await turn();
  }
  await until(async () => {
    await terminal.settle();
    return terminal.contents().includes('#399');
  }, 'the last row is drawn');
  expect(errors).toEqual([]);
  expect(terminal.contents().filter((row) => row.startsWith('#'))).toEqual(numbered(400));
  expect(terminal.writes.length).toBeLessThan(100);
});

const kinds = {
  'main screen': (options: ScreenOptions) => new MainScreen(options),
  fullscreen: (options: ScreenOptions) => new FullScreen(options),
};
for (const [name, make] of Object.entries(kinds)) {
  it(`draws in one column and one row without a fault, on the ${name}`, async () => {
    const terminal = new Emulator(2, 1);
    Object.defineProperty(terminal, 'columns', { value: 1, configurable: true });
    const errors: unknown[] = [];
    const screen = make({ terminal, text, frameInterval: 0, onError: (error) => errors.push(error) });
    const image = imageRows(
      { width: 90, height: 90, file: { bytes: new Uint8Array(9), kind: 'png' } },
      { kind: 'full', name: 'kitty' },
      { maxColumns: 9, maxRows: 9 },
    );
    const rows = ['日本', 'wide row', '\x1b]8;;https://a/\x1b\\link\x1b]8;;\x1b\\', ...(image ?? [])];
    screen.add({ render: () => [...rows, `>${CURSOR_MARKER}`] });
    screen.openOverlay({ render: () => ['over'] }, { width: 20 });
    screen.start();
    screen.append(rows);
    await turn();
    const close = screen.takeOver({ render: () => [], renderScreen: (width, height) => [`${width}${height}`] });
    await turn();
    close();
    await turn();
    screen.redraw(rows);
    await turn();
    screen.stop();
    expect(errors).toEqual([]);
    expect(terminal.writes.join('')).not.toContain('_G');
  });

  it(`draws nothing until a terminal that is behind has caught up, and then all of it, on the ${name}`, async () => {
    const terminal = new Emulator(40, 10);
    let isBehind = true;
    const take = terminal.write.bind(terminal);
    terminal.write = (data) => take(data) && !isBehind;
    const screen = make({ terminal, text, frameInterval: 0, onError: () => {} });
    screen.start();
    screen.append(['#0']);
    await turn();
    const writes = terminal.writes.length;
    for (const row of numbered(5).slice(1)) {
      screen.append([row]);
      await turn();
    }
    expect(terminal.writes.length).toBe(writes);
    isBehind = false;
    terminal.handlers?.onDrain();
    await turn();
    await terminal.settle();
    expect(terminal.screenRows().slice(0, 5)).toEqual(numbered(5));
    expect(terminal.writes.length).toBe(writes + 1);
  });
}

it('writes a link whole, keeps it when the row behind it changes, and takes a hostile one out', async () => {
  const terminal = new Emulator(40, 10);
  const screen = new MainScreen({ terminal, text, frameInterval: 0, onError: () => {} });
  const open = '\x1b]8;;https://example.org/\x1b\\';
  const close = '\x1b]8;;\x1b\\';
  let tail = 'one';
  screen.add({
    render: () => [`see ${open}the page${close} ${tail}`, `${open}never closed`, 'x'.repeat(38) + open + 'cut'],
  });
  screen.add({ render: () => ['\x1b]8;;javascript:alert(1)\x07bad\x1b]8;;\x07'] });
  screen.start();
  await turn();
  tail = 'two';
  screen.requestFrame();
  await turn();
  await terminal.settle();
  const [first = '', second = ''] = terminal.writes;
  expect(first).toContain(`${open}never closed${close}`);
  expect(first).toContain(`${open}cu${close}`);
  expect(first).not.toContain('javascript');
  expect(second).toContain(`${open}the page${close} two`);
  expect(second.split(open)).toHaveLength(2);
  expect(terminal.contents()[0]).toBe('see the page two');
});
