import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserInterface } from '@tenon/host';
import { digestOf, summaryOf } from '../src/tool-calls.ts';
import { type Home, makeHome } from './support.ts';
import { startTenon, type Tenon, textOf } from './tenon.ts';

let home: Home;
const open: Tenon[] = [];
const start = async (options: Parameters<typeof startTenon>[1] = {}) => {
  const tenon = await startTenon(home.folders, options);
  open.push(tenon);
  return tenon;
};
const idIn = (text: string) => /tenon approval allow ([0-9a-f]+)/.exec(text)?.[1] ?? '';
const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const answering = (
  choice: (options: readonly string[]) => string | undefined,
): Partial<UserInterface> & { asked: string[] } => {
  const asked: string[] = [];
  return { asked, canAsk: () => true, select: async (title, options) => (asked.push(title), choice(options)) };
};

beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  for (const tenon of open.splice(0)) await tenon.end();
  home.remove();
});

describe('where nobody can answer', () => {
  it('calls that only read or change the workspace go through', async () => {
    const tenon = await start();
    for (const command of ['ls', 'npm test', 'rm -rf dist'])
      expect((await tenon.call('bash', { command })).isError, command).toBeUndefined();
    expect((await tenon.call('write', { path: 'src/a.ts', content: '' })).isError).toBeUndefined();
    expect((await tenon.call('fetch', { url: 'https://example.com' })).isError).toBeUndefined();
    expect(existsSync(join(home.folders.state, 'approvals'))).toBe(false);
  });

  it('others are refused with the command that would allow them, and allowed exactly once after it', async () => {
    const tenon = await start();
    const refused = await tenon.call('bash', { command: 'git push' });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('sends commits to another repository');
    const id = idIn(textOf(refused));
    expect((await tenon.run('approval allow', { id })).out).toContain('Allowed: bash: git push');
    // The same call, although it is shown differently.
    expect((await tenon.call('bash', { command: 'git push', timeout: 5 })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBe(true);
    expect(tenon.ran).toEqual(['bash git push']);
  });

  it('a harmless command that wants to leave the sandbox is asked about, and its reason shown', async () => {
    const tenon = await start({ profile: 'workspace-write' });
    const refused = await tenon.call('bash', { command: 'ls', unsandboxed: true, reason: 'the folder is hidden' });
    expect(textOf(refused)).toContain('outside of the sandbox (the folder is hidden)');
    expect((await tenon.call('bash', { command: 'ls' })).isError).toBeUndefined();
  });

  it('the same call is held once, another one or another folder apart', async () => {
    const tenon = await start();
    const first = idIn(textOf(await tenon.call('bash', { command: 'git push' })));
    expect(idIn(textOf(await tenon.call('bash', { command: ' git push\n' })))).toBe(first);
    expect(idIn(textOf(await tenon.call('bash', { command: 'git push x' })))).not.toBe(first);
    expect(idIn(textOf(await tenon.call('bash', { command: 'git push', cwd: 'src' })))).not.toBe(first);
  });

  it('an answer is for the folder that the shell was in', () => {
    const digest = (cwd: string) =>
      digestOf(
        { tool: 'bash', input: { command: 'rm -rf *' }, touches: { commands: [{ text: 'rm -rf *', cwd }] } },
        '/w',
      );
    expect(new Set(['/w', '/w/dist', '/home'].map(digest)).size).toBe(3);
  });

  it('one line says on which machine a command runs, and what an operation is about', () => {
    const commands = [{ text: "ssh web 'rm -rf /srv'", cwd: '/w' }];
    const onWeb = { host: 'web', command: 'rm -rf /srv' };
    expect(summaryOf({ tool: 'ssh', input: onWeb, touches: { commands } })).toBe("ssh: ssh web 'rm -rf /srv'");
    const merge = [{ text: 'gh pr create --title Fix', cwd: '/w' }];
    expect(summaryOf({ tool: 'github', input: { op: 'pr_create', title: 'Fix' }, touches: { commands: merge } })).toBe(
      'github: gh pr create --title Fix',
    );
    // The program alone would say less than the input.
    const worker = [{ text: 'claude', cwd: '/w' }];
    expect(summaryOf({ tool: 'code_with_agent', input: { task: 'Fix it' }, touches: { commands: worker } })).toBe(
      'code_with_agent: {"task":"Fix it"}',
    );
    expect(summaryOf({ tool: 'write', input: { path: 'a.ts', content: '' }, touches: {} })).toBe('write: a.ts');
  });

  it('a call that cannot be held is refused with the reason', async () => {
    put(home.folders.state, 'not a folder');
    const refused = textOf(await (await start()).call('bash', { command: 'git push' }));
    expect(refused).toMatch(/needs approval \(tier 2.*the question cannot be written down \(/);
    expect(refused).not.toContain('disable');
  });

  it('what is held is for the user alone', async () => {
    const tenon = await start();
    await tenon.call('bash', { command: 'git push' });
    const folder = join(home.folders.state, 'approvals');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('an answer given before a restart holds after it', async () => {
    const before = await start();
    const id = idIn(textOf(await before.call('bash', { command: 'git push' })));
    await before.end();
    const between = await start();
    await between.run('approval allow', { id: id.slice(0, 4) });
    await between.end();
    const after = await start();
    expect((await after.call('bash', { command: 'git push' })).isError).toBeUndefined();
  });

  it('a call that was denied stays denied, with the reason', async () => {
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push' })));
    await tenon.run('approval deny', { id }, { reason: 'not on Fridays' });
    for (const _ of [1, 2])
      expect(textOf(await tenon.call('bash', { command: 'git push' }))).toContain('not on Fridays');
    await tenon.run('approval clear');
    expect(textOf(await tenon.call('bash', { command: 'git push' }))).toContain('needs approval');
  });

  it('what nobody answers expires', async () => {
    const tenon = await start({ keepHours: 1e-7 });
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push' })));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(tenon.run('approval allow', { id })).rejects.toThrow(/No call with the id/);
    expect((await tenon.run('approval list')).err).toContain('Nothing waits');
  });

  it('a damaged record counts as no answer', async () => {
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push' })));
    await tenon.run('approval allow', { id });
    writeFileSync(join(home.folders.state, 'approvals', `${id}.json`), '{"state": "allowed"');
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBe(true);
  });

  it('of several processes only one can use an answer', async () => {
    const tenons = await Promise.all([start(), start(), start(), start()]);
    const id = idIn(textOf(await (tenons[0] as Tenon).call('bash', { command: 'git push' })));
    await (tenons[1] as Tenon).run('approval allow', { id });
    const results = await Promise.all(tenons.map((tenon) => tenon.call('bash', { command: 'git push' })));
    expect(results.filter((result) => result.isError !== true)).toHaveLength(1);
  });

  it('"--session" lets calls like it through in that session only', async () => {
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push origin a' }, { session: 's1' })));
    await tenon.run('approval allow', { id }, { session: true });
    expect((await tenon.call('bash', { command: 'git push origin a' }, { session: 's1' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push origin b' }, { session: 's1' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push --force' }, { session: 's1' })).isError).toBe(true);
    expect((await tenon.call('bash', { command: 'git fetch' }, { session: 's1' })).isError).toBe(true);
    expect((await tenon.call('bash', { command: 'git push origin b' }, { session: 's2' })).isError).toBe(true);
    const byHand = idIn(textOf(await tenon.call('bash', { command: 'git fetch' })));
    await expect(tenon.run('approval allow', { id: byHand }, { session: true })).rejects.toThrow(
      /belongs to no session/,
    );
  });

  it('"--always" writes a rule into the policy, and keeps what stands there', async () => {
    put(
      join(home.folders.config, 'policy.yml'),
      '# mine\nrules:\n  # no web\n  - { decide: deny, tool: web_search }\n',
    );
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push origin a' })));
    await tenon.run('approval allow', { id }, { always: true });
    await tenon.call('bash', { command: 'git push origin a' });
    expect((await tenon.call('bash', { command: 'git push origin b' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push --force' })).isError).toBe(true);
    const policy = readFileSync(join(home.folders.config, 'policy.yml'), 'utf8');
    expect(policy).toContain('# no web');
    expect((await tenon.run('policy check')).code).toBe(0);
    expect((await tenon.run('policy list')).out).toContain('allow  tool bash, command git push *');
  });

  it('"--always" for what destroys allows exactly that call', async () => {
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push --force origin a' })));
    await tenon.run('approval allow', { id }, { always: true });
    await tenon.call('bash', { command: 'git push --force origin a' });
    expect((await tenon.call('bash', { command: 'git push --force origin a' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push --force origin b' })).isError).toBe(true);
  });
});

describe('where somebody can answer', () => {
  it('a yes lets the call through once', async () => {
    const ui = answering(([once]) => once);
    const tenon = await start({ ui });
    expect((await tenon.call('bash', { command: 'git push' }, { session: 's' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'git push' }, { session: 's' })).isError).toBeUndefined();
    expect(ui.asked).toHaveLength(2);
    expect(ui.asked[0]).toContain('bash: git push');
    expect(ui.asked[0]).toContain('Tier 2');
    expect((await tenon.run('approval list')).err).toContain('Nothing waits');
  });

  it('a yes for the session or for always asks no more', async () => {
    for (const place of [1, 2]) {
      const ui = answering((options) => options[place]);
      const tenon = await start({ ui });
      const session = `s${place}`;
      for (const branch of ['a', 'b', 'c'])
        expect(
          (await tenon.call('bash', { command: `git push origin ${branch}` }, { session })).isError,
        ).toBeUndefined();
      expect(ui.asked).toHaveLength(1);
    }
  });

  it('a no refuses, and says so', async () => {
    const tenon = await start({ ui: answering((options) => options.at(-1)) });
    expect(textOf(await tenon.call('bash', { command: 'git push' }))).toContain('the user said no');
    expect(tenon.ran).toEqual([]);
  });

  it('no answer refuses, but the call can still be allowed', async () => {
    const tenon = await start({ ui: answering(() => undefined) });
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push' })));
    await tenon.run('approval allow', { id });
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBeUndefined();
  });

  it('an answer from another process ends the wait and closes the question', async () => {
    for (const [verb, isError] of [
      ['allow', undefined],
      ['deny', true],
    ] as const) {
      let closed = false;
      const select: UserInterface['select'] = (_title, _options, dialog) =>
        new Promise((resolve) =>
          dialog?.signal?.addEventListener('abort', () => ((closed = true), resolve(undefined))),
        );
      const asker = await start({ ui: { canAsk: () => true, select } });
      const other = await start();
      const result = asker.call('bash', { command: `git push ${verb}` });
      const id = await waitForId(other);
      await other.run(`approval ${verb}`, { id });
      expect((await result).isError).toBe(isError);
      expect(closed).toBe(true);
      await other.run('approval clear');
    }
  });

  it('a call that is cancelled while it waits leaves nothing behind', async () => {
    const select: UserInterface['select'] = (_title, _options, dialog) =>
      new Promise((resolve) => dialog?.signal?.addEventListener('abort', () => resolve(undefined)));
    const tenon = await start({ ui: { canAsk: () => true, select } });
    const stop = new AbortController();
    const result = tenon.call('bash', { command: 'git push' }, { signal: stop.signal }).catch(() => 'cancelled');
    await waitForId(tenon);
    stop.abort();
    await result;
    await expect.poll(async () => (await tenon.run('approval list')).err).toContain('Nothing waits');
    expect(tenon.ran).toEqual([]);
  });

  it('a call that is cancelled after it was written down and before the question leaves nothing behind', async () => {
    const stop = new AbortController();
    const canAsk = () => (stop.abort(), true);
    const tenon = await start({ ui: { canAsk, select: () => new Promise(() => undefined) } });
    await tenon.call('bash', { command: 'git push' }, { signal: stop.signal }).catch(() => 'cancelled');
    await expect.poll(async () => (await tenon.run('approval list')).err).toContain('Nothing waits');
    expect(tenon.ran).toEqual([]);
  });
});

async function waitForId(tenon: Tenon): Promise<string> {
  for (;;) {
    const held = JSON.parse((await tenon.run('approval list', {}, { json: true })).out) as { id: string }[];
    if (held[0]) return held[0].id;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('other tools', () => {
  it('ask before they write outside of the workspace or to protected places', async () => {
    const tenon = await start();
    for (const path of ['/etc/hosts', '.git/config', '.tenon/policy.yml', join(home.folders.config, 'x')]) {
      expect((await tenon.call('write', { path, content: '' })).isError, path).toBe(true);
    }
    expect((await tenon.call('edit', { path: 'a', rename: '/etc/a' })).isError).toBe(true);
    expect((await tenon.call('edit', { path: 'src/a.ts', text: '/etc/hosts' })).isError).toBeUndefined();
    expect((await tenon.call('read', { path: join(home.folders.home, '.ssh', 'id_rsa') })).isError).toBe(true);
    expect((await tenon.call('read', { path: 'src/a.ts' })).isError).toBeUndefined();
  });

  it('that run code ask without a sandbox, and not in one', async () => {
    expect((await (await start()).call('eval', { input: '1' })).isError).toBe(true);
    const yolo = await start({ mode: 'yolo' });
    expect((await yolo.call('eval', { input: '1' })).isError).toBeUndefined();
    expect((await yolo.call('eval', { input: 'import shutil; shutil.rmtree("/")' })).isError).toBe(true);
    expect((await (await start({ profile: 'workspace-write' })).call('eval', { input: '1' })).isError).toBeUndefined();
  });

  it('that declare nothing are judged as touching anything', async () => {
    const tenon = await start();
    expect(textOf(await tenon.call('plain', {}))).toContain('runs code without a sandbox');
    expect((await (await start({ profile: 'workspace-write' })).call('plain', {})).isError).toBeUndefined();
    const inSandbox = await start({ profile: 'workspace-write' });
    expect(textOf(await inSandbox.call('plain', { command: 'git push --force' }))).toContain('tier 3');
    // Every text of the input may be a path, under whatever key.
    for (const text of ['~/.ssh/id_rsa', ' "../.ssh/id_rsa" ', 'any://../../.ssh/id_rsa', '../.ssh/x\n/../id_rsa']) {
      for (const input of [{ note: text }, { deep: [{ list: [text] }] }]) {
        for (const tool of ['silent_read', 'silent_write', 'mcp__notes__list'])
          expect((await tenon.call(tool, input)).isError, `${tool} ${text}`).toBe(true);
      }
    }
    expect((await tenon.call('silent_read', { note: '/etc/hosts' })).isError).toBeUndefined();
    expect((await tenon.call('silent_write', { note: '/etc/hosts' })).isError).toBe(true);
    // No file system takes such a text for a path.
    const code = `/** ${'x'.repeat(300)} */`;
    expect((await tenon.call('silent_write', { content: code })).isError).toBeUndefined();
  });

  it('of MCP servers ask unless they only read: no sandbox is around a server', async () => {
    const tenon = await start({ profile: 'workspace-write' });
    expect(textOf(await tenon.call('mcp__notes__add', { text: 'x' }))).toContain('which no sandbox limits');
    expect((await tenon.call('mcp__notes__list', {})).isError).toBeUndefined();
  });

  it('that change files ask too in strict mode', async () => {
    const tenon = await start({ mode: 'strict' });
    expect((await tenon.call('write', { path: 'a', content: '' })).isError).toBe(true);
    expect((await tenon.call('bash', { command: 'ls' })).isError).toBeUndefined();
  });

  it('in yolo mode only ask before what destroys', async () => {
    const tenon = await start({ mode: 'yolo' });
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBeUndefined();
    expect((await tenon.call('bash', { command: 'rm -rf /' })).isError).toBe(true);
  });
});

describe('policies', () => {
  it('of the user deny, and the reason is told', async () => {
    put(
      join(home.folders.config, 'policy.yml'),
      'rules:\n  - { decide: deny, command: npm *, reason: use pnpm here }\n',
    );
    const tenon = await start({ mode: 'yolo' });
    expect(textOf(await tenon.call('bash', { command: 'npm test' }))).toContain('use pnpm here');
    expect((await tenon.call('bash', { command: 'pnpm test' })).isError).toBeUndefined();
  });

  it('hold for reading, too', async () => {
    put(join(home.folders.config, 'policy.yml'), 'rules:\n  - { decide: deny, tool: read, path: secrets/** }\n');
    const tenon = await start();
    expect((await tenon.call('read', { path: 'secrets/x' })).isError).toBe(true);
    expect((await tenon.call('read', { path: 'src/x' })).isError).toBeUndefined();
  });

  it('about fetch hold for web addresses that other tools read', async () => {
    put(join(home.folders.config, 'policy.yml'), 'rules:\n  - { decide: deny, tool: fetch, reason: no web }\n');
    const tenon = await start();
    expect(textOf(await tenon.call('read', { path: 'https://example.com/a' }))).toContain('no web');
    expect((await tenon.call('read', { path: 'src/x' })).isError).toBeUndefined();
  });

  it('that are invalid refuse every call, and say where', async () => {
    const file = join(home.folders.config, 'policy.yml');
    put(file, 'rules:\n  - { decide: allow, tool: "*" }\n  - { decide: dney, tool: bash }\n');
    const tenon = await start({ mode: 'yolo' });
    for (const [tool, input] of [
      ['bash', { command: 'npm test' }],
      ['write', { path: 'a', content: '' }],
      ['plain', {}],
      ['read', { path: 'src/x' }],
      ['bash', { command: 'ls' }],
    ] as const) {
      const result = await tenon.call(tool, input);
      expect(result.isError, tool).toBe(true);
      expect(textOf(result)).toContain(`${file}:3: "decide" must be`);
    }
    const check = await tenon.run('policy check');
    expect([check.code, check.err]).toEqual([1, expect.stringContaining(`${file}:3`)]);
    put(file, 'rules: []\n');
    expect((await tenon.call('bash', { command: 'npm test' })).isError).toBeUndefined();
  });

  it('whose examples do not fit are invalid', async () => {
    put(
      join(home.folders.config, 'policy.yml'),
      'rules:\n  - { decide: deny, command: git push --force, examples: { match: [git push origin --force] } }\n',
    );
    const tenon = await start();
    expect(textOf(await tenon.call('bash', { command: 'npm test' }))).toContain('does not match its example');
  });

  it('of a project may only tighten until the folder is trusted', async () => {
    put(
      join(home.folders.cwd, '.tenon', 'policy.yml'),
      'rules:\n  - { decide: allow, command: git push * }\n  - { decide: deny, command: npm publish * }\n',
    );
    const tenon = await start();
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBe(true);
    expect(textOf(await tenon.call('bash', { command: 'npm publish' }))).toContain('a rule says deny');
    expect((await tenon.run('policy list')).out).toContain('ignored: the folder is not trusted');
    await tenon.run('trust add');
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBeUndefined();
    await tenon.run('trust remove');
    expect((await tenon.call('bash', { command: 'git push' })).isError).toBe(true);
  });
});

describe('the commands', () => {
  it('explain a command', async () => {
    const tenon = await start();
    const text = (await tenon.run('approval explain', { command: ['git push --force && ls'] })).out;
    expect(text).toContain('Tier 3');
    expect(text).toContain('overwrites the history that others have');
    expect(text).toContain('It needs your approval');
    const json = JSON.parse((await tenon.run('approval explain', { command: ['ls'] }, { json: true })).out) as Record<
      string,
      unknown
    >;
    expect(json).toMatchObject({ tier: 0, decision: 'allow', reasons: [] });
  });

  it('show what waits', async () => {
    const tenon = await start();
    const id = idIn(textOf(await tenon.call('bash', { command: 'git push', env: { A: 'b' } })));
    expect((await tenon.run('approval list')).out).toContain(`${id}  waiting  tier 2  bash: git push`);
    expect((await tenon.run('approval show', { id })).out).toContain('command: git push');
    const shown = JSON.parse((await tenon.run('approval show', { id }, { json: true })).out) as Record<string, unknown>;
    expect(shown).toMatchObject({ id, tool: 'bash', state: 'waiting', tier: 2, folder: home.folders.cwd });
    expect(shown).not.toHaveProperty('digest');
    await expect(tenon.run('approval show', { id: 'zzzz' })).rejects.toThrow(/No call with the id "zzzz"/);
  });
});
