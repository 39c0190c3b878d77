import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Workbench } from '@tenon/test-kit/workbench';
import { openShellBench } from './shell-bench.ts';

let home: string;
let bench: Workbench | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-home-'));
  vi.stubEnv('HOME', home);
});
afterEach(async () => {
  await bench?.dispose();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function open(bashrc: string, startFiles = true): Promise<Workbench> {
  writeFileSync(join(home, '.bashrc'), bashrc, { mode: 0o644 });
  bench = await openShellBench({ settings: { 'shell-tools': { startFiles } } });
  return bench;
}

const BASHRC = `alias hello='echo from the alias'
greet() { echo "hi $1"; }
export ADDED=yes EDITOR=vim PATH="$HOME/bin:$PATH"
echo run >> "$HOME/runs"
`;

describe('the user’s start files', () => {
  it('give commands their aliases, functions and variables, and are read once', async () => {
    const { ok } = await open(BASHRC);
    const command = 'hello; greet you; echo "$ADDED ${PATH%%:*}"';
    for (const session of ['one', 'two']) {
      expect(await ok('bash', { command }, session)).toBe(`from the alias\nhi you\nyes ${home}/bin`);
    }
    expect(await ok('bash', { command: 'wc -l < ~/runs' })).toBe('1');
    expect(await ok('bash', { command: 'hello', pty: true })).toBe('from the alias');
  });

  it('do not change what keeps programs from waiting', async () => {
    const { ok } = await open(BASHRC);
    expect(await ok('bash', { command: 'echo $EDITOR $PAGER' })).toBe('true cat');
  });

  it('do not change whether commands see CI, which a setting does', async () => {
    const see = async (ci: boolean, own: string | undefined) => {
      vi.stubEnv('CI', own);
      bench = await openShellBench({ settings: { 'shell-tools': { ci } } });
      const seen = await bench.ok('bash', { command: 'echo "[$CI]"' });
      await bench.dispose();
      return seen;
    };
    expect(await see(true, undefined)).toBe('[1]');
    expect(await see(false, undefined)).toBe('[]');
    expect(await see(false, 'mine')).toBe('[mine]');
  });

  it('are not read when the setting says so, or when somebody else could have written them', async () => {
    const first = await open(BASHRC, false);
    expect(await first.fails('bash', { command: 'hello' })).toMatch(/not found/);
    await first.dispose();
    const second = await open(BASHRC);
    chmodSync(join(home, '.bashrc'), 0o666);
    expect(await second.fails('bash', { command: 'hello' })).toMatch(/not found/);
    expect(readdirSync(home)).toEqual(['.bashrc']);
  });

  it('that never end are given up', async () => {
    const { ok } = await open('sleep 60');
    expect(await ok('bash', { command: 'echo fine' })).toBe('fine');
  });
});
