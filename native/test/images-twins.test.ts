import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';

const available = await implementations('images');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const FORMATS = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/tiff'] as const;

/** A picture of soft waves, in a format that jimp writes. */
async function picture(width: number, height: number, mimeType: (typeof FORMATS)[number], alpha = 255) {
  const { Jimp } = await import('../src/images/js-library.ts');
  const made = new Jimp({ width, height });
  const { data } = made.bitmap;
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    data.set([128 + 100 * Math.sin(x / 9), 128 + 100 * Math.cos(y / 7), (x + y) % 256, alpha], at * 4);
  }
  return made.getBuffer(mimeType);
}

/** The mean difference of the pixels of two files, from 0 to 255. */
async function difference(first: Uint8Array, second: Uint8Array): Promise<number> {
  const { Jimp } = await import('../src/images/js-library.ts');
  const [a, b] = await Promise.all([first, second].map((bytes) => Jimp.fromBuffer(Buffer.from(bytes))));
  if (!a || !b || a.width !== b.width || a.height !== b.height) return Infinity;
  const left = a.bitmap.data;
  const right = b.bitmap.data;
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += Math.abs((left[at] ?? 0) - (right[at] ?? 0));
  return sum / left.length;
}

describe.each(available)('images, $kind', ({ implementation }) => {
  it('says what the header says', async () => {
    for (const mimeType of FORMATS) {
      const facts = await implementation.facts(await picture(40, 30, mimeType));
      expect(facts).toEqual({ ok: true, value: { mimeType, width: 40, height: 30, isTurned: false } });
    }
    expect(await implementation.facts(Buffer.from('no picture'))).toMatchObject({ ok: false });
  });

  it('leaves what fits, shrinks what does not, and refuses bombs before they are decoded', async () => {
    const small = await picture(40, 30, 'image/png');
    const kept = await implementation.fit(small);
    expect(kept).toMatchObject({ ok: true, value: { mimeType: 'image/png', width: 40, height: 30 } });
    expect(kept.ok && kept.value.bytes).toBeUndefined();
    for (const mimeType of FORMATS) {
      const shrunk = await implementation.fit(await picture(200, 100, mimeType), { maxSide: 50 });
      expect(shrunk).toMatchObject({ ok: true, value: { width: 50, height: 25, originalWidth: 200 } });
    }
    expect(await implementation.fit(small, { maxPixels: 1_000 })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('40x30 pixels'),
    });
  });

  it('turns a photo as its EXIF says', async () => {
    const photo = withOrientation(await picture(60, 20, 'image/jpeg'), 6);
    expect(await implementation.facts(photo)).toMatchObject({ value: { width: 20, height: 60, isTurned: true } });
    expect(await implementation.fit(photo)).toMatchObject({
      value: { mimeType: 'image/jpeg', width: 20, height: 60, originalHeight: 60 },
    });
  });

  it('ends with the reason of the signal', async () => {
    const reason = new Error('enough');
    const call = implementation.fit(await picture(40, 30, 'image/bmp'), { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

describe.runIf(native && js)('both implementations', () => {
  it('give pictures of the same size that look the same', async () => {
    const size = fc.integer({ min: 1, max: 160 });
    await fc.assert(
      fc.asyncProperty(size, size, size, fc.constantFrom(...FORMATS), async (width, height, maxSide, mimeType) => {
        const file = await picture(width, height, mimeType);
        const [one, two] = await Promise.all([native?.fit(file, { maxSide }), js?.fit(file, { maxSide })]);
        if (!one?.ok || !two?.ok) throw new Error(`${JSON.stringify(one)} ${JSON.stringify(two)}`);
        const { bytes: a, ...first } = one.value;
        const { bytes: b, ...second } = two.value;
        expect(first).toEqual(second);
        expect(a === undefined).toBe(b === undefined);
        // Another kernel, another JPEG encoder: a small shade of difference where much is averaged away.
        if (a && b && Math.max(width, height) < maxSide * 4) expect(await difference(a, b)).toBeLessThan(16);
      }),
      { numRuns: caseCount(40) },
    );
  });

  it('agree about bytes that are no picture, or a damaged one', async () => {
    const valid = await picture(20, 20, 'image/png');
    // Cut within its pixels: what is missing behind them, one implementation minds and the other does not.
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.integer({ min: 0, max: valid.length - 60 }).map((end) => valid.subarray(0, end)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (file) => {
        const [one, two] = await Promise.all([native?.fit(file, { maxSide: 10 }), js?.fit(file, { maxSide: 10 })]);
        expect([one?.ok, two?.ok]).toEqual([false, false]);
      }),
      { numRuns: caseCount(60) },
    );
  });
});

/** A JPEG with an EXIF block that says how it must be turned. */
function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const exif = Buffer.from(
    'Exif\0\0II*\0\u0008\0\0\0\u0001\0\u0012\u0001\u0003\0\u0001\0\0\0\0\0\0\0\0\0\0\0',
    'latin1',
  );
  exif.writeUInt16LE(orientation, 24);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}
