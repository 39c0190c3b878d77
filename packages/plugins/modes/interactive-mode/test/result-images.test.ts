import { deflateSync } from 'node:zlib';
import { FactFinder } from '@tenon/screen';
import { describe, expect, it } from 'vitest';
import { imageSize, resultImageRows } from '../src/transcript/result-images.ts';

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc((width * 3 + 1) * height);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
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
