import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionShutdown } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { textOf, openWorkbench, surroundings, type Workbench } from '@tenon/test-kit/workbench';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { tools, type ToolResult } from '@tenon/tools/api';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { sshHostFinders } from '../src/api.ts';
import plugin from '../src/plugin.ts';
import { clientConfig, noServer, type Sshd, startSshd } from './real-sshd.ts';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown], activate() {} },
  { defines: { hooks: [sessionShutdown.id] } },
);

/** Hosts as discovery would bring them. */
function finder(hosts: () => readonly object[]) {
  return inlineCandidate(
    {
      id: 'finder',
      activate(ctx) {
        ctx.contribute(sshHostFinders, 'finder', { find: async () => hosts() as never });
      },
    },
    { contributes: { [sshHostFinders.id]: { finder: {} } } },
  );
}

const alias = (name: string) => ({ name, file: '~/.ssh/config', host: name, isAlias: true });

function running(pattern: string): boolean {
  try {
    execFileSync('pgrep', ['-f', pattern]);
    return true;
  } catch {
    return false; // pgrep fails when there is none.
  }
}

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings('command-line', agentHooks) });
  });
});

describe.skipIf(noServer !== undefined)(`ssh on real servers${noServer === undefined ? '' : ` (${noServer})`}`, () => {
  let web: Sshd;
  let db: Sshd;
  let bench: Workbench;
  const open = async (settings: object, hosts = [alias('web'), alias('db')] as readonly object[]) => {
    const made = await openWorkbench(['ssh', 'command-line', finder(() => hosts)], { settings: { ssh: settings } });
    made.kernel.install(agentHooks);
    return made;
  };
  beforeAll(async () => {
    [web, db] = await Promise.all([startSshd(), startSshd()]);
    bench = await open({ configFile: clientConfig({ web, db }) });
  });
  afterAll(() => bench.dispose());

  it('runs a command and gives its output and errors', async () => {
    expect(await bench.ok('ssh', { host: 'web', command: 'echo hello; echo oops >&2' })).toMatch(/hello|oops/);
    expect(await bench.ok('ssh', { host: 'web', command: 'true' })).toBe('(no output)');
  });

  it('gives the exit code of a command that fails', async () => {
    expect(await bench.fails('ssh', { host: 'web', command: 'echo bad; exit 7' })).toBe(
      'bad\n\nCommand exited with code 7',
    );
    expect(await bench.fails('ssh', { host: 'web', command: 'exit 255' })).toBe('Command exited with code 255');
  });

  it('passes any command to the remote shell as it is', async () => {
    const hostile = `printf '%s|' "it's" "a \\\\ b" '$HOME' "\`id -u\`" '!x' "ü" && echo\necho second`;
    const expected = execFileSync('bash', ['-c', hostile], { encoding: 'utf8' });
    expect(await bench.ok('ssh', { host: 'web', command: hostile })).toBe(expected.trimEnd());
  });

  it('runs in a remote folder, also below the home folder there', async () => {
    expect(await bench.ok('ssh', { host: 'web', command: 'pwd', cwd: db.folder })).toBe(db.folder);
    expect(await bench.ok('ssh', { host: 'web', command: 'test "$PWD" = "$HOME" && echo home', cwd: '~' })).toBe(
      'home',
    );
    expect(await bench.fails('ssh', { host: 'web', command: 'pwd', cwd: '/does/not/exist' })).toMatch(
      /exited with code 1/,
    );
  });

  it('keeps one connection for many commands, and one for each host', async () => {
    await Promise.all(['web', 'db', 'web', 'db'].map((host) => bench.ok('ssh', { host, command: 'echo x' })));
    const accepted = (server: Sshd) => server.log().match(/Accepted publickey/g)?.length;
    expect(accepted(web)).toBe(1);
    expect(accepted(db)).toBe(1);
  });

  it('gives a command no input to wait for', async () => {
    expect(await bench.ok('ssh', { host: 'web', command: 'cat; echo done' })).toBe('done');
  });

  it('stops a command that takes too long, and everything that it started', async () => {
    const text = await bench.fails('ssh', { host: 'web', command: 'echo begun; sleep 4711 & sleep 4712', timeout: 1 });
    expect(text).toMatch(/took longer than 1 seconds and was stopped[\s\S]*begun[\s\S]*longer `timeout`/);
    await until(() => !running('sleep 471[12]'), 'the end of the remote processes');
  });

  it('stops a command that ignores the signal', async () => {
    await bench.fails('ssh', { host: 'web', command: `trap '' TERM; while :; do sleep 0.4713; done`, timeout: 1 });
    await until(() => !running('sleep 0.4713'), 'the end of the remote loop');
  });

  it('stops a command that is cancelled', async () => {
    const abort = new AbortController();
    const updates: ToolResult[] = [];
    const call = bench.run('ssh', { host: 'web', command: 'echo here; sleep 4714' }, { signal: abort.signal, updates });
    await until(() => updates.length > 0);
    expect(textOf(updates[0] as ToolResult)).toContain('here');
    abort.abort();
    await expect(call).rejects.toThrow();
    await until(() => !running('sleep 4714'), 'the end of the remote process');
    expect(await bench.ok('ssh', { host: 'web', command: 'echo still here' })).toBe('still here');
  });

  it('keeps long output in an artifact and shows the end', async () => {
    const text = await bench.ok('ssh', { host: 'web', command: 'seq 1 200000' });
    expect(text).toMatch(/^\[Only the end of 200000 lines \(1\.\d ?MB\) is shown\. Everything: artifact:\/\/0\]/);
    expect(text.endsWith('200000')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(52 * 1024);
    expect(readFileSync(join(bench.home, 'artifacts-one', '0.log'), 'utf8')).toContain('\n777\n');
  });

  it('takes control sequences out of what a machine says', async () => {
    const text = await bench.ok('ssh', {
      host: 'web',
      command: String.raw`printf '\033[31mred\033]0;title\007 \033[2J end'`,
    });
    expect(text).toMatch(/red.*end/);
    expect(text).not.toMatch(/[\u0007\u001b]/);
  });

  it('says that a connection was lost, and makes a new one the next time', async () => {
    const call = bench.run('ssh', { host: 'db', command: 'echo on; sleep 4715' });
    await until(() => running('sleep 4715'));
    for (const pid of db.sessions()) process.kill(pid, 'SIGKILL');
    const result = await call;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/connection to "db" was lost[\s\S]*is unknown/);
    await until(() => !running('sleep 4715'), 'the end of what ran over the lost connection');
    expect(await bench.ok('ssh', { host: 'db', command: 'echo back' })).toBe('back');
  });

  it('remembers what runs over there', async () => {
    await bench.ok('ssh', { host: 'web', command: 'true' });
    expect(await bench.ok('ssh', { op: 'hosts' })).toMatch(/^db: .*\nweb: as in ~\/\.ssh\/config; Linux \w+, \/\S+$/m);
    const [name = ''] = readdirSync(cacheOf(bench));
    expect(JSON.parse(readFileSync(join(cacheOf(bench), name), 'utf8'))).toMatchObject({
      version: 1,
      system: { family: 'posix' },
    });
  });

  it('copies files there and back, whatever their names', async () => {
    const name = `a "b" * [c] 'd' \\e ?.bin`;
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    bench.put(name, bytes);
    const remote = join(db.folder, `x ${name}`);
    const up = await bench.ok('ssh', { op: 'upload', host: 'web', local: bench.path(name), remote });
    expect(up).toMatch(/^Copied the file .* \(97\.\d ?KB\)\.$/);
    expect(readFileSync(remote).equals(bytes)).toBe(true);
    await bench.ok('ssh', { op: 'download', host: 'web', local: `copies/${name}`, remote });
    expect(readFileSync(bench.path(`copies/${name}`)).equals(bytes)).toBe(true);
    expect(readdirSync(bench.path('copies'))).toEqual([name]);
  });

  it('copies folders', async () => {
    bench.put('tree/sub/file', 'content');
    const remote = join(db.folder, 'tree');
    await bench.ok('ssh', { op: 'upload', host: 'db', local: 'tree', remote });
    await bench.ok('ssh', { op: 'download', host: 'db', local: 'tree-back', remote });
    expect(bench.get('tree-back/sub/file')).toBe('content');
    expect(await bench.fails('ssh', { op: 'download', host: 'db', local: 'tree', remote })).toMatch(/is there already/);
  });

  it('leaves nothing behind when a copy fails, and keeps the file that is there', async () => {
    bench.put('keep/old', 'old');
    const text = await bench.fails('ssh', {
      op: 'download',
      host: 'web',
      local: 'keep/old',
      remote: '/does/not/exist',
    });
    expect(text).toMatch(/Copying failed on "web": .*not exist|not found/i);
    expect(readdirSync(bench.path('keep'))).toEqual(['old']);
    expect(bench.get('keep/old')).toBe('old');
  });

  it('declares what a call does as the command that a person would type', async () => {
    const tool = await bench.kernel.read(tools).resolve('ssh');
    const touches = (input: Record<string, unknown>) =>
      tool.touches?.(input, { signal: AbortSignal.timeout(60_000), scope: { session: 'one', cwd: bench.root } });
    expect(await touches({ host: 'web', command: `rm -rf '/srv'`, cwd: '/srv' })).toEqual({
      hosts: ['web'],
      commands: [{ text: `ssh web 'cd -- '\\''/srv'\\'' && rm -rf '\\''/srv'\\'''`, cwd: bench.root }],
    });
    expect(await touches({ op: 'download', host: 'web', local: 'a', remote: '/b' })).toMatchObject({
      writes: [bench.path('a')],
      commands: [{ text: `scp -r 'web:/b' '${bench.path('a')}'` }],
    });
  });

  it('refuses a host whose key is not known, and never asks', async () => {
    const config = clientConfig({ db });
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace(
        'Host *',
        `Host stranger\n  HostName 127.0.0.1\n  Port ${web.port}\n  IdentityFile ${web.key}\n  StrictHostKeyChecking no\nHost *`,
      ),
    );
    const other = await open({ configFile: config }, [alias('stranger')]);
    const text = await other.fails('ssh', { host: 'stranger', command: 'true' });
    expect(text).toMatch(/key of the host "stranger" is not known[\s\S]*`ssh stranger`/);
    await other.dispose();
    const accepting = await open({ configFile: config, newHosts: 'accept' }, [alias('stranger')]);
    expect(await accepting.ok('ssh', { host: 'stranger', command: 'echo in' })).toBe('in');
    await accepting.dispose();
  });

  it('refuses a host whose key has changed, also when new hosts are accepted', async () => {
    const config = clientConfig({ web });
    const known = /UserKnownHostsFile (.*)/.exec(readFileSync(config, 'utf8'))?.[1] ?? '';
    writeFileSync(known, `${web.known.replace(/ \S+$/, ` ${db.known.split(' ')[2]}`)}\n`);
    const other = await open({ configFile: config, newHosts: 'accept' }, [alias('web')]);
    expect(await other.fails('ssh', { host: 'web', command: 'true' })).toMatch(/is not the one that is known/);
    await other.dispose();
  });

  it('connects to hosts of the settings, and says what is wrong with their keys', async () => {
    const config = clientConfig({ web });
    const at = { host: '127.0.0.1', port: web.port };
    const open600 = join(bench.home, 'open-key');
    writeFileSync(open600, readFileSync(web.key), { mode: 0o644 });
    const other = await open(
      {
        configFile: config,
        hosts: {
          own: { ...at, identityFile: web.key },
          wrong: { ...at, identityFile: db.key },
          missing: { ...at, identityFile: '/does/not/exist' },
          open: { ...at, identityFile: open600 },
          dead: { host: '127.0.0.1', port: 1 },
        },
      },
      [],
    );
    expect(await other.ok('ssh', { host: 'own', command: 'echo mine' })).toBe('mine');
    expect(await other.fails('ssh', { host: 'wrong', command: 'true' })).toMatch(
      /refuses the login: .*Permission denied/,
    );
    expect(await other.fails('ssh', { host: 'missing', command: 'true' })).toMatch(/does not exist/);
    expect(await other.fails('ssh', { host: 'open', command: 'true' })).toMatch(/others may read it.*chmod 600/);
    expect(await other.fails('ssh', { host: 'dead', command: 'true' })).toMatch(/cannot be reached: .*refused/);
    expect(await other.fails('ssh', { host: 'onw', command: 'true' })).toMatch(/no SSH host "onw".*own/);
    await other.dispose();
  });

  it('never hands what a file says to ssh as an option or a command', async () => {
    const marker = join(bench.home, 'marker');
    const evil = [
      { name: '-oProxyCommand=touch', file: 'ssh.json', host: 'x' },
      { name: 'a', file: 'ssh.json', host: `-oProxyCommand=touch ${marker}` },
      { name: 'b', file: 'ssh.json', host: 'x', user: `-oProxyCommand=touch ${marker}` },
      { name: 'c', file: 'ssh.json', host: `x\nProxyCommand touch ${marker}` },
      { name: 'd', file: 'ssh.json', host: 'x', identityFile: `/k"\nProxyCommand touch ${marker}` },
      { name: 'e', file: 'ssh.json', host: 'x$(touch)' },
    ];
    const other = await open({}, evil);
    for (const { name } of evil) {
      expect(await other.fails('ssh', { host: name, command: 'true' })).toMatch(/cannot be used/);
    }
    expect(existsSync(marker)).toBe(false);
    await other.dispose();
  });

  it('does not use hosts of a project that is not trusted, nor let them stand for the own ones', async () => {
    const theirs = { name: 'web', file: 'ssh.json', host: '127.0.0.1', port: 1, project: '/some/project' };
    const other = await open({ configFile: clientConfig({ web }) }, [
      theirs,
      { ...theirs, name: 'only' },
      alias('web'),
    ]);
    expect(await other.ok('ssh', { host: 'web', command: 'echo mine' })).toBe('mine');
    expect(await other.fails('ssh', { host: 'only', command: 'true' })).toMatch(/not trusted[\s\S]*tenon trust add/);
    await other.dispose();
  });

  it('forwards no agent and keeps other settings of the configuration from running commands here', async () => {
    const marker = join(bench.home, 'local-command');
    const config = clientConfig(
      { web },
      `  ForwardAgent yes\n  PermitLocalCommand yes\n  LocalCommand touch ${marker}\n  RemoteCommand echo other\n  RequestTTY force\n`,
    );
    const other = await open({ configFile: config }, [alias('web')]);
    expect(await other.ok('ssh', { host: 'web', command: 'echo "[$SSH_AUTH_SOCK]"; tty' }).catch(String)).toMatch(
      /\[\][\s\S]*not a tty/,
    );
    expect(existsSync(marker)).toBe(false);
    await other.dispose();
  });

  it('says what is missing in a call', async () => {
    expect(await bench.fails('ssh', { host: 'web' })).toMatch(/`run` needs `command`/);
    expect(await bench.fails('ssh', { op: 'upload', host: 'web', local: 'x' })).toMatch(/needs `remote`/);
    expect(await bench.fails('ssh', { op: 'unmount', host: 'web' })).toMatch(/Nothing of "web" is mounted/);
  });

  it('closes its connections and removes its sockets when it is unloaded', async () => {
    const runtime = temporaryFolder('run');
    vi.stubEnv('XDG_RUNTIME_DIR', runtime);
    const other = await open({ configFile: clientConfig({ web }) }, [alias('web')]);
    await other.ok('ssh', { host: 'web', command: 'true' });
    const [made = ''] = readdirSync(runtime);
    expect(made).toMatch(/^tenon-ssh-/);
    expect(statSync(join(runtime, made)).mode & 0o777).toBe(0o700);
    expect(running(made)).toBe(true);
    await other.dispose();
    expect(readdirSync(runtime)).toEqual([]);
    expect(running(made)).toBe(false);
    vi.unstubAllEnvs();
  });

  it('takes another folder when the path of the runtime folder is too long for a socket', async () => {
    const runtime = join(temporaryFolder('run'), 'x'.repeat(90));
    mkdirSync(runtime);
    vi.stubEnv('XDG_RUNTIME_DIR', runtime);
    const other = await open({ configFile: clientConfig({ web }) }, [alias('web')]);
    expect(await other.ok('ssh', { host: 'web', command: 'echo short' })).toBe('short');
    expect(readdirSync(runtime)).toEqual([]);
    await other.dispose();
    vi.unstubAllEnvs();
  });
});

function cacheOf(bench: Workbench): string {
  return join(bench.home, 'ssh');
}
