import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cliCommands } from '@tenon/command-line/api';
import { type Folders, folders, SILENT, type UserInterface, userInterface } from '@tenon/host';
import { createKernel, type Kernel } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { workspaceTrust, type WorkspaceTrust } from '../src/api.ts';
import plugin from '../src/plugin.ts';

const source = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
let base: string;
let found: Folders;
const kernels: Kernel[] = [];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-trust-')));
  const at = (name: string) => join(base, name);
  mkdirSync(join(base, 'home', 'project', 'sub'), { recursive: true });
  found = {
    config: at('config'),
    data: at('data'),
    state: at('state'),
    cache: at('cache'),
    home: at('home'),
    cwd: join(base, 'home', 'project'),
  };
});

afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.dispose();
  rmSync(base, { recursive: true, force: true });
});

async function start(ui: Partial<UserInterface> = {}): Promise<{ trust: WorkspaceTrust; kernel: Kernel }> {
  const kernel = createKernel();
  kernels.push(kernel);
  kernel.install(
    provideServices([
      [folders, found],
      [userInterface, { ...SILENT, ...ui }],
    ]),
    inlineCandidate(
      { id: 'tokens', defines: [cliCommands], activate: () => undefined },
      { defines: { slots: ['cli-commands'] } },
    ),
    inlineCandidate(
      { id: 'agents', activate: () => undefined },
      {
        contributes: { 'protected-places': { all: { runsCode: ['./.claude', './.mcp.json', './.github/mcp.json'] } } },
      },
    ),
    await candidateFrom(source, plugin),
  );
  return { kernel, trust: await kernel.find(workspaceTrust) };
}

function answering(...answers: ('yes' | 'no' | undefined)[]): Partial<UserInterface> & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    canAsk: () => true,
    select: async (title, options) => {
      asked.push(title);
      // The safe answer stands first, so that Enter alone trusts nothing.
      const [no, yes] = options;
      const answer = answers[asked.length - 1];
      return answer === undefined ? undefined : answer === 'yes' ? yes : no;
    },
  };
}

describe('trust in folders', () => {
  it('is unknown at first, and then what nobody was asked about does not run', async () => {
    const { trust } = await start();
    expect(await trust.stateOf(found.cwd)).toBe('unknown');
    expect(await trust.ensure(found.cwd, 'run a hook')).toBe(false);
    expect(await trust.list()).toEqual([]);
  });

  it('is asked for again when something new to run has appeared, which a program in a sandbox can make', async () => {
    const ui = answering(undefined, 'yes');
    const { trust } = await start(ui);
    writeFileSync(join(found.cwd, '.mcp.json'), '{}');
    await trust.grant(found.cwd);
    writeFileSync(join(found.cwd, '.mcp.json'), '{"mcpServers": {}}');
    mkdirSync(join(found.cwd, '.tenon'));
    expect(await trust.stateOf(found.cwd)).toBe('trusted');
    mkdirSync(join(found.cwd, '.claude'));
    // An empty folder runs nothing: sandboxes hold places with them.
    expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('trusted');
    writeFileSync(join(found.cwd, '.claude', 'settings.json'), '{}');
    expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('unknown');
    expect(await (await start()).trust.ensure(found.cwd, 'run a hook')).toBe(false);
    expect(await trust.ensure(found.cwd, 'run a hook')).toBe(false);
    expect(ui.asked[0]).toContain('New since you trusted it: .claude.');
    const later = await start(answering('yes'));
    expect(await later.trust.ensure(found.cwd, 'run a hook')).toBe(true);
    expect(await trust.stateOf(found.cwd)).toBe('trusted');
  });

  it('is asked for again in a folder below, where a program in a sandbox can make something to run too', async () => {
    const { trust } = await start();
    const [sub, deep] = [join(found.cwd, 'sub'), join(found.cwd, 'sub', 'deep')];
    mkdirSync(deep);
    await trust.grant(found.cwd);
    expect(await trust.stateOf(deep)).toBe('trusted');
    writeFileSync(join(sub, '.mcp.json'), '{}');
    mkdirSync(join(deep, '.github'));
    writeFileSync(join(deep, '.github', 'mcp.json'), '{}');
    expect([await trust.stateOf(found.cwd), await trust.stateOf(sub), await trust.stateOf(deep)]).toEqual([
      'trusted',
      'unknown',
      'unknown',
    ]);
    const ui = answering('yes', 'yes');
    const later = (await start(ui)).trust;
    expect(await later.ensure(sub, 'start a server')).toBe(true);
    expect(ui.asked[0]).toContain(`Do you trust ${found.cwd}?`);
    expect(ui.asked[0]).toContain('New since you trusted it: sub/.mcp.json.');
    // The answer was about that file, not about the one further down that nobody was shown.
    expect(await later.stateOf(deep)).toBe('unknown');
    expect(await later.ensure(deep, 'start a server')).toBe(true);
    expect(ui.asked[1]).toContain('New since you trusted it: sub/deep/.github/mcp.json.');
    expect(await later.stateOf(deep)).toBe('trusted');
  });

  it('asks two questions about different new files that come at the same time', async () => {
    await (await start()).trust.grant(found.cwd);
    mkdirSync(join(found.cwd, 'other'));
    writeFileSync(join(found.cwd, 'sub', '.mcp.json'), '{}');
    writeFileSync(join(found.cwd, 'other', '.envrc'), '');
    const ui = answering('yes', undefined);
    const { trust } = await start(ui);
    const wanted = ['sub', 'other'].map((name) => trust.ensure(join(found.cwd, name), 'run a hook'));
    expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(1);
    expect(ui.asked).toHaveLength(2);
  });

  it('covers what subfolders had when it was given, as deep as it looks, and nothing beyond', async () => {
    const { trust } = await start();
    const place = (...names: string[]) => {
      const folder = join(found.cwd, ...names);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '.mcp.json'), '{}');
      return folder;
    };
    const near = place('a', 'b');
    const far = place('1', '2', '3', '4', '5', '6', '7');
    const skipped = place('node_modules', 'x');
    const { saw } = await trust.grant(found.cwd);
    expect(saw).toEqual(['a/b/.mcp.json']);
    expect(await trust.stateOf(near)).toBe('trusted');
    expect([await trust.stateOf(far), await trust.stateOf(skipped)]).toEqual(['unknown', 'unknown']);
    // Once it was asked about it is known, however deep it is.
    const later = (await start(answering('yes'))).trust;
    expect(await later.ensure(far, 'start a server')).toBe(true);
    expect(await later.stateOf(far)).toBe('trusted');
  });

  it('counts a folder of Tenon below as new once it holds something, but not the empty one of a sandbox', async () => {
    const { trust } = await start();
    await trust.grant(found.cwd);
    const sub = join(found.cwd, 'sub');
    mkdirSync(join(sub, '.tenon'));
    expect(await trust.stateOf(sub)).toBe('trusted');
    writeFileSync(join(sub, '.tenon', 'hooks.json'), '{}');
    expect(await trust.stateOf(sub)).toBe('unknown');
  });

  it('reads records of earlier versions, for which everything to run in folders below is new', async () => {
    const { trust } = await start();
    await trust.grant(found.cwd);
    const file = join(found.data, 'trust.json');
    const since = '2026-01-01T00:00:00.000Z';
    const record = (more: object) =>
      writeFileSync(
        file,
        JSON.stringify({ version: 1, folders: { [found.cwd]: { state: 'trusted', since, ...more } } }),
      );
    writeFileSync(join(found.cwd, '.mcp.json'), '{}');
    for (const old of [{ saw: ['.mcp.json'] }, {}]) {
      rmSync(join(found.cwd, 'sub', '.mcp.json'), { force: true });
      record(old);
      expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('trusted');
      writeFileSync(join(found.cwd, 'sub', '.mcp.json'), '{}');
      expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('unknown');
      expect(await trust.stateOf(found.cwd)).toBe('trusted');
    }
  });

  it('asks about the folder itself where what is trusted is the whole home folder', async () => {
    await (await start()).trust.grant(found.home, { force: true });
    writeFileSync(join(found.cwd, '.mcp.json'), '{}');
    const ui = answering('yes');
    const { trust } = await start(ui);
    expect(await trust.ensure(found.cwd, 'start a server')).toBe(true);
    expect(ui.asked[0]).toContain(`Do you trust ${found.cwd}?`);
    expect(await trust.stateOf(found.cwd)).toBe('trusted');
  });

  it('covers everything below, and the nearest decision counts', async () => {
    const { trust } = await start();
    await trust.grant(found.cwd);
    expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('trusted');
    await trust.revoke(join(found.cwd, 'sub'));
    expect(await trust.stateOf(join(found.cwd, 'sub'))).toBe('untrusted');
    expect(await trust.stateOf(found.cwd)).toBe('trusted');
    mkdirSync(`${found.cwd}-other`);
    expect(await trust.stateOf(`${found.cwd}-other`)).toBe('unknown');
  });

  it('belongs to the real folder, whatever links lead to it', async () => {
    const { trust } = await start();
    symlinkSync(found.cwd, join(base, 'link'));
    await trust.grant(join(base, 'link'));
    expect(await trust.list()).toMatchObject([{ folder: found.cwd, state: 'trusted' }]);
    mkdirSync(join(base, 'evil'));
    symlinkSync(join(base, 'evil'), join(found.cwd, 'inside'));
    expect(await trust.stateOf(join(found.cwd, 'inside'))).toBe('unknown');
  });

  it('is asked about once and remembered, by other processes too', async () => {
    const ui = answering('yes');
    const { trust } = await start(ui);
    const answers = await Promise.all([
      trust.ensure(found.cwd, 'run a hook'),
      trust.ensure(found.cwd, 'start a server'),
    ]);
    expect(answers).toEqual([true, true]);
    expect(ui.asked).toHaveLength(1);
    // Which of the two gets to ask depends on the disk.
    expect(ui.asked[0]).toMatch(/run a hook|start a server/);
    expect(await (await start()).trust.ensure(join(found.cwd, 'sub'), 'x')).toBe(true);
  });

  it('that is refused stays refused without another question', async () => {
    const ui = answering('no');
    const { trust } = await start(ui);
    expect(await trust.ensure(found.cwd, 'x')).toBe(false);
    expect(await trust.ensure(found.cwd, 'x')).toBe(false);
    expect(ui.asked).toHaveLength(1);
    expect(await trust.stateOf(found.cwd)).toBe('untrusted');
  });

  it('that nobody decides about is not remembered, but not asked for again and again either', async () => {
    const ui = answering(undefined);
    const { trust } = await start(ui);
    expect([await trust.ensure(found.cwd, 'x'), await trust.ensure(found.cwd, 'x')]).toEqual([false, false]);
    expect(ui.asked).toHaveLength(1);
    expect(await trust.stateOf(found.cwd)).toBe('unknown');
  });

  it('cannot be given to the home folder or what holds it without force, and is not asked for there', async () => {
    const ui = answering('yes');
    const { trust } = await start(ui);
    for (const folder of [found.home, base, '/']) {
      await expect(trust.grant(folder)).rejects.toThrow(/holds everything else/);
      expect(await trust.ensure(folder, 'x')).toBe(false);
    }
    expect(ui.asked).toEqual([]);
    await trust.grant(found.home, { force: true });
    expect(await trust.stateOf(found.cwd)).toBe('trusted');
  });

  it('is kept in a file for the user alone; a damaged one trusts nobody', async () => {
    const { trust } = await start();
    await trust.grant(found.cwd);
    const file = join(found.data, 'trust.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, '{"version": 1, "folders": {"/": {"state": "yes"}}}');
    await expect(trust.stateOf(found.cwd)).rejects.toThrow(/damaged/);
    await expect(trust.ensure(found.cwd, 'x')).rejects.toThrow(/damaged/);
    await expect(trust.grant(found.cwd)).rejects.toThrow(/damaged/);
  });

  it('survives decisions of several processes at the same time', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => start()));
    await Promise.all(
      all.map(({ trust }, index) => {
        const folder = join(found.cwd, `p${index}`);
        mkdirSync(folder);
        return trust.grant(folder);
      }),
    );
    expect(await all[0]?.trust.list()).toHaveLength(5);
  });
});

describe('tenon trust', () => {
  const run = (kernel: Kernel, words: string, args: Record<string, string> = {}, flags: Record<string, boolean> = {}) =>
    runCommand(kernel, words, { args, flags, cwd: found.cwd });

  it('adds, shows, lists, removes and forgets', async () => {
    const { kernel } = await start();
    expect(await run(kernel, 'trust status')).toMatchObject({ code: 1, out: expect.stringContaining('not trusted') });
    expect((await run(kernel, 'trust list')).err).toContain('Nothing was decided');
    expect((await run(kernel, 'trust add')).out).toContain(found.cwd);
    expect(await run(kernel, 'trust status', { folder: 'sub' })).toMatchObject({
      code: 0,
      out: expect.stringContaining(`decided for ${found.cwd}`),
    });
    expect(JSON.parse((await run(kernel, 'trust list', {}, { json: true })).out)).toMatchObject([
      { folder: found.cwd, state: 'trusted' },
    ]);
    await run(kernel, 'trust remove');
    expect(JSON.parse((await run(kernel, 'trust status', {}, { json: true })).out)).toMatchObject({
      state: 'untrusted',
    });
    await run(kernel, 'trust remove', {}, { forget: true });
    expect(JSON.parse((await run(kernel, 'trust status', {}, { json: true })).out)).toMatchObject({ state: 'unknown' });
    await expect(run(kernel, 'trust remove', {}, { forget: true })).rejects.toThrow(/Nothing was decided/);
    await expect(run(kernel, 'trust add', { folder: 'missing' })).rejects.toThrow(/is not a folder/);
  });

  it('names the folder that was asked about in its hints, as a shell has to be told', async () => {
    const { kernel } = await start();
    mkdirSync(join(found.cwd, 'my project'));
    const about = { folder: 'my project' };
    expect((await run(kernel, 'trust status', about)).out).toContain("trust it with `tenon trust add 'my project'`");
    expect((await run(kernel, 'trust status')).out).toContain('trust it with `tenon trust add`');
    expect((await run(kernel, 'trust add', about)).out).toContain("back with `tenon trust remove 'my project'`");
  });
});

describe('the trust plugin', () => {
  it('keeps the contract of plugins', async () => {
    await pluginContract({ source, plugin, services: [[folders, found]] });
  });
});
