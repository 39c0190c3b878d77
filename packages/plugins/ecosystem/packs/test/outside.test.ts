/** A pack outside of this repository: made by `tenon plugin new`, with the types package installed from a registry, checked by tsc. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SHARED_MODULES } from '@tenon/pack-host/api';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit } from '@tenon/test-kit/waiting';
import { beforeAll, describe, expect, it } from 'vitest';
import { packFiles } from '../src/pack-template.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const run = promisify(execFile);
let folder: string;

/** Packs a folder as npm would publish it. */
function pack(path: string, into: string): { readonly file: string; readonly manifest: Record<string, unknown> } {
  const out = execFileSync('npm', ['pack', path, '--json', '--pack-destination', into], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const packed: unknown = JSON.parse(out.slice(out.search(/^[[{]/m)));
  const [{ filename = '' } = {}] = Object.values(packed as Record<string, { filename?: string }>);
  const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Record<string, unknown>;
  return { file: join(into, filename.replace('@', '').replace('/', '-')), manifest };
}

/** A registry on this machine with exactly these packages. */
async function registry(packages: readonly ReturnType<typeof pack>[]): Promise<string> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const archive = packages.find(({ file }) => name === `-/${file.split('/').at(-1)}`);
    if (archive) return void response.end(readFileSync(archive.file));
    const found = packages.find(({ manifest }) => manifest['name'] === name);
    if (!found) return void response.writeHead(404).end('{}');
    const { manifest, file } = found;
    const version = String(manifest['version']);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    const tarball = `http://${request.headers.host}/-/${file.split('/').at(-1)}`;
    const versions = { [version]: { ...manifest, dist: { tarball, integrity } } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  later(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const types = () =>
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).then(
    ({ stdout }) => stdout,
    (fault: { stdout: string }) => fault.stdout,
  );

beforeAll(async () => {
  folder = join(temporaryFolder(), 'my-pack');
  const packed = join(folder, '../packed');
  mkdirSync(packed);
  for (const [path, text] of Object.entries(packFiles('my-pack'))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  // The compiler is this repository's own: it brings a binary of 50 MB for each platform.
  delete manifest.devDependencies['typescript'];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const modules = ['@sinclair/typebox', '@types/node', 'undici-types'].map((name) => `./node_modules/${name}`);
  const url = await registry(['./packages/pack-types', ...modules].map((path) => pack(path, packed)));
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `--registry=${url}`,
    '--cache',
    join(folder, '../cache'),
  ];
  await run('npm', ['install', ...options], { cwd: folder });
}, patientLimit(300_000));

describe('a pack outside of this repository', () => {
  it('type-checks as `tenon plugin new` writes it', async () => {
    expect(await types()).toBe('');
  });

  it('has types for every module that packs may import, and they tell right from wrong', async () => {
    const imports = SHARED_MODULES.map((name, index) => `import * as module${index} from '${name}';`);
    const uses = SHARED_MODULES.map((_, index) => `module${index}`);
    writeFileSync(
      join(folder, 'src/all.ts'),
      `${imports.join('\n')}
import { definePlugin } from '@tenon/kernel';
import { agentEvent, input } from '@tenon/agent/api';
import { mcpServers } from '@tenon/discovery/api';
import { userInterface } from '@tenon/host';
import { slashCommandProviders } from '@tenon/slash-commands/api';
import { todos } from '@tenon/planning-tools/api';
import { tools } from '@tenon/tools/api';

export const all = [${uses.join(', ')}];
export default definePlugin({
  id: 'all',
  needs: { todos },
  activate(ctx) {
    ctx.on(input, (typed) => ({ ...typed, text: typed.text.trim() }));
    ctx.on(agentEvent, ({ event }) => void event.type);
    ctx.on(input, (typed) => {
      // @ts-expect-error: there is no such field
      return typed.noSuchField;
    });
    ctx.contribute(slashCommandProviders, 'my-pack', {
      list: async () => [{ name: 'standup', description: 'Summarizes', argumentHint: '[DAYS]', kind: 'extension' }],
      run: async (name, args) => (name === 'standup' ? { kind: 'prompt', text: \`Summarize \${args}\` } : undefined),
    });
    void ctx.findOptional(userInterface);
    // @ts-expect-error: a tool has a description and parameters
    ctx.contribute(tools, 'wrong', { execute: 1 });
    ctx.contribute(mcpServers, 'mine', { name: 'mine', path: '', type: 'stdio', command: 'x', variableRules: [] });
  },
});
`,
    );
    expect(await types()).toBe('');
  });
});
