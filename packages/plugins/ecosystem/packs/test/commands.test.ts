import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tools } from '@tenon/tools/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { type Home, makeHome, startTenon, type Tenon } from './support/tenon.ts';

// Processes are started and stopped all the time here; a busy machine takes its time.
let home: Home;
let running: Tenon[] = [];

beforeAll(() => useBuiltHost('pack-host'));

beforeEach(() => {
  home = makeHome();
});

afterEach(async () => {
  await Promise.all(running.map((tenon) => tenon.end()));
  running = [];
  home.remove();
});

/** A fresh start of tenon, as every command is one. */
async function tenon(): Promise<Tenon> {
  const started = await startTenon(home);
  running.push(started);
  return started;
}

const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => 'no error',
    (fault: { code?: string }) => fault.code,
  );

describe('tenon plugin new', () => {
  it('writes a pack that passes its own tests, links, starts and works', async () => {
    const dir = join(home.base, 'my-pack');
    const made = await (await tenon()).run('plugin new', { name: 'my-pack' }, { dir });
    expect(made.out).toContain(`tenon plugin link ${dir}`);

    const tested = await (await tenon()).run('plugin test', { dir });
    expect(tested.err).toBe('');
    expect(tested.out).toMatch(/# pass 3|pass 3/);
    expect(tested.code).toBe(0);

    const linked = await (await tenon()).run('plugin link', { dir }, { yes: true });
    expect(linked.out).toContain('asks for nothing');

    const next = await tenon();
    expect(next.complaints()).toEqual([]);
    expect((await next.run('plugin list')).out).toContain('my-pack 0.1.0  linked, ready (starts on first use)\n');
    const doctor = await next.run('plugin doctor', { id: 'my-pack' });
    expect(doctor).toMatchObject({
      code: 0,
      out: expect.stringMatching(/✓ my-pack: started \(isolated\) in \d+ ms with 3 registrations/),
    });
    expect((await next.run('my-pack', { text: 'a b c' })).out).toBe('3 words\n');
    const inspected = JSON.parse((await next.run('plugin inspect', { id: 'my-pack' }, { json: true })).out);
    expect(inspected).toMatchObject({
      id: 'my-pack',
      level: 'linked',
      state: 'active',
      permissions: [],
      host: { state: 'running' },
    });
    expect(inspected.registrations).toContainEqual({
      plugin: 'my-pack',
      kind: 'entry',
      target: 'tools',
      key: 'my_pack_count',
    });
  });

  it('says when the tests of a pack fail', async () => {
    const dir = join(home.base, 'my-pack');
    await (await tenon()).run('plugin new', { name: 'my-pack' }, { dir });
    const file = join(dir, 'src/plugin.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('words = countWords', 'words = 1 + countWords'));
    const tested = await (await tenon()).run('plugin test', { dir });
    expect(tested.code).toBe(1);
    expect(tested.out).toMatch(/fail 1/);
  });

  it('refuses bad names and folders that hold something', async () => {
    const started = await tenon();
    for (const name of ['My-Pack', '../x', 'a b', '-x', 'x--y', '']) {
      expect(await codeOf(started.run('plugin new', { name }))).toBe('PACKS_NAME_INVALID');
    }
    expect(await codeOf(started.run('plugin new', { name: 'x' }, { dir: home.base }))).toBe('PACKS_FOLDER_TAKEN');
    expect(await codeOf(started.run('plugin test', { dir: home.base }))).toBe('PACKS_NO_MANIFEST');
    await expect(started.run('plugin new', { name: 'a b' })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('says what a path is that is no pack', async () => {
    const started = await tenon();
    const file = join(home.base, 'file.md');
    writeFileSync(file, 'x');
    const linked = (dir: string) => started.run('plugin link', { dir });
    await expect(linked(join(home.base, 'nowhere'))).rejects.toThrow(/is not a pack: it does not exist$/);
    await expect(linked(file)).rejects.toThrow(/file\.md is not a pack: it is no folder$/);
  });
});

describe('what the user decides about packs', () => {
  const asking = { id: 'asking', permissions: { fs: { read: ['./**'] }, net: ['api.example.org'] } };

  it('shows the permissions and grants nothing where nobody can answer', async () => {
    const dir = home.writePack(join(home.base, 'asking'), asking);
    const started = await tenon();
    let shown = '';
    const run = started.run('plugin link', { dir }, {}, { out: async (text) => void (shown += text) });
    expect(await codeOf(run)).toBe('PACKS_CONFIRM');
    expect(shown).toContain('read everything in the folder you work in');
    expect(shown).toContain('send requests to api.example.org');
    expect((await tenon()).state('asking')).toBeUndefined();
  });

  it('takes no for an answer', async () => {
    const dir = home.writePack(join(home.base, 'asking'), asking);
    const answers = { interactive: true, ask: async () => 'n' };
    expect(await codeOf((await tenon()).run('plugin link', { dir }, {}, answers))).toBe('PACKS_REFUSED');
    await (await tenon()).run('plugin link', { dir }, {}, { interactive: true, ask: async () => 'y' });
    expect((await tenon()).state('asking')).toBe('installed');
  });

  it('asks again when a pack wants more, and says what is new', async () => {
    const dir = home.writePack(join(home.folders.data, 'packs', 'asking'), asking);
    expect((await tenon()).state('asking')).toBe('disabled');
    await (await tenon()).run('plugin trust', { id: 'asking' }, { yes: true });
    expect((await tenon()).state('asking')).toBe('installed');

    home.writePack(dir, { ...asking, permissions: { ...asking.permissions, exec: ['git'] } });
    const changed = await tenon();
    const status = changed.kernel.status().find(({ id }) => id === 'asking');
    expect(status).toMatchObject({
      state: 'disabled',
      reason: expect.stringContaining('it now also wants to run the program git'),
    });
    expect((await changed.run('plugin trust', { id: 'asking' }, { yes: true })).out).toContain(
      'run the program git   (new)',
    );
    expect((await tenon()).state('asking')).toBe('installed');

    home.writePack(dir, { ...asking, permissions: {} });
    expect((await tenon()).state('asking')).toBe('installed');
  });

  it('keeps its records for the user alone and takes grants back', async () => {
    home.writePack(join(home.folders.data, 'packs', 'asking'), asking);
    await (await tenon()).run('plugin trust', { id: 'asking' }, { yes: true });
    const file = join(home.folders.data, 'packs.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('grantedHash');
    await (await tenon()).run('plugin trust', { id: 'asking' }, { revoke: true });
    expect((await tenon()).state('asking')).toBe('disabled');
  });

  it('never starts a pack of a project before it is trusted, nor ever fully', async () => {
    home.writePack(join(home.folders.project ?? '', 'packs', 'theirs'), { id: 'theirs' });
    const started = await tenon();
    expect(started.state('theirs')).toBe('disabled');
    expect((await started.run('plugin list')).out).toContain('comes with this project and was not trusted yet');
    expect(await codeOf(started.run('plugin trust', { id: 'theirs' }, { full: true, yes: true }))).toBe(
      'PACKS_PROJECT_FULL',
    );
    await started.run('plugin trust', { id: 'theirs' }, { yes: true });
    expect((await tenon()).state('theirs')).toBe('installed');
  });

  it('loads a fully trusted pack into its own process, shows that, and can take it back', async () => {
    const code = `import { definePlugin } from '@tenon/kernel';
      import { tools } from '@tenon/tools/api';
      export default definePlugin({ id: 'mine', activate(ctx) {
        ctx.contribute(tools, 'pid', { description: 'x', parameters: {}, execute: async () => ({ content: [], details: process.pid }) });
      } });`;
    const manifest = { id: 'mine', contributes: { tools: { pid: { summary: 'x' } } } };
    home.writePack(join(home.folders.data, 'packs', 'mine'), manifest, { 'plugin.ts': code });
    const call = { id: '1', signal: new AbortController().signal, update: async () => undefined };
    const pidOf = async (started: Tenon) =>
      (await (await started.kernel.read(tools).resolve('pid')).execute({}, call)).details;

    expect(await pidOf(await tenon())).not.toBe(process.pid);
    await (await tenon()).run('plugin trust', { id: 'mine' }, { full: true, yes: true });
    const trusted = await tenon();
    expect(await pidOf(trusted)).toBe(process.pid);
    expect((await trusted.run('plugin list')).out).toMatch(/FULL TRUST since \d{4}-\d\d-\d\d/);
    await trusted.run('plugin trust', { id: 'mine' }, { revoke: true });
    expect(await pidOf(await tenon())).not.toBe(process.pid);
  });

  it('disables and enables, links and unlinks, and knows what it cannot do', async () => {
    const dir = home.writePack(join(home.base, 'linked'), { id: 'linked' });
    await (await tenon()).run('plugin link', { dir }, { yes: true });
    await (await tenon()).run('plugin disable', { id: 'linked' });
    expect((await tenon()).state('linked')).toBe('disabled');
    await (await tenon()).run('plugin enable', { id: 'linked' });
    expect((await tenon()).state('linked')).toBe('installed');
    const started = await tenon();
    expect(await codeOf(started.run('plugin disable', { id: 'packs' }))).toBe('PACKS_BUILT_IN');
    expect(await codeOf(started.run('plugin disable', { id: 'linke' }))).toBe('PACKS_UNKNOWN');
    expect(await codeOf(started.run('plugin unlink', { id: 'linke' }))).toBe('PACKS_UNKNOWN');
    rmSync(dir, { recursive: true });
    expect((await tenon()).complaints()).toEqual([expect.stringContaining(dir)]);
    await (await tenon()).run('plugin unlink', { id: 'linked' });
    expect((await tenon()).complaints()).toEqual([]);
    expect(existsSync(join(home.folders.data, 'packs.json'))).toBe(true);
  });

  it('does not let a pack take the id of another plugin', async () => {
    home.writePack(join(home.folders.data, 'packs', 'first'), { id: 'first' });
    const dir = home.writePack(join(home.base, 'second'), { id: 'first' });
    expect(await codeOf((await tenon()).run('plugin link', { dir }, { yes: true }))).toBe('PACKS_ID_TAKEN');
    const builtIn = home.writePack(join(home.base, 'third'), { id: 'packs' });
    expect(await codeOf((await tenon()).run('plugin link', { dir: builtIn }, { yes: true }))).toBe('PACKS_ID_TAKEN');
  });

  it('starts no pack at all when its records are damaged', async () => {
    home.writePack(join(home.folders.data, 'packs', 'quiet'), { id: 'quiet' });
    writeFileSync(join(home.folders.data, 'packs.json'), '{"version": 1, "pa');
    const started = await tenon();
    expect(started.state('quiet')).toBeUndefined();
    expect(started.complaints()).toEqual([expect.stringContaining('packs.json, is damaged')]);
  });
});

describe('tenon plugin doctor', () => {
  it('names what is wrong with each pack and gives exit code 1', async () => {
    home.writePack(
      join(home.folders.data, 'packs', 'throws'),
      { id: 'throws' },
      {
        'plugin.ts': `import { definePlugin } from '@tenon/kernel';\nexport default definePlugin({ id: 'throws', activate() { throw new Error('no luck'); } });`,
      },
    );
    home.writePack(join(home.folders.data, 'packs', 'empty'), {
      id: 'empty',
      contributes: { tools: { thing: { summary: 'x' } } },
    });
    home.writePack(join(home.folders.data, 'packs', 'wrong'), { id: 'wrong' }, { 'plugin.ts': 'export default 7;' });
    home.writePack(join(home.folders.data, 'packs', 'fine'), { id: 'fine' });
    const { out, code } = await (await tenon()).run('plugin doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/✗ throws: .*no luck/);
    expect(out).toMatch(/✗ empty: .*declares the entry "thing" of slot "tools", but activate\(\) did not register it/);
    expect(out).toMatch(/✗ wrong: .*has no plugin as its default export/);
    expect(out).toMatch(/✓ fine: started/);
  });
});
