import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { approvals } from '@tenon/approval/api';
import { pluginContract } from '@tenon/kernel/testing';
import { heldFolders } from '@tenon/sandbox/api';
import { until } from '@tenon/test-kit/waiting';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { foldersIn, standIn } from '@tenon/test-kit/kernel';
import { sessionShutdown, sessionStart, sessionSwitch, userBash } from '@tenon/agent/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { describe, expect, it } from 'vitest';
import { folders, type InterfaceSwitch, SILENT, userInterface } from '@tenon/host';
import { undo } from '../src/api.ts';
import plugin from '../src/plugin.ts';
import { stateOf } from './tree-state.ts';

const PLUGINS = [
  'trust',
  'sandbox',
  'approval',
  'jobs',
  'shell-tools',
  'file-tools',
  'documents',
  'doctor',
  'command-line',
  'undo',
];
const agentHooks = standIn([sessionShutdown, sessionSwitch, sessionStart, userBash], 'agent');
const FILES = { 'src/a.ts': 'export const a = 1;\n', 'notes.txt': 'mine\n', '.env': 'KEY=1\n', '.gitignore': '.env\n' };

const open = (settings: Record<string, unknown> = {}) =>
  openWorkbench([...PLUGINS, agentHooks], {
    files: FILES,
    ownFolder: 'own',
    settings: { approval: { mode: 'yolo' }, 'shell-tools': { startFiles: false }, ...settings },
  });

describe('calls of tools', () => {
  it('a command that nobody understood is taken back whole: the real shell, in the real sandbox', async () => {
    const bench = await open();
    const service = await bench.kernel.find(undo);
    // What a script does cannot be read off its call: it runs confined, and confinement does not protect the workspace itself.
    bench.put(
      'wipe.sh',
      'rm -rf src .env; mv notes.txt moved; ln -s moved l; mkdir -p deep/er; chmod 600 moved; rm wipe.sh\n',
    );
    const before = stateOf(bench.root);
    await bench.ok('bash', { command: 'bash wipe.sh' });
    expect(stateOf(bench.root)).not.toEqual(before);
    const [entry] = await service.list({ cwd: bench.root });
    expect(entry).toMatchObject({ tool: 'bash', state: 'done' });
    await service.restore({ cwd: bench.root });
    // The shell is still there, and with it the empty folders with which its sandbox holds names.
    const all = await heldFolders();
    const held = all.map((path) => relative(bench.root, path)).filter((path) => !path.startsWith('..'));
    const after = Object.entries(stateOf(bench.root)).filter(([path]) => !held.includes(path));
    expect(Object.fromEntries(after)).toEqual(before);
    for (const path of held) expect(existsSync(join(bench.root, path))).toBe(true);
  });

  it('an edit is taken back, and a command that is proven to read costs no snapshot', async () => {
    const bench = await open();
    const service = await bench.kernel.find(undo);
    const command = 'ls | head -3';
    const { tier, understood } = await (await bench.kernel.find(approvals)).judgeCommand(command, { cwd: bench.root });
    await bench.ok('bash', { command });
    expect(existsSync(join(bench.home, 'own', 'undo'))).toBe(!(tier === 0 && understood));
    await bench.ok('write', { path: 'notes.txt', content: 'theirs\n' });
    expect(await service.list({ cwd: bench.root })).toMatchObject([{ tool: 'write', counts: { changed: 1 } }]);
    await service.restore({ cwd: bench.root });
    expect(bench.get('notes.txt')).toBe('mine\n');
  });

  it('a command that is cancelled has changed what it changed', async () => {
    const bench = await open();
    const service = await bench.kernel.find(undo);
    const stop = new AbortController();
    const running = bench
      .run('bash', { command: 'echo x > made; sleep 60' }, { signal: stop.signal })
      .catch(() => undefined);
    await until(() => existsSync(bench.path('made')));
    stop.abort();
    await running;
    await until(async () => (await service.list({ cwd: bench.root }))[0]?.state === 'done');
    await service.restore({ cwd: bench.root });
    expect(existsSync(bench.path('made'))).toBe(false);
  });

  it('go on with a notice when nothing can be kept, and are refused when undo is required', async () => {
    for (const required of [false, true]) {
      const bench = await open({ undo: { required } });
      const told: string[] = [];
      const notices = (await bench.kernel.find(userInterface)) as InterfaceSwitch;
      notices.use({ ...SILENT, notify: (text) => void told.push(text) });
      // A file where the store would be: nothing can be written there.
      mkdirSync(join(bench.home, 'own'), { recursive: true });
      writeFileSync(join(bench.home, 'own', 'undo'), '');
      const result = await bench.run('write', { path: 'notes.txt', content: 'new\n' });
      expect(result.isError === true, JSON.stringify(result)).toBe(required);
      expect(bench.get('notes.txt')).toBe(required ? 'mine\n' : 'new\n');
      await bench.run('write', { path: 'notes.txt', content: 'newer\n' });
      // Once, not with every call.
      expect(told.filter((text) => text.startsWith('Undo: '))).toHaveLength(required ? 0 : 1);
      const codes = bench.kernel.diagnostics().map(({ error }) => error.code);
      expect(codes).toEqual(required ? [] : ['UNDO_SNAPSHOT_FAILED']);
    }
  });
});

describe('tenon undo', () => {
  it('shows what would change, needs a yes, lists, redoes, and speaks JSON', async () => {
    const bench = await open();
    await bench.ok('write', { path: 'notes.txt', content: 'theirs\n' });
    const run = (flags: Record<string, boolean | string> = {}, args = {}) =>
      runCommand(bench.kernel, 'undo', { flags, args, cwd: bench.root });
    expect((await run({ 'dry-run': true })).out).toMatch(/revert +notes\.txt/);
    expect(bench.get('notes.txt')).toBe('theirs\n');
    await expect(run()).rejects.toMatchObject({ code: 'UNDO_NEEDS_YES' });
    expect((await run({ yes: true })).out).toContain('Undone: 1 path.');
    expect(bench.get('notes.txt')).toBe('mine\n');
    expect((await run({ list: true })).out).toMatch(/undone by 2/);
    const redone = JSON.parse((await run({ redo: true, yes: true, json: true })).out) as { done: boolean; id: number };
    expect(redone).toMatchObject({ done: true, id: 3 });
    expect(bench.get('notes.txt')).toBe('theirs\n');
    await expect(run({ yes: true }, { count: '0' })).rejects.toMatchObject({ code: 'UNDO_COUNT' });
    await expect(run({ yes: true, to: '1' }, { count: '1' })).rejects.toMatchObject({ code: 'UNDO_FLAGS' });
  });

  it('cleans file names of everything that a terminal would obey', async () => {
    const bench = await open();
    await bench.run('bash', { command: "touch $'evil\\e]0;title\\a\\nname'" });
    const { out } = await runCommand(bench.kernel, 'undo', { flags: { 'dry-run': true }, cwd: bench.root });
    expect(out).toContain('evil');
    expect(out).not.toMatch(/[\u001b\u0007]/);
  });
});

const source = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

describe('the plugin undo', () => {
  it('keeps the contract of plugins', async () => {
    const home = temporaryFolder('undo');
    await pluginContract({ source, plugin, services: [[folders, foldersIn(home)]] });
  });
});
