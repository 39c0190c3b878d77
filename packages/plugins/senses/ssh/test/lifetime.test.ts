import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sessionShutdown } from '@tenon/agent/api';
import { findInPath } from '@tenon/host';
import { inlineCandidate } from '@tenon/kernel/testing';
import { buildProgram } from '@tenon/test-kit/built-program';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { describe, expect, it } from 'vitest';
import { clientConfig, noServer, startSshd } from './real-sshd.ts';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown], activate() {} },
  { defines: { hooks: [sessionShutdown.id] } },
);

const noMount = findInPath('sshfs', process.env) === undefined ? 'sshfs is not installed' : whyNoFuse();

function whyNoFuse(): string | undefined {
  return existsSync('/dev/fuse') ? undefined : 'there is no /dev/fuse';
}

const mountTable = () => readFileSync('/proc/self/mountinfo', 'utf8');

function processesWith(word: string): string {
  try {
    return execFileSync('pgrep', ['-af', word], { encoding: 'utf8' });
  } catch {
    return ''; // pgrep fails when there is none.
  }
}

describe.skipIf(noServer ?? noMount)(`mounts${noMount === undefined ? '' : ` (${noMount})`}`, () => {
  it('shows a remote folder here until it is unmounted or the session ends', async () => {
    const web = await startSshd();
    const shared = temporaryFolder('shared');
    writeFileSync(join(shared, 'file'), 'over there');
    symlinkSync(join(web.folder, 'host.pub'), join(shared, 'link'));
    const bench = await openWorkbench(['ssh', 'command-line'], {
      settings: { ssh: { configFile: clientConfig({ web }), hosts: { web: { host: 'web' } } } },
    });
    bench.kernel.install(agentHooks);
    const place = async (input: object) =>
      /mounted at (\S+)/.exec(await bench.ok('ssh', { op: 'mount', host: 'web', remote: shared, ...input }))?.[1] ?? '';
    const first = await place({});
    expect(readFileSync(join(first, 'file'), 'utf8')).toBe('over there');
    // The other machine follows its links: here they are what they lead to.
    expect(lstatSync(join(first, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(first, 'link'), 'utf8')).toContain('ssh-ed25519');
    expect(() => writeFileSync(join(first, 'new'), 'x')).toThrow(/EROFS/);
    expect(await place({})).toBe(first);
    expect(await bench.ok('ssh', { op: 'unmount', host: 'web' })).toBe('Unmounted 1 folder of web.');
    expect(mountTable()).not.toContain(first);
    const writable = await place({ writable: true });
    writeFileSync(join(writable, 'new'), 'from here');
    expect(readFileSync(join(shared, 'new'), 'utf8')).toBe('from here');
    await bench.kernel.run(sessionShutdown, { session: 'one', cwd: '/' });
    expect(mountTable()).not.toContain(writable);
    const last = await place({});
    await bench.dispose();
    expect(mountTable()).not.toContain(last);
    expect(existsSync(last)).toBe(false);
  });

  it('takes keys and folders with blanks and commas in their names', async () => {
    const web = await startSshd();
    const shared = join(temporaryFolder('shared'), 'a, b c');
    mkdirSync(shared);
    writeFileSync(join(shared, 'file'), 'over there');
    const key = join(web.folder, 'my, own key');
    copyFileSync(web.key, key);
    const config = clientConfig({ web });
    writeFileSync(config, readFileSync(config, 'utf8').replace(/ {2}IdentityFile .*\n/, ''));
    const bench = await openWorkbench(['ssh', 'command-line', agentHooks], {
      settings: { ssh: { configFile: config, hosts: { web: { host: 'web', identityFile: key } } } },
    });
    expect(await bench.ok('ssh', { host: 'web', command: 'cat file', cwd: shared })).toBe('over there');
    const text = await bench.ok('ssh', { op: 'mount', host: 'web', remote: shared });
    const place = /mounted at (\S+)/.exec(text)?.[1] ?? '';
    expect(readFileSync(join(place, 'file'), 'utf8')).toBe('over there');
    await bench.dispose();
  });

  it('says why a folder cannot be mounted, and leaves nothing', async () => {
    const web = await startSshd();
    const bench = await openWorkbench(['ssh', 'command-line'], {
      settings: { ssh: { configFile: clientConfig({ web }), hosts: { web: { host: 'web' } } } },
    });
    bench.kernel.install(agentHooks);
    const text = await bench.fails('ssh', { op: 'mount', host: 'web', remote: '/does/not/exist' });
    expect(text).toMatch(/\/does\/not\/exist of "web" cannot be mounted: .*No such file/);
    expect(mountTable()).not.toContain('/does/not/exist');
    await bench.dispose();
  });
});

describe.skipIf(noServer !== undefined)(
  `a Tenon that is killed${noServer === undefined ? '' : ` (${noServer})`}`,
  () => {
    it('leaves no connection, no remote process, no socket and no mount', async () => {
      const web = await startSshd();
      const runtime = temporaryFolder('run');
      const program = await buildProgram(fileURLToPath(new URL('killed-child.ts', import.meta.url)), {
        plugins: ['settings', 'tools', 'urls', 'ssh', 'command-line'],
      });
      const config = clientConfig({ web });
      const mounts = noMount === undefined ? 'yes' : 'no';
      const child = spawn(process.execPath, [program, config, web.folder, mounts], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, XDG_RUNTIME_DIR: runtime },
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until(() => processesWith('sleep 4720') !== '' || child.exitCode !== null, 'the remote command');
      expect(said).toContain('running');
      if (mounts === 'yes') expect(mountTable()).toContain(runtime);
      expect(processesWith(runtime)).toContain('ssh');
      child.kill('SIGKILL');
      await until(() => processesWith(runtime) === '', 'the end of ssh and sshfs');
      await until(() => processesWith('sleep 4720') === '', 'the end of the remote command');
      await until(() => !mountTable().includes(runtime), 'the end of the mount');
      await until(() => readdirSync(runtime).length === 0, 'the end of the socket');
    });
  },
);
