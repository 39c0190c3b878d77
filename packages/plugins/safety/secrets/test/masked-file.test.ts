import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, it } from 'vitest';
import { maskFile } from '../src/masked-file.ts';

const MIB = 1024 * 1024;
const mask = (text: string) => text.replaceAll('s3cr3t-Tr0ut-9', '#MASK#');

it.each([
  ['in lines', 'täxt\n'],
  ['without lines, such as JSON', '{"text":"täxt"},'],
])('a long output %s is masked piece by piece, and no secret lies across two of them', async (_kind, filler) => {
  const file = join(temporaryFolder('masked'), 'output');
  const secrets = `"s3cr3t-Tr0ut-9",`.repeat(4);
  // Whatever a piece is, one of its ends falls into a secret.
  for (let shift = 0; shift < 20; shift += 5) {
    const start = filler.repeat(Math.floor((4 * MIB - shift) / Buffer.byteLength(filler)));
    const before = start + ' '.repeat(4 * MIB - shift - Buffer.byteLength(start));
    writeFileSync(file, `${before}${secrets}${filler}`);
    await maskFile(file, mask);
    expect(readFileSync(file, 'utf8') === mask(`${before}${secrets}${filler}`), `shift ${shift}`).toBe(true);
  }
});
