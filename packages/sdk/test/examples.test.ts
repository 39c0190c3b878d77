/** The examples as their README says: plain `node`, from any folder, in a checkout that was set up. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES, expectExample, WORK } from './example-runs.ts';
import { put, run } from './plain-node.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/sdk');
const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');
let home: string;
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-examples-')));
  put(join(home, 'work'), WORK);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the examples', () => {
  it.each(files.filter((name) => name.endsWith('.mjs')))(
    '%s runs without a key, outside of the repository',
    async (file) => {
      const ended = await run([process.execPath, join(FOLDER, file)], { cwd: join(home, 'work'), home });
      expectExample(parse(file).name, ended);
    },
  );

  it('are all run, here or where the SDK is installed', () => {
    expect(files.map((file) => parse(file).name).sort()).toEqual(Object.keys(EXAMPLES).sort());
  });
});
