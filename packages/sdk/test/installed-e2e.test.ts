/** The packed SDK in a folder that knows nothing of this repository. */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectExample, WORK } from './example-runs.ts';
import { type Installation, installSdk } from './installation.ts';
import { put, run } from './plain-node.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLES = join(ROOT, 'examples/sdk');
const scripts = readdirSync(EXAMPLES).filter((name) => name.endsWith('.mjs'));
let installed: Installation;
let sdk: string;

beforeAll(async () => {
  installed = await installSdk();
  sdk = join(installed.app, 'node_modules/@tenon/sdk');
  for (const file of [...scripts, 'typed.ts']) copyFileSync(join(EXAMPLES, file), join(installed.app, file));
  put(join(installed.app, 'work'), WORK);
});
afterAll(() => installed.remove());

/** The headings of a page with the programs that follow them. */
function programsOf(page: string): [title: string, program: string][] {
  const parts = readFileSync(join(ROOT, page), 'utf8').split(/^## /m).slice(1);
  return parts.flatMap((part) => {
    const [, program] = /^```js\n([\s\S]*?)^```$/m.exec(part) ?? [];
    return program === undefined ? [] : [[part.split('\n', 1)[0] ?? '', program] as [string, string]];
  });
}

/** What the programs of the guide print. */
const PRINTED: Readonly<Record<string, string>> = {
  'A first program': '- list.md',
  Options: '12 pieces',
  'Several agents, and your own plugins': 'no commands here',
  'In a separate process': 'It is raining in bergen.',
  'Testing your program': 'Moin. 1\n',
};

const node = (file: string, env: Readonly<Record<string, string>> = {}) =>
  run([process.execPath, join(installed.app, file)], {
    cwd: join(installed.app, 'work'),
    home: installed.home,
    env,
  });

describe('the installed SDK', () => {
  it.each(scripts)('runs %s', async (file) => {
    expectExample(file.replace(/\.mjs$/, ''), await node(file));
  });

  it('brings no code of this repository but its own package', () => {
    expect(readdirSync(join(installed.app, 'node_modules/@tenon')).sort()).toEqual(['model-fakes', 'sdk']);
    expect(existsSync(join(sdk, 'src'))).toBe(false);
  });

  it('has types that a strict program compiles against, and runs', async () => {
    put(installed.app, {
      'fakes.ts': [
        "import { type FakeModels, startFakeModels } from '@tenon/model-fakes';",
        "import { RpcClient } from '@tenon/sdk/rpc-client';",
        "import { createAgentSession } from '@tenon/sdk';",
        'export const start: () => Promise<FakeModels> = startFakeModels;',
        'export const client = (): Promise<RpcClient> => RpcClient.start();',
        '// @ts-expect-error: declarations that say nothing would let this pass',
        "export const wrong = () => createAgentSession({ session: 'nowhere' });",
      ].join('\n'),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
          outDir: 'built',
        },
        files: ['typed.ts', 'fakes.ts'],
      }),
    });
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const compiled = await run([tsc, '-p', '.'], { cwd: installed.app, home: installed.home });
    expect(compiled).toEqual({ code: 0, out: '', err: '' });
    expectExample('typed', await node('built/typed.js'));
  });

  it.each(programsOf('docs/guide/embedding.md'))('runs the program under "%s" of the guide', async (title, program) => {
    const file = `${title.replaceAll(/\W+/g, '-')}.mjs`;
    put(installed.app, { [file]: program });
    const { code, out, err } = await node(file);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(PRINTED[title]);
  });

  it('works with the twins, and with the addon when the package of the platform is there', async ({ skip }) => {
    const served = async () => {
      const { out } = await run([process.execPath, join(sdk, 'program.js'), 'doctor', '--json'], {
        cwd: installed.app,
        home: installed.home,
      });
      const { checks } = JSON.parse(out) as { checks: { check: string; findings: { name: string; text: string }[] }[] };
      const { findings = [] } = checks.find(({ check }) => check === 'accelerators') ?? {};
      return Object.fromEntries(findings.map(({ name, text }) => [name, text.split(' ')[0]]));
    };
    expect(await served()).toMatchObject({ search: 'js', syntax: 'wasm' });
    skip(!(await installed.installAddon()), 'the addon was not built');
    expect(await served()).toMatchObject({ search: 'native', syntax: 'native' });
  });
});

describe('the client without the program of the SDK', () => {
  beforeAll(() => {
    put(installed.app, {
      'start.mjs': `
        import { RpcClient } from '@tenon/sdk/rpc-client';
        try {
          const client = await RpcClient.start({ env: { PATH: process.env.TENON_PATH } });
          console.log((await client.getState()).messageCount);
          await client.stop();
        } catch (fault) {
          console.log(fault.code, fault.message);
        }
      `,
    });
    cpSync(join(sdk, 'program.js'), join(sdk, 'moved.js'));
    renameSync(join(sdk, 'program.js'), join(installed.app, 'program.js.kept'));
  });
  afterAll(() => renameSync(join(installed.app, 'program.js.kept'), join(sdk, 'program.js')));

  it('starts the tenon of the PATH', async () => {
    const bin = join(installed.app, 'bin');
    put(bin, { tenon: `#!/bin/sh\nexec '${process.execPath}' '${join(sdk, 'moved.js')}' "$@"\n` });
    await run(['chmod', '+x', join(bin, 'tenon')], { cwd: bin, home: installed.home });
    expect(await node('start.mjs', { TENON_PATH: bin })).toEqual({ code: 0, out: '0\n', err: '' });
  });

  it('says what is missing when there is none', async () => {
    const { out } = await node('start.mjs', { TENON_PATH: join(installed.app, 'nothing') });
    expect(out).toContain('SDK_RPC_NOT_STARTED');
    expect(out).toContain('"tenon" could not be started: there is no such program.');
  });
});
