import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildHost } from '@tenon/test-kit/built-program';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolCall } from '@tenon/tools/api';
import { chooseMechanism, type Mechanism } from '@tenon/sandbox/api';
import { examples, packsKernel, type PacksKernel } from './support/packs-kernel.ts';

// Processes are started and stopped all the time here; a busy machine takes its time.
const MARKER = 'a-secret-of-the-user';
const KINDS: readonly Mechanism[] = ['bubblewrap', 'landlock'];
const choices = await Promise.all(KINDS.map(async (kind) => ({ kind, choice: await chooseMechanism(kind) })));

const usable = choices.filter(({ choice }) => choice.mechanism !== undefined);

let program: string;
let server: Server;
let port = 0;

beforeAll(async () => {
  process.env['TENON_TEST_SECRET'] = MARKER;
  program = await buildHost('pack-host');
  server = createServer((_request, response) => response.end('secret of the intranet'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  delete process.env['TENON_TEST_SECRET'];
  server.close();
});

for (const { kind, choice } of choices) {
  const missing = choice.mechanism === undefined ? ` (SKIPPED: ${choice.reasons.join('; ')})` : '';

  describe.skipIf(missing !== '')(`a hostile pack under ${kind}${missing}`, () => {
    let packs: PacksKernel;

    beforeAll(async () => {
      packs = await packsKernel(program, {
        config: { sandbox: kind, memoryMb: 96, hangSeconds: 3, callSeconds: 45 },
      });
      await packs.install(join(examples, 'hostile-pack'));
      await packs.install(join(examples, 'hello-pack'));
    });

    afterAll(() => packs?.end());

    /** The other pack still works, in the process that it had before. */
    const expectUndisturbed = async () => {
      const { result } = await packs.runTool('greet', { name: 'Ada' });
      expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
      expect(packs.hosts.status('hello-pack')).toMatchObject({ state: 'running', failures: 0 });
    };

    /** Starts with a clean record, so that the restart limit of one test does not meet the next. */
    const reload = () => packs.kernel.reload('hostile-pack');

    /** The pack was stopped for this reason, and the user is told so by name. */
    const expectStopped = async (failure: string, reason: RegExp) => {
      expect(failure).toMatch(/Pack "hostile-pack" was stopped: /);
      expect(failure).toMatch(reason);
      const told = packs.kernel.diagnostics().map(({ error }) => error);
      expect(told).toContainEqual(
        expect.objectContaining({ code: 'PACK_HOST_STOPPED', message: expect.stringMatching(reason) }),
      );
      expect(packs.log).toContainEqual(
        expect.objectContaining({ level: 'error', owner: 'hostile-pack', message: expect.stringMatching(reason) }),
      );
      await expectUndisturbed();
      await reload();
    };

    it('cannot read the SSH keys of the user', async () => {
      expect(await packs.failureOf('read-ssh', { home: packs.home })).toMatch(/ENOENT|EACCES|EPERM/);
      expect(await packs.failureOf('read-ssh')).toMatch(/ENOENT|EACCES|EPERM/);
    });

    it('cannot read the workspace, nor through a link', async () => {
      const file = join(packs.workspace, 'plan.txt');
      writeFileSync(file, 'the plan');
      expect(await packs.failureOf('read-workspace', { file })).toMatch(/ENOENT|EACCES|EPERM/);
      expect(await packs.failureOf('symlink', { file })).toMatch(/ENOENT|EACCES|EPERM/);
    });

    it('cannot write outside its scratch space, not even into its own folder', async () => {
      for (const folder of [packs.workspace, packs.home, join(examples, 'hostile-pack'), '/usr/bin', '/etc', '/']) {
        const file = join(folder, 'owned-by-hostile-pack');
        const failure = await packs.failureOf('write-outside', { file });
        // Where the home folder is, a pack under bubblewrap finds an empty one of its own.
        if (folder !== packs.home) expect(failure).toMatch(/ENOENT|EACCES|EPERM|EROFS/);
        expect(existsSync(file)).toBe(false);
      }
    });

    it('cannot open a socket', async () => {
      expect(await packs.failureOf('open-socket', { port })).toMatch(/EPERM|EACCES|ENETUNREACH|EAFNOSUPPORT/);
    });

    it('cannot fetch what it did not declare', async () => {
      const failure = await packs.failureOf('fetch', { url: `http://127.0.0.1:${port}/` });
      expect(failure).toMatch(/Pack "hostile-pack" may not connect to 127\.0\.0\.1:\d+: it declares no hosts/);
    });

    it('cannot tell anything to a name server', async () => {
      expect(await packs.failureOf('resolve-name')).toMatch(/EAI_AGAIN|ENOTFOUND|EAI_FAIL|EAI_SYSTEM|EAI_/);
    });

    it('cannot run a shell', async () => {
      expect(await packs.failureOf('spawn-shell')).toMatch(/EPERM|EACCES|ENOENT/);
    });

    it('cannot start more processes of itself', async () => {
      expect(await packs.failureOf('fork')).toMatch(/no process could be started|spawn EPERM/);
    });

    it('finds no secrets in environments, its own included', async () => {
      expect(await packs.failureOf('own-env', { marker: MARKER })).toMatch(/the environment holds no secret/);
      expect(await packs.failureOf('parent-env', { marker: MARKER, pid: process.pid })).toMatch(
        /no environment holds the secret/,
      );
    });

    it('sees no other processes', async () => {
      expect(await packs.failureOf('see-processes', { marker: 'vitest' })).toMatch(
        /only \d processes are visible|EACCES|ENOENT/,
      );
    });

    it('cannot kill Tenon or the keeper of its sandbox', async () => {
      expect(await packs.failureOf('kill-parent', { pid: process.pid })).toMatch(
        /everybody is still there|was stopped/,
      );
      await expectUndisturbed();
    });

    it('cannot call the tools of others, nor internal services', async () => {
      expect(await packs.failureOf('other-tool')).toMatch(/"greet" of slot "tools", which belongs to another plugin/);
      expect(await packs.failureOf('internal-service')).toMatch(
        /No installed plugin defines the service "tool-runner"|isolated packs may not use/,
      );
    });

    // Landlock has no file systems of its own: there the scratch folder is an ordinary one, removed at the end.
    it.skipIf(kind === 'landlock')('cannot fill the disk', async () => {
      expect(await packs.failureOf('fill-disk')).toMatch(/ENOSPC/);
    });

    // These do not depend on the kind of sandbox; once is enough.
    describe.skipIf(kind !== usable[0]?.kind)('and its messages', () => {
      it('is stopped when it floods', async () => {
        // Slowed down, it may fill its own memory with unsent messages first.
        const verdict = /messages per second for too long|used more memory than it may/;
        await expectStopped(await packs.failureOf('flood'), verdict);
      });

      it('does not fill the log by printing', async () => {
        const before = packs.log.length;
        const printing = packs.failureOf('print');
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        await expectUndisturbed();
        expect(packs.log.length - before).toBeGreaterThan(100);
        expect(packs.log.length - before).toBeLessThan(2_000);
        await reload();
        // It may have filled its own memory with unread output before that.
        expect(await printing).toMatch(/was stopped: it (?:was unloaded|used more memory than it may)/);
      });

      it('is stopped when it writes nonsense to the channel', async () => {
        await expectStopped(await packs.failureOf('garbage'), /sent something that is not a message/);
      });

      it('is stopped when a message is far too long', async () => {
        await expectStopped(await packs.failureOf('huge'), /longer than \d+ bytes/);
      });

      it('is stopped when it hangs', async () => {
        await expectStopped(await packs.failureOf('hang'), /did not answer for 3 s/);
      });
    });

    it('is stopped when it ends its process', async () => {
      await expectStopped(await packs.failureOf('crash'), /exit code 1/);
    });

    it('is stopped when it uses too much memory', async () => {
      await expectStopped(await packs.failureOf('allocate'), /used more memory than it may/);
      const failure = await packs.failureOf('allocate-outside');
      expect(failure).toMatch(
        /used more memory than it may|Array buffer allocation failed|ERR_MEMORY_ALLOCATION_FAILED|Failed to allocate memory/,
      );
      await reload();
    });

    it('lets nothing pass a gate that it guards when it dies', async () => {
      const verdict = await packs.kernel.run(toolCall, { tool: 'guarded', callId: '1', touches: {}, input: {} });
      expect(verdict).toMatchObject({ allowed: false, by: 'hostile-pack', fault: true });
      await reload();
    });

    it('leaves no process behind when Tenon stops', async () => {
      await packs.kernel.unload('hostile-pack');
      expect(processesWith(join(examples, 'hostile-pack'))).toEqual([]);
      await expectUndisturbed();
    });
  });
}

describe.skipIf(usable.length === 0)('a call that never ends', () => {
  it('fails at its deadline, and the pack keeps running', async () => {
    const packs = await packsKernel(program, { config: { callSeconds: 2 } });
    await packs.install(join(examples, 'hostile-pack'));
    expect(await packs.failureOf('never')).toMatch(/A call into pack "hostile-pack" did not finish within 2 s/);
    expect(await packs.failureOf('own-env', { marker: MARKER })).toMatch(/holds no secret/);
    expect(packs.hosts.status('hostile-pack')).toMatchObject({ state: 'running', failures: 0 });
    await packs.end();
  });
});

/** Processes whose command line names `word`. */
function processesWith(word: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return []; // It ended while we looked.
      }
    })
    .filter((line) => line.includes(word));
}
