import { deflateSync } from 'node:zlib';
import { FactFinder } from '@tenon/screen';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pngPixels } from '../src/transcript/png-pixels.ts';
import { imageSize, resultImageRows } from '../src/transcript/result-images.ts';

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  return pngOf({ width, height, depth: 8, type: 2 }, Buffer.alloc((width * 3 + 1) * height));
}

/** A file with rows as they are given, filters and all. */
function pngOf(
  { width, height, depth, type }: { width: number; height: number; depth: number; type: number },
  rows: Buffer,
  palette?: Buffer,
): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, type, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...(palette ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const factsOf = (environment: Record<string, string>) => new FactFinder({ environment, platform: 'linux' }).facts;
const result = (data: Buffer, mimeType = 'image/png') => ({
  content: [{ type: 'image' as const, data: data.toString('base64'), mimeType }],
});

describe('images of tools', () => {
  it('are rows where the terminal shows images, and nothing elsewhere', () => {
    const kitty = resultImageRows(result(png(64, 64)), factsOf({ TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' }), 80);
    expect(kitty).toHaveLength(4);
    expect(resultImageRows(result(png(64, 64)), factsOf({ TERM: 'xterm-256color' }), 80)).toEqual([]);
  });

  it('have the size that their files say, and broken ones are left out', () => {
    expect(imageSize(png(640, 480), 'png')).toEqual({ width: 640, height: 480 });
    const gif = Buffer.from('4749463839610a001400', 'hex');
    expect(imageSize(gif, 'gif')).toEqual({ width: 10, height: 20 });
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108001e00280301220002110103110', 'hex');
    expect(imageSize(jpeg, 'jpeg')).toEqual({ width: 40, height: 30 });
    for (const kind of ['png', 'gif', 'jpeg', 'webp'] as const)
      expect(imageSize(Buffer.from('ff'), kind)).toBeUndefined();
    expect(
      resultImageRows(result(Buffer.from('no')), factsOf({ TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' }), 80),
    ).toEqual([]);
  });
});

/** Rows of samples of eight bits with a filter each, as an encoder writes them. */
function filtered(rows: readonly Buffer[], filters: readonly number[], step: number): Buffer {
  const written = rows.map((row, y) => {
    const filter = filters[y % filters.length] ?? 0;
    const above = rows[y - 1];
    return Buffer.from([
      filter,
      ...row.map((byte, x) => {
        const [left, up, corner] = [row[x - step] ?? 0, above?.[x] ?? 0, above?.[x - step] ?? 0];
        const guess = left + up - corner;
        const [a, b, c] = [left, up, corner].map((near) => Math.abs(guess - near)) as [number, number, number];
        const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
        return byte - ([0, left, up, Math.floor((left + up) / 2), paeth][filter] ?? 0);
      }),
    ]);
  });
  return Buffer.concat(written);
}

describe('the pixels of a PNG', () => {
  const grey = (value: number) => [value, value, value];
  it.each([
    [0, 1, ([value]: number[]) => [...grey(value ?? 0), 255]],
    [2, 3, (values: number[]) => [...values, 255]],
    [4, 2, ([value, alpha]: number[]) => [...grey(value ?? 0), alpha ?? 0]],
    [6, 4, (values: number[]) => values],
  ])('of colour type %i are what was encoded, whatever filters the rows have', (type, channels, rgbaOf) => {
    const pictures = fc.integer({ min: 1, max: 7 }).chain((width) => {
      const row = fc.uint8Array({ minLength: width * channels, maxLength: width * channels });
      return fc.record({ width: fc.constant(width), rows: fc.array(row, { minLength: 1, maxLength: 5 }) });
    });
    fc.assert(
      fc.property(pictures, fc.array(fc.nat(4), { minLength: 1 }), ({ width, rows }, filters) => {
        const size = { width, height: rows.length };
        const file = pngOf({ ...size, depth: 8, type }, filtered(rows.map(Buffer.from), filters, channels));
        const samples = rows.flatMap((row) => [...row]);
        const pixels = Array.from({ length: samples.length / channels }, (_, at) =>
          rgbaOf(samples.slice(at * channels, (at + 1) * channels)),
        );
        const found = pngPixels(file);
        expect({ ...found, rgba: [...(found?.rgba ?? [])] }).toEqual({ ...size, rgba: pixels.flat() });
      }),
    );
  });

  it('of few bits are looked up in the palette, or spread over all greys', () => {
    const palette = Buffer.from([9, 8, 7, 1, 2, 3]);
    const paletted = pngOf({ width: 3, height: 1, depth: 1, type: 3 }, Buffer.from([0, 0b01000000]), palette);
    expect([...(pngPixels(paletted)?.rgba ?? [])]).toEqual([9, 8, 7, 255, 1, 2, 3, 255, 9, 8, 7, 255]);
    const greys = pngOf({ width: 2, height: 1, depth: 4, type: 0 }, Buffer.from([0, 0xf0]));
    expect([...(pngPixels(greys)?.rgba ?? [])]).toEqual([255, 255, 255, 255, 0, 0, 0, 255]);
  });

  it('make sixels where the terminal has them; a damaged file is no picture', () => {
    const facts = new FactFinder({ environment: { TERM: 'xterm-256color' }, platform: 'linux' });
    facts.questions();
    facts.take('\u001b[?64;4;22c', { columns: 80, rows: 24 });
    expect(resultImageRows(result(png(64, 64)), facts.facts, 80).join('')).toContain('\u001bP');
    const cut = png(64, 64).subarray(0, 50);
    expect(pngPixels(cut)).toBeUndefined();
    expect(resultImageRows(result(cut), facts.facts, 80)).toEqual([]);
    expect(pngPixels(Buffer.from('no'))).toBeUndefined();
  });
});
