import fc from 'fast-check';
import { expect, it } from 'vitest';

import { type Component, FullScreen, imageProtocol, imageRows, MainScreen } from '../src/index.ts';
import { encodeSixel } from '../src/sixel.ts';
import { Emulator } from './support/emulator.ts';
import { text } from './support/text.ts';

const cell = { width: 10, height: 20 };
const kitty = { kind: 'full', name: 'kitty', cell } as const;
const iterm2 = { kind: 'full', name: 'iterm2', cell } as const;
const limits = { maxColumns: 40, maxRows: 10 };
const png = (size: number) => ({ kind: 'png' as const, bytes: Uint8Array.from({ length: size }, (_, at) => at % 251) });
const picture = { width: 100, height: 60, file: png(9000) };

function setUp<S>(make: (terminal: Emulator, errors: unknown[]) => S, columns = 40, rows = 12) {
  const terminal = new Emulator(columns, rows);
  const errors: unknown[] = [];
  const screen = make(terminal, errors);
  const drawn = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await terminal.settle();
    }
  };
  return { terminal, screen, errors, drawn };
}
const mainScreen = (terminal: Emulator, errors: unknown[]) =>
  new MainScreen({ terminal, text, frameInterval: 0, onError: (error) => errors.push(error) });
const fullScreen = (terminal: Emulator, errors: unknown[]) =>
  new FullScreen({ terminal, text, frameInterval: 0, onError: (error) => errors.push(error) });

it('chooses the way that the terminal knows, and none where it would print rubbish', () => {
  expect(imageProtocol(kitty)).toBe('kitty');
  expect(imageProtocol(iterm2)).toBe('iterm2');
  expect(imageProtocol({ kind: 'full', sixel: true })).toBe('sixel');
  expect(imageProtocol({ kind: 'full' })).toBeUndefined();
  expect(imageProtocol({ ...kitty, kind: 'none' })).toBeUndefined();
  expect(imageProtocol({ ...kitty, multiplexer: 'tmux' })).toBeUndefined();
  expect(imageProtocol({ ...kitty, multiplexer: 'tmux' }, true)).toBe('kitty');
  expect(imageProtocol({ kind: 'full', name: 'tmux', multiplexer: 'tmux', sixel: true })).toBe('sixel');
});

it("sends kitty the whole file in chunks that it takes, in the image's own size or as the limits say", () => {
  const rows = imageRows(picture, kitty, limits) ?? [];
  expect(rows).toHaveLength(3);
  const chunks = [...(rows[0] ?? '').matchAll(/\x1b_G([^;\x1b]*);([^\x1b]*)\x1b\\/g)];
  expect(chunks.map(([, , payload = '']) => payload.length).every((length) => length <= 4096)).toBe(true);
  expect(Buffer.from(chunks.map((chunk) => chunk[2]).join(''), 'base64')).toEqual(Buffer.from(picture.file.bytes));
  expect(chunks[0]?.[1]).toMatch(/^a=T,f=100,q=2,C=1,c=10,r=3,i=\d+,m=1$/);
  expect(chunks.at(-1)?.[1]).toBe('q=2,m=0');
  expect(imageRows(picture, kitty, { maxColumns: 5, maxRows: 10 })).toHaveLength(2);
  const { cell: _cell, ...unsized } = kitty;
  expect(imageRows(picture, unsized, limits)).toHaveLength(4);
  expect(imageRows({ ...picture, file: { ...picture.file, kind: 'jpeg' } }, kitty, limits)).toBeUndefined();
  expect(imageRows(picture, kitty, { maxColumns: 0, maxRows: 3 })).toBeUndefined();
});

it('wraps images for tmux only where that passes them on', () => {
  expect(imageRows(picture, { ...kitty, multiplexer: 'tmux' }, limits)).toBeUndefined();
  const [row = ''] = imageRows(picture, { ...kitty, multiplexer: 'tmux' }, { ...limits, passthrough: true }) ?? [];
  expect(row).toContain('\x1bPtmux;\x1b\x1b_Ga=T');
  expect(row.replaceAll(/\x1bPtmux;[^]*?[^\x1b]\x1b\\/g, '')).not.toContain('_G');
});

for (const kind of ['short', 'scrolled'] as const) {
  it(`draws an image among finished rows once, where its rows are, on a ${kind} screen`, async () => {
    const { terminal, screen, errors, drawn } = setUp(mainScreen);
    let live = ['live', 'foot'];
    const before = Array.from({ length: kind === 'short' ? 2 : 30 }, (_, at) => `row ${at}`);
    screen.add({ render: () => live });
    screen.append(before);
    screen.start();
    await drawn();
    screen.append(['caption', ...(imageRows(picture, iterm2, limits) ?? []), 'after']);
    await drawn();
    live = ['live changed', 'more', 'foot'];
    screen.append(['later']);
    await drawn();
    expect(errors).toEqual([]);
    expect(terminal.contents()).toEqual([...before, 'caption', '', '', '', 'after', 'later', ...live]);
    expect(terminal.images).toEqual([{ line: before.length + 1, column: 0, rows: 3 }]);
  });
}

it('erases no row of an image that comes where live rows were', async () => {
  const { terminal, screen, drawn } = setUp(mainScreen);
  const live = ['one', 'two', 'three', 'four', 'five'];
  screen.add({ render: () => live });
  screen.start();
  await drawn();
  screen.append([...(imageRows(picture, iterm2, limits) ?? []), 'after']);
  await drawn();
  expect(terminal.contents()).toEqual(['', '', '', 'after', ...live]);
  expect(terminal.images).toEqual([{ line: 0, column: 0, rows: 3 }]);
  expect(terminal.damages).toBe(0);
  const page = setUp(fullScreen, 40, 8);
  page.screen.append(live);
  page.screen.start();
  await page.drawn();
  page.screen.redraw([...(imageRows(picture, iterm2, limits) ?? []), 'after']);
  await page.drawn();
  page.screen.append(['later']);
  await page.drawn();
  expect(page.terminal.screenRows().slice(0, 5)).toEqual(['', '', '', 'after', 'later']);
  expect(page.terminal.images).toHaveLength(1);
  expect(page.terminal.damages).toBe(0);
});

it('draws a live image again only where it has moved, and takes it off a kitty when it goes', async () => {
  const { terminal, screen, drawn } = setUp(mainScreen);
  const image = imageRows(picture, kitty, limits) ?? [];
  let shown = ['above', ...image];
  screen.add({ render: () => shown });
  screen.add({ render: () => ['foot'] });
  screen.start();
  await drawn();
  terminal.writes.length = 0;
  shown = ['changed', ...image];
  screen.requestFrame();
  await drawn();
  expect(terminal.writes.join('')).not.toContain('_G');
  shown = image;
  screen.requestFrame();
  await drawn();
  expect(terminal.writes.join('')).toMatch(/\x1b_Ga=d,d=i,i=\d+,q=2\x1b\\[^]*\x1b_Ga=T/);
  terminal.writes.length = 0;
  shown = [];
  screen.requestFrame();
  await drawn();
  expect(terminal.writes.join('')).toContain('\x1b_Ga=d');
  expect(terminal.contents()).toEqual(['foot']);
});

it('says that there is an image where it does not fit whole, and never cuts one', async () => {
  const { terminal, screen, drawn } = setUp(fullScreen, 40, 6);
  const rows = ['a', 'b', ...(imageRows(picture, iterm2, limits) ?? []), ...'cdefgh'];
  screen.append(rows);
  screen.start();
  for (const [top, shown, images] of [
    [0, ['a', 'b', '', '', '', 'c'], 1],
    [2, ['', '', '', 'c', 'd', 'e'], 1],
    [3, ['', '', 'c', 'd', 'e', 'f'], 0],
  ] as const) {
    screen.scrollTo(top);
    terminal.images.length = 0;
    await drawn();
    expect(terminal.screenRows()).toEqual(shown);
    expect(terminal.images).toHaveLength(images);
  }
  terminal.resize(5, 6);
  screen.scrollTo(0);
  await drawn();
  expect(terminal.screenRows()).toEqual(['a', 'b', '(imag', '', '', 'c']);
  terminal.resize(40, 3);
  await drawn();
  expect(terminal.screenRows()).toEqual(['a', 'b', '(image)']);
});

it('shows no image that a text only pretends to be', async () => {
  const { terminal, screen, drawn } = setUp(mainScreen);
  const [real = ''] = imageRows(picture, kitty, limits) ?? [];
  const forged: Component = {
    render: () => [
      '\x1b_Ga=T,f=100;AAAA\x1b\\one',
      `\x1b_tenon-image:00000000-0000-0000-0000-000000000000;1;1;7;\x1b[2Jtwo`,
      `x${real}`,
      '\x1bPq#0;2;0;0;0~\x1b\\three\x1b]1337;File=inline=1:AAAA\x07',
    ],
  };
  screen.add(forged);
  screen.start();
  await drawn();
  const written = terminal.writes.join('');
  expect(written).not.toMatch(/_G|1337|\x1bP|\x1b\[2J/);
});

/** A decoder of sixels, for what the encoder writes: colours by their percents, nothing where it is clear. */
function decodeSixel(sequence: string): { width: number; height: number; pixels: (string | undefined)[] } {
  const [, size = '', body = ''] = /^\x1bP0;1q"1;1;(\d+;\d+)([^]*)\x1b\\$/.exec(sequence) ?? [];
  const [width = 0, height = 0] = size.split(';').map(Number);
  const pixels: (string | undefined)[] = Array.from({ length: width * height });
  const palette = new Map<string, string>();
  let [x, top] = [0, 0];
  let colour: string | undefined;
  const draw = (character: string, times: number): void => {
    const bits = character.charCodeAt(0) - 63;
    for (let left = times; left > 0; left -= 1, x += 1)
      for (let y = 0; y < 6; y += 1) if ((bits >> y) & 1) pixels[(top + y) * width + x] = colour;
  };
  for (const [token, number = '', defined, times, repeated = ''] of body.matchAll(
    /#(\d+)(?:;2;([\d;]+))?|!(\d+)([?-~])|[$-]|[?-~]/g,
  )) {
    if (defined !== undefined) palette.set(number, defined);
    else if (number !== '') colour = palette.get(number);
    else if (times !== undefined) draw(repeated, Number(times));
    else if (token === '$') x = 0;
    else if (token === '-') [x, top] = [0, top + 6];
    else draw(token, 1);
  }
  return { width, height, pixels };
}

it('encodes pixels as sixels that decode to the same picture', () => {
  const colour = fc.constantFrom([0, 0, 0, 255], [255, 0, 0, 255], [51, 102, 204, 255], [9, 9, 9, 0]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(colour, { minLength: 400, maxLength: 400 }),
      (width, height, drawn) => {
        const used = drawn.slice(0, width * height);
        const decoded = decodeSixel(encodeSixel({ width, height, rgba: Uint8Array.from(used.flat()) }));
        const expected = used.map(([red = 0, green = 0, blue = 0, alpha]) =>
          alpha === 255 ? [red, green, blue].map((part) => Math.round(part / 2.55)).join(';') : undefined,
        );
        expect(decoded).toEqual({ width, height, pixels: expected });
      },
    ),
  );
});

it('keeps a picture with many colours near to what it was', () => {
  const [width, height] = [64, 64];
  const rgba = Uint8Array.from({ length: width * height * 4 }, (_, at) => {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    return [x * 4, y * 4, (x + y) * 2, 255][at % 4] ?? 0;
  });
  const { pixels } = decodeSixel(encodeSixel({ width, height, rgba }));
  const mean = [0, 0, 0];
  for (const [at, pixel] of pixels.entries())
    for (const [part, value] of (pixel ?? '').split(';').entries())
      mean[part] = (mean[part] ?? 0) + (Number(value) * 2.55 - (rgba[at * 4 + part] ?? 0)) / pixels.length;
  expect(Math.max(...mean.map(Math.abs))).toBeLessThan(6);
  const rows = imageRows({ width, height, rgba }, { kind: 'full', sixel: true, cell }, { maxColumns: 4, maxRows: 9 });
  expect(rows).toHaveLength(2);
  expect(rows?.[0]).toMatch(/"1;1;(\d+);(\d+)/);
  const [, wide = 0, high = 0] = /"1;1;(\d+);(\d+)/.exec(rows?.[0] ?? '')?.map(Number) ?? [];
  expect(wide).toBeLessThanOrEqual(40);
  expect(high).toBeLessThanOrEqual(36);
});
