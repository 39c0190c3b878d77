import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Script, scriptedModels } from '../../plugins/modes/test/world.ts';
import { buildProgram } from './process.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/sdk');
let home: string;
beforeAll(() => void (home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-examples-')))));
afterAll(() => rmSync(home, { recursive: true, force: true }));

type Example = { main(options: object, print: (text: string) => void): Promise<void> };

async function run(name: string, options: object): Promise<string> {
  const { main } = (await import(join(FOLDER, name))) as Example;
  let text = '';
  await main(options, (part) => (text += part));
  return text;
}
const withModel = (script: Script) => ({
  home,
  cwd: home,
  packs: false,
  tools: [],
  modelRegistry: scriptedModels(script).registry,
});

describe('the examples', () => {
  it('minimal prints the answer as it comes', async () => {
    expect(await run('minimal.mjs', withModel([{ pieces: ['- one\n', '- two\n', '- three\n'] }]))).toBe(
      '- one\n- two\n- three\n',
    );
  });

  it('own-tools answers with what the tool of the program says', async () => {
    const script = [{ calls: [{ name: 'look_up', arguments: { product: 'apples' } }] }, { text: 'There are 12.' }];
    expect(await run('own-tools.mjs', withModel(script))).toBe('[look_up: 12]\n\nThere are 12.\n');
  });

  it('branches goes back and forth in the tree', async () => {
    expect(await run('branches.mjs', withModel([{ text: 'Mortise' }]))).toBe(
      '2 ways from the question\nback at 2 messages\n30 tokens\n',
    );
  });

  it('rpc-host drives a process and runs a tool for it', async () => {
    const { program, remove } = await buildProgram(join(import.meta.dirname, 'scripted-tenon.ts'));
    try {
      const options = {
        command: [process.execPath, program],
        args: ['--no-session', '--tools=inquire'],
        cwd: home,
        env: { TENON_HOME: home },
      };
      expect(await run('rpc-host.mjs', options)).toBe('[weather] It is raining in Bergen.\nThe tool has answered.\n');
    } finally {
      remove();
    }
  });

  it('are all run here', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([
      'README.md',
      'branches.mjs',
      'minimal.mjs',
      'own-tools.mjs',
      'rpc-host.mjs',
    ]);
  });
});
