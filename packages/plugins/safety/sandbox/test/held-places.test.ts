/** Names that do not exist yet and must not come into being, and parents that must not be renamed: with real programs. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAccelerator } from '@tenon/native';
import { buildProgram } from '@tenon/test-kit/built-program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMechanism } from '../src/find-mechanism.ts';
import { heldFolders, hold, isHeld, releaseAbandoned } from '../src/held-places.ts';
import { protectedPlacesOf } from '../src/api.ts';
import { Machine, runIn } from './support/machine.ts';

const here = await findMechanism(await loadAccelerator('sandbox'), 'bubblewrap', {});
const PLACES = ['.mcp.json', '.envrc', '.vscode', '.tenon', '.claude', '.github/hooks', '.github/mcp.json'];

class Workspace extends Machine {
  override surroundings(own: readonly string[] = []) {
    const declared = { runsCode: PLACES.map((name) => `./${name}`) };
    const manifest = { id: 'x', version: '1', kernel: '*', contributes: { 'protected-places': { x: declared } } };
    return { ...super.surroundings(own), places: () => protectedPlacesOf([manifest]) };
  }
}

describe.skipIf(here.mechanism === undefined)('a program in a sandbox', () => {
  let machine: Workspace;
  beforeEach(() => (machine = new Workspace()));
  afterEach(() => machine.close());
  const at = (name: string) => join(machine.workspace, name);

  async function attack(script: string) {
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    try {
      return await runIn(confinement, ['/bin/sh', '-c', script], machine.workspace);
    } finally {
      await confinement.dispose();
    }
  }

  it.each(PLACES)('cannot make %s, and nothing is left behind', async (name) => {
    machine.initGit();
    const before = readdirSync(machine.workspace).sort();
    const { out } = await attack(`
      mkdir -p "$(dirname ${name})" 2>/dev/null
      (echo evil > ${name}) 2>/dev/null && echo WROTE
      (mkdir -p ${name} && echo evil > ${name}/settings.json) 2>/dev/null && echo WROTE
      echo evil > other; mv other ${name} 2>/dev/null && echo WROTE
      ln -s /etc ${name} 2>/dev/null && echo WROTE
      rm -rf ${name} 2>/dev/null; rmdir ${name} 2>/dev/null; mv ${name} moved 2>/dev/null && echo MOVED
      rmdir moved 2>/dev/null; rm -f other ${name}/other; true`);
    expect(out).toBe('');
    expect(readdirSync(machine.workspace).sort()).toEqual(before);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: machine.workspace, encoding: 'utf8' })).toBe('');
  });

  it('cannot rename the folder around a protected place, there or missing', async () => {
    mkdirSync(at('.github/workflows'), { recursive: true });
    const { out } = await attack(`
      mv .github .gh2 2>/dev/null && echo MOVED
      echo ok > .github/workflows/ci.yml && echo FINE
      mkdir -p .gh3 && (mv -T .gh3 .github 2>/dev/null) && echo SWAPPED; rmdir .gh3 2>/dev/null; true`);
    expect(out).toBe('FINE\n');
    expect(readdirSync(at('.github'))).toEqual(['workflows']);
    writeFileSync(at('.github/mcp.json'), 'mine');
    expect((await attack('mv .github .gh2 && echo MOVED; echo evil > .github/mcp.json; true')).out).toBe('');
    expect(readFileSync(at('.github/mcp.json'), 'utf8')).toBe('mine');
  });

  it('can use a folder that only a protected place needed, and keeps what it made there', async () => {
    expect((await attack('mkdir -p .github/workflows && echo a > .github/workflows/ci.yml && echo FINE')).out).toBe(
      'FINE\n',
    );
    expect(readdirSync(at('.github'))).toEqual(['workflows']);
  });

  it('cannot make git run something through parts of its folder that do not exist', async () => {
    machine.initGit();
    for (const name of ['hooks', 'info', 'modules', 'commondir'])
      rmSync(at(`.git/${name}`), { recursive: true, force: true });
    const { out } = await attack(`
      mkdir -p .git/hooks 2>/dev/null; (echo 'touch ../pwned' > .git/hooks/pre-commit) 2>/dev/null && echo HOOK
      mkdir -p evil/objects evil/refs; (echo ../evil > .git/commondir) 2>/dev/null && echo COMMONDIR
      rm -f .git/commondir 2>/dev/null && echo REMOVED
      (echo '[core]' > .git/config.worktree) 2>/dev/null && echo CONFIG
      (mkdir -p .git/info && echo '* filter=x' > .git/info/attributes) 2>/dev/null && echo ATTRIBUTES
      mv .git .git2 2>/dev/null && echo MOVED
      rm -rf evil; echo more > new.txt; git add new.txt && git -c user.name=a -c user.email=a@b commit -qm more && echo COMMITTED
      git status --porcelain; git branch x && git stash list && git log --oneline | wc -l`);
    expect(out.replaceAll(' ', '')).toBe('COMMITTED\n2\n');
    for (const name of ['hooks', 'commondir', 'config.worktree', 'modules'])
      expect(existsSync(at(`.git/${name}`)), name).toBe(false);
    execFileSync('git', ['status'], { cwd: machine.workspace });
  });

  it('cannot redirect other worktrees of the repository', async () => {
    machine.initGit();
    execFileSync('git', ['worktree', 'add', '-q', join(machine.outside, 'wt')], { cwd: machine.workspace });
    const { out } = await attack(`
      (echo /evil > .git/worktrees/wt/commondir) 2>/dev/null && echo COMMONDIR
      mv .git/worktrees/wt .git/worktrees/x 2>/dev/null && echo MOVED
      mv .git/worktrees .git/w 2>/dev/null && echo MOVED; true`);
    expect(out).toBe('');
  });

  it('starts although a worktree of the repository was removed since it was looked at, also the last one', async () => {
    machine.initGit();
    const git = (...words: string[]) => execFileSync('git', words, { cwd: machine.workspace });
    const trees = ['one', 'two'].map((name) => join(machine.outside, name));
    for (const tree of trees) git('worktree', 'add', '-q', tree);
    const script = 'cat file.txt; git worktree list | wc -l';
    for (const [index, tree] of trees.entries()) {
      const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
      git('worktree', 'remove', tree);
      const { out, err } = await runIn(confinement, ['/bin/sh', '-c', script], machine.workspace);
      expect({ out: out.replaceAll(' ', ''), err }).toEqual({ out: `content${2 - index}\n`, err: '' });
      await confinement.dispose();
    }
  });

  it('does not start where a link has taken the place of what git keeps of a worktree', async () => {
    machine.initGit();
    execFileSync('git', ['worktree', 'add', '-q', join(machine.outside, 'wt')], { cwd: machine.workspace });
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    rmSync(at('.git/worktrees/wt'), { recursive: true });
    symlinkSync(join(machine.home, '.ssh'), at('.git/worktrees/wt'));
    const script = 'cat .git/worktrees/wt/id_ed25519; echo STARTED';
    const { out, err } = await runIn(confinement, ['/bin/sh', '-c', script], machine.workspace);
    expect(out).toBe('');
    expect(err).not.toBe('');
    await confinement.dispose();
  });

  it('finds a name held as long as one sandbox of several needs it', async () => {
    const [first, second] = [machine.sandboxes(), machine.sandboxes()];
    const one = await first.wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    const other = await second.wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    await one.dispose();
    expect((await runIn(other, ['/bin/sh', '-c', 'echo evil > .mcp.json; true'], machine.workspace)).out).toBe('');
    expect(readdirSync(at('.mcp.json'))).toEqual([]);
    await other.dispose();
    expect(existsSync(at('.mcp.json'))).toBe(false);
  });

  it('leaves what the user put there meanwhile', async () => {
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    writeFileSync(at('.vscode/settings.json'), '{}');
    await confinement.dispose();
    expect(readFileSync(at('.vscode/settings.json'), 'utf8')).toBe('{}');
  });
});

describe('a held name', () => {
  let base: string;
  beforeEach(() => (base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-hold-')))));
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('is not taken where something is, and never removed then', () => {
    mkdirSync(join(base, 'theirs'));
    hold({ path: join(base, 'theirs') }, join(base, 'registry'))();
    expect(existsSync(join(base, 'theirs'))).toBe(true);
  });

  it('takes the folders that were made for it along, whichever of several names in them goes last', () => {
    const registry = join(base, 'registry');
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const leave = ['.github/hooks', '.github/a/b', '.github/mcp.json'].map((name) =>
        hold({ path: join(base, name) }, registry),
      );
      for (const [left, at] of order.entries()) {
        expect(existsSync(join(base, '.github')), `${left} of ${order}`).toBe(true);
        leave[at]?.();
      }
      expect(readdirSync(base), String(order)).toEqual(['registry']);
      expect(readdirSync(registry)).toEqual([]);
    }
  });

  it('leaves a folder that was made for it when somebody uses that', () => {
    const registry = join(base, 'registry');
    const leave = ['.github/hooks', '.github/mcp.json'].map((name) => hold({ path: join(base, name) }, registry));
    writeFileSync(join(base, '.github/ci.yml'), 'mine');
    for (const release of leave) release();
    expect(readdirSync(join(base, '.github'))).toEqual(['ci.yml']);
  });

  it('of a process that was killed goes with the next one, and one that somebody else holds stays', () => {
    const registry = join(base, 'registry');
    hold({ path: join(base, 'a/b') }, registry);
    hold({ path: join(base, 'a/c') }, registry);
    hold({ path: join(base, 'file'), text: '.' }, registry);
    hold({ path: join(base, 'kept') }, registry);
    expect(readdirSync(base).sort()).toEqual(['a', 'file', 'kept', 'registry']);
    const { pid: dead } = spawnSync('true');
    for (const name of readdirSync(registry)) {
      const folder = join(registry, name);
      rmSync(join(folder, String(process.pid)));
      writeFileSync(join(folder, String(dead)), '');
      // Another process, which is alive, needs it, too.
      if (readFileSync(join(folder, 'place.json'), 'utf8').includes('kept'))
        writeFileSync(join(folder, String(process.ppid)), '');
    }
    expect(isHeld(join(base, 'a/b'), registry)).toBe(true);
    releaseAbandoned(registry);
    expect(readdirSync(base).sort()).toEqual(['kept', 'registry']);
    expect(readdirSync(registry)).toHaveLength(1);
  });

  it('of a process that is gone goes, although another process has got its number', () => {
    const registry = join(base, 'registry');
    hold({ path: join(base, 'stale') }, registry);
    const [folder = ''] = readdirSync(registry).map((name) => join(registry, name));
    rmSync(join(folder, String(process.pid)));
    const mark = { pid: process.ppid, host: hostname(), started: '1' };
    writeFileSync(join(folder, String(process.ppid)), JSON.stringify(mark));
    releaseAbandoned(registry);
    // Only Linux tells when a process has started.
    expect(existsSync(join(base, 'stale'))).toBe(process.platform !== 'linux');
  });
});

describe.skipIf(here.mechanism === undefined)('a sandbox around the folder for temporary files', () => {
  let machine: Workspace;
  const before = process.env['TMPDIR'];
  beforeEach(() => (machine = new Workspace()));
  afterEach(async () => {
    await machine.close();
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });

  it('shows neither its filters nor the marks of held names, and the folder cannot be swapped', async () => {
    const temporary = join(machine.workspace, 'var', 'tmp');
    mkdirSync(temporary, { recursive: true });
    process.env['TMPDIR'] = temporary;
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
    const [own = ''] = readdirSync(temporary);
    expect(readdirSync(join(temporary, own))).toContain('held');
    const script = `ls -A var/tmp; (echo evil > var/tmp/x) 2>/dev/null && echo WROTE
      mv var/tmp var/t2 2>/dev/null && echo MOVED; mv var v2 2>/dev/null && echo MOVED; echo fine > var/ok && echo FINE`;
    const { out } = await runIn(confinement, ['/bin/sh', '-c', script], machine.workspace);
    await confinement.dispose();
    expect(out).toBe('FINE\n');
    expect(readdirSync(temporary)).toEqual([own]);
  });

  it('is no workspace that programs may write to, because everybody has sockets there', async () => {
    const wide = machine.sandboxes().wrap({ cwd: '/tmp', profile: 'workspace-write' });
    await expect(wide).rejects.toMatchObject({ code: 'SANDBOX_WORKSPACE_TOO_WIDE' });
    expect(await machine.sandboxes({ mechanism: 'bubblewrap' }).profileFor({ cwd: '/tmp' })).toBe('read-only');
  });

  it('keeps a hidden folder of the workspace hidden from the next one, too', async () => {
    mkdirSync(join(machine.workspace, 'deploy', 'keys'), { recursive: true });
    writeFileSync(join(machine.workspace, 'deploy', 'keys', 'key'), 'PRIVATE');
    const box = machine.sandboxes({ hidden: ['deploy/keys'] });
    const request = { profile: 'workspace-write' } as const;
    const look = 'mv deploy d2 2>/dev/null; cat deploy/keys/key d2/keys/key 2>/dev/null; true';
    expect((await machine.run(box, request, ['/bin/sh', '-c', look])).out).toBe('');
    expect((await machine.run(box, request, ['/bin/sh', '-c', look])).out).toBe('');
  });
});

it('lists held folders while another program lets go of them', () => {
  const root = mkdtempSync(join(tmpdir(), 'tenon-held-'));
  const path = join(root, '.mcp.json');
  const release = hold({ path }, join(root, 'registry'));
  const other = spawn('sh', ['-c', `while :; do rmdir '${path}'; mkdir '${path}'; done`], { stdio: 'ignore' });
  try {
    for (let calls = 0; calls < 20_000; calls++) expect(heldFolders(join(root, 'registry')).length).toBeLessThan(2);
  } finally {
    other.kill('SIGKILL');
    release();
    rmSync(root, { recursive: true, force: true });
  }
});

it('keeps a name for everybody who holds it, however many processes take it and let it go', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tenon-held-'));
  const program = await buildProgram(join(import.meta.dirname, 'support/holder.ts'));
  const path = join(root, 'hooks');
  const lost = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise<string>((resolve, reject) => {
          let said = '';
          const child = spawn(process.execPath, [program, path, join(root, 'registry')], {
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          child.stdout.on('data', (part: Buffer) => (said += part.toString()));
          child.on('error', reject).on('close', () => resolve(said));
        }),
    ),
  );
  try {
    expect(lost).toEqual(['0', '0', '0', '0']);
    expect(existsSync(path)).toBe(false);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
