import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { TenonError } from '@tenon/kernel';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddress } from '../src/address.ts';
import { pathInside, readInside, writeInside } from '../src/contained-folder.ts';

let home = '';
let root = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-traversal-')));
  root = join(home, 'root');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  mkdirSync(join(home, 'outside'));
  writeFileSync(join(home, 'outside', 'secret'), 'secret');
  symlinkSync('..', join(root, 'up'));
  symlinkSync('../outside', join(root, 'a', 'out'));
  symlinkSync(join(home, 'outside', 'secret'), join(root, 'leak'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('a', join(root, 'in'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What attackers write for "up", and what else confuses those who take addresses apart. */
const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '%252e%252e',
    '..%2f',
    '..%5c',
    '%2e%2e%2f',
    '%5c..',
    '\\..',
    '…',
    '%00',
    '\0',
  ),
  fc.constantFrom(
    'a',
    'b',
    'in',
    'up',
    'out',
    'leak',
    'loop',
    'outside',
    'secret',
    'root',
    '',
    '~',
    'C:',
    'nul',
    '%c0%ae',
    '%',
    '%u002e',
  ),
  fc.string({ maxLength: 6 }),
);
const address = fc
  .tuple(
    fc.constantFrom('', '/', '//', '\\', '/..', './', '%2f'),
    fc.array(piece, { maxLength: 7 }),
    fc.constantFrom('/', '\\', '//', '%2f'),
  )
  .map(([start, pieces, separator]) => `local://${start}${pieces.join(separator)}`);

async function expected<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof TenonError) return undefined;
    throw fault;
  }
}

describe('addresses', () => {
  it('never lead out of their folder, whatever is written in them', async () => {
    await fc.assert(
      fc.asyncProperty(address, async (url) => {
        const path = await expected(async () => pathInside(root, parseAddress(url, '').segments, url));
        if (path !== undefined) expect(path === root || path.startsWith(root + sep)).toBe(true);
        const found = await expected(async () => readInside(root, parseAddress(url, '').segments, url));
        if (found !== undefined && found !== 'folder') expect(found.content).not.toContain('secret');
      }),
      { numRuns: caseCount(3000) },
    );
  });

  it('never write outside of their folder', async () => {
    await fc.assert(
      fc.asyncProperty(address, async (url) => {
        const { segments } = (await expected(async () => parseAddress(url, ''))) ?? {};
        if (!segments || segments.length === 0) return;
        await expected(() => writeInside(root, segments, url, 'written'));
        expect(readdirSync(home).sort()).toEqual(['outside', 'root']);
        expect(readdirSync(join(home, 'outside'))).toEqual(['secret']);
      }),
      { numRuns: caseCount(300) },
    );
    expect(existsSync(join(root, 'up', 'written'))).toBe(false);
  });

  it('are refused with a reason that can be shown in a terminal', () => {
    for (const [url, reason] of [
      ['local:///etc/passwd', 'absolute'],
      ['local://a/%2e%2e/b', 'go up'],
      ['local://a%2fb', 'slash'],
      ['local://a%00b', 'control'],
      ['local://\u001b[31m', 'control'],
      ['local://%zz', 'percent'],
    ] as const) {
      try {
        parseAddress(url, 'local://PATH');
        expect.fail(url);
      } catch (fault) {
        expect(String(fault)).toContain(reason);
        // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
        expect(String(fault)).not.toMatch(/[\u0000-\u0009\u001b]/);
      }
    }
  });
});
