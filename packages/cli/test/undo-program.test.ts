import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Home, MAIN } from '@tenon/test-kit/program';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const put = (name: string, text: string) => {
  mkdirSync(dirname(join(home.work, name)), { recursive: true });
  writeFileSync(join(home.work, name), text);
};
const get = (name: string) => readFileSync(join(home.work, name), 'utf8');
const bash = (command: string) => home.tenon(['tool', 'run', 'bash', '--input', JSON.stringify({ command })]);

describe('undo in the built program', () => {
  it('takes back what a command did in another process, and takes that back again', () => {
    put('src/a.ts', 'code\n');
    put('.env', 'KEY=1\n');
    put('.gitignore', '.env\n');
    put('wipe.sh', 'rm -rf src .env && echo "# changed" >> wipe.sh && chmod 755 wipe.sh\n');
    const done = bash('bash wipe.sh');
    expect(done.code, done.err).toBe(0);
    expect([existsSync(join(home.work, 'src')), existsSync(join(home.work, '.env'))]).toEqual([false, false]);
    const asked = home.tenon(['undo']);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')]);
    const shown = home.tenon(['undo', '--dry-run', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ done: false, entries: [{ tool: 'bash', title: 'bash wipe.sh' }] });
    const undone = home.tenon(['undo', '--yes']);
    expect([undone.code, undone.out]).toEqual([0, expect.stringMatching(/restore +src\/a\.ts/)]);
    expect([get('src/a.ts'), get('.env')]).toEqual(['code\n', 'KEY=1\n']);
    expect(get('wipe.sh')).not.toMatch(/^# changed/m);
    expect(statSync(join(home.work, 'wipe.sh')).mode & 0o111).toBe(0);
    expect(home.tenon(['undo', '--redo', '--yes']).code).toBe(0);
    expect(existsSync(join(home.work, 'src'))).toBe(false);
    expect(home.tenon(['undo', '--yes']).code).toBe(0);
    expect(get('src/a.ts')).toBe('code\n');
    const list = JSON.parse(home.tenon(['undo', '--list', '--json']).out) as { kind: string }[];
    expect(list.map(({ kind }) => kind)).toEqual(['undo', 'redo', 'undo', 'call']);
  });

  it('takes back what a command did whose Tenon was killed meanwhile', async () => {
    put('a', 'one\n');
    const input = JSON.stringify({ command: 'echo two > a; echo made > b; sleep 120' });
    const child = spawn(process.execPath, [MAIN, 'tool', 'run', 'bash', '--input', input], {
      cwd: home.work,
      env: home.environment(),
      stdio: 'ignore',
    });
    await until(() => existsSync(join(home.work, 'b')));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const undone = home.tenon(['undo', '--yes', '--json']);
    expect(undone.code, undone.err).toBe(0);
    expect(JSON.parse(undone.out)).toMatchObject({ done: true, entries: [{ tool: 'bash', state: 'interrupted' }] });
    expect([get('a'), existsSync(join(home.work, 'b'))]).toEqual(['one\n', false]);
  });
});
