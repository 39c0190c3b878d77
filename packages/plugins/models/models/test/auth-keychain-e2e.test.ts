/** Stored credentials with a real keychain: a Secret Service on a message bus of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '@tenon/test-kit/program';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayeredAuthStore } from '../src/auth/auth-store.ts';
import { keychain, keyFile } from '../src/auth/master-key.ts';
import { type Credentials, CredentialVault } from '../src/auth/vault.ts';
import { DesktopSession, whyNoSecretService } from './secret-service.ts';

/** Short, for tests that wait for it. */
const DEADLINE_MS = 500;
/** Long, for tests that do not. */
const PATIENT_MS = 20_000;

let folder: string;
let session: DesktopSession;
beforeEach(async (context) => {
  const obstacle = whyNoSecretService();
  context.skip(obstacle !== undefined, `no Secret Service: ${obstacle}`);
  folder = await mkdtemp(join(tmpdir(), 'tenon-keychain-'));
  session = await DesktopSession.start(join(folder, 'desktop'));
  for (const [name, value] of Object.entries(session.variables)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  if (folder === undefined) return; // Skipped.
  await session.stop();
  await rm(folder, { recursive: true, force: true });
});

const credentialsFile = () => join(folder, 'home', 'data', 'credentials.json');
const keyPath = () => join(folder, 'home', 'config', 'credentials.key');
const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

/** The credentials as a new process of Tenon would open them, and what it says about their key. */
function open(deadlineMs = PATIENT_MS) {
  const said: string[] = [];
  const sources = [keychain(deadlineMs), keyFile(keyPath())];
  const vault = new CredentialVault(credentialsFile(), sources, (reason) => said.push(reason));
  const store = new LayeredAuthStore({
    vault,
    env: {},
    modelsFile: 'models.yml',
    endpoints: async () => new Map(),
    report: () => undefined,
  });
  return { vault, store, said };
}

const key = (text: string) => ({ kind: 'api-key' as const, key: text });

/** Runs the built program. */
function tenon(words: readonly string[], input = ''): Promise<{ code: number; out: string; err: string }> {
  const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = session.variables;
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TENON_HOME: join(folder, 'home'),
    DBUS_SESSION_BUS_ADDRESS,
    XDG_RUNTIME_DIR,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...words], { cwd: folder, env }, (fault, out, err) =>
      resolve({ code: fault ? Number(fault.code ?? -1) : 0, out, err }),
    );
    child.stdin?.end(input);
  });
}

describe('with a keychain', () => {
  beforeEach(() => session.startKeychain());

  it('a login is stored, another process reads it, and a logout removes it', async () => {
    expect(await tenon(['auth', 'login', 'openai', '--stdin'], 'sk-kept-in-the-keychain')).toMatchObject({ code: 0 });
    const sealed = await readFile(credentialsFile(), 'utf8');
    expect(JSON.parse(sealed)).toMatchObject({ key: 'keychain' });
    expect(sealed).not.toContain('openai');
    expect(await modeOf(credentialsFile())).toBe(0o600);
    await expect(stat(keyPath())).rejects.toThrow(/ENOENT/);

    const listed = await tenon(['auth', 'list', '--json']);
    const row = { provider: 'openai', kind: 'api-key', source: 'stored (keychain)', masked: 'sk-k…hain' };
    expect(JSON.parse(listed.out)).toEqual([row]);

    expect(await tenon(['auth', 'logout', 'openai'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await tenon(['auth', 'list', '--json'])).out)).toEqual([]);
    expect(await tenon(['auth', 'logout', 'openai'])).toMatchObject({ code: 1 });
  });

  it('many logins at the same time share one key', async () => {
    await Promise.all(Array.from({ length: 4 }, (_, i) => open().store.store(`p${i}`, key(`k${i}`))));
    expect(Object.keys(await open().vault.read()).sort()).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(await session.removeSecrets()).toBe(1);
  });

  it('a keychain that is locked later is said to be, and serves again when it is unlocked', async () => {
    const { vault, store } = open();
    await store.store('acme', key('one'));
    const other = open();
    await session.lock();
    await expect(other.vault.read()).rejects.toMatchObject({
      code: 'MODELS_VAULT_KEY',
      message: expect.stringMatching(/cannot be read from the keychain: .*prompt was dismissed/),
      next: expect.stringContaining('Unlock the keychain'),
    });
    // This process knows them; no dialog is needed.
    expect(await vault.read()).toEqual({ acme: [key('one')] });
    await session.logInAgain();
    expect(await other.vault.read()).toEqual({ acme: [key('one')] });
  });

  it('a key that was lost is an error, and the credentials stay as they are', async () => {
    await open().store.store('acme', key('one'));
    const before = await readFile(credentialsFile());
    expect(await session.removeSecrets()).toBe(1);
    const lost = {
      code: 'MODELS_VAULT_KEY',
      message: expect.stringContaining('their key is not in the keychain any more'),
      next: 'Restore the keychain from a backup, or move the file away and log in again.',
    };
    await expect(open().vault.read()).rejects.toMatchObject(lost);
    await expect(open().store.store('acme', key('two'))).rejects.toMatchObject(lost);
    await expect(open().store.remove('acme')).rejects.toMatchObject(lost);
    expect(await readFile(credentialsFile())).toEqual(before);
    // No new key took the place of the one that a backup may bring back.
    expect(await session.removeSecrets()).toBe(0);
    const { code, err } = await tenon(['auth', 'list']);
    expect(code).not.toBe(0);
    expect(err).toContain('move the file away and log in again');
  });

  it('another key in the place of the lost one does not destroy the credentials either', async () => {
    await open().store.store('acme', key('one'));
    const before = await readFile(credentialsFile());
    await session.removeSecrets();
    await keychain(PATIENT_MS).create();
    await expect(open().store.store('acme', key('two'))).rejects.toMatchObject({ code: 'MODELS_VAULT_DAMAGED' });
    expect(await readFile(credentialsFile())).toEqual(before);
  });
});

describe('without a keychain that can be used', () => {
  const late = new RegExp(`did not answer within ${DEADLINE_MS / 1000} seconds`);
  /** What is wrong, what is said about it, and whether it takes the deadline to find out. */
  const obstacles: Record<string, { reason: RegExp; prepare: () => Promise<void> | void }> = {
    'there is no message bus': {
      reason: /DBUS_SESSION_BUS_ADDRESS/,
      prepare: () => {
        vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', undefined);
        vi.stubEnv('XDG_RUNTIME_DIR', folder);
      },
    },
    'no keychain is on the message bus': { reason: /org\.freedesktop\.secrets/, prepare: () => undefined },
    'it is locked and nobody can be asked': {
      reason: /prompt was dismissed/,
      prepare: async () => {
        await session.startKeychain();
        await session.lock();
      },
    },
    'it does not answer': {
      reason: late,
      prepare: async () => {
        await session.startKeychain();
        session.suspendKeychain();
      },
    },
    'its dialog never comes up': {
      reason: late,
      prepare: async () => {
        session.hideDialogs();
        await session.startKeychain();
        await session.lock();
      },
    },
    'the message bus does not answer': { reason: late, prepare: () => session.suspendBus() },
  };

  for (const [title, { reason, prepare }] of Object.entries(obstacles)) {
    it(`the key is kept in a file that only its owner reads, and that is said once: ${title}`, async () => {
      await prepare();
      const deadline = reason === late ? DEADLINE_MS : PATIENT_MS;
      const first = open(deadline);
      let ticks = 0;
      const clock = setInterval(() => ticks++, 1);
      await first.store.store('acme', key('one')).finally(() => clearInterval(clock));
      // Whatever the keychain does, Tenon goes on with everything else meanwhile.
      expect(ticks).toBeGreaterThan(5);
      expect(first.said).toEqual([expect.stringMatching(reason)]);
      expect([await modeOf(keyPath()), await modeOf(credentialsFile())]).toEqual([0o600, 0o600]);

      const second = open(deadline);
      expect(await second.vault.read()).toEqual({ acme: [key('one')] });
      await second.store.store('acme', key('two'));
      expect([...first.said, ...second.said]).toHaveLength(1);
      expect(await second.vault.keptBy()).toBe('file');
    });
  }
});

describe('the program without a keychain', () => {
  it('says at the first login where the key is, and not again', async () => {
    const first = await tenon(['auth', 'login', 'openai', '--stdin'], 'sk-one-of-the-keys');
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining(`is kept in ${keyPath()}`) });
    const second = await tenon(['auth', 'login', 'openai', '--stdin'], 'sk-another-of-the-keys');
    expect(second).toMatchObject({ code: 0, err: 'Logged in at OpenAI.\n' });
  });
});

describe('a keychain that hangs', () => {
  const hangs: Record<string, () => Promise<void> | void> = {
    'the keychain': () => session.suspendKeychain(),
    'the message bus': () => session.suspendBus(),
    'the dialog': () => session.lock(),
  };

  for (const [part, hang] of Object.entries(hangs)) {
    it(`is given up at the deadline, and all who ask share the one wait: ${part}`, async () => {
      session.hideDialogs();
      await session.startKeychain();
      await open().store.store('acme', key('one'));
      await hang();
      const { vault } = open(DEADLINE_MS);
      const asked = Array.from({ length: 20 }, () => vault.read().catch((fault: unknown) => fault));
      const faults = await Promise.all(asked);
      expect(faults[0]).toMatchObject({
        code: 'MODELS_VAULT_KEY',
        message: expect.stringContaining(`the keychain did not answer within ${DEADLINE_MS / 1000} seconds`),
      });
      expect(new Set(faults).size).toBe(1);
    });
  }

  it('does not keep the program from ending', async () => {
    await session.startKeychain();
    await open().store.store('openai', key('one'));
    session.suspendKeychain();
    const { code, err } = await tenon(['auth', 'list']);
    expect(code).not.toBe(0);
    expect(err).toContain('Unlock the keychain of your desktop session');
  });
});

describe('a keychain that comes later', () => {
  const renewed = (all: Credentials) => ({ ...all, acme: [key('renewed')] });

  it('takes the key over at the next login, and the key file goes', async () => {
    await open().store.store('acme', key('one'));
    await session.startKeychain();
    // Something that happens in the background must not open a dialog.
    await open().vault.update(renewed);
    expect(await open().vault.keptBy()).toBe('file');

    await open().store.store('beta', key('two'));
    expect(await open().vault.keptBy()).toBe('keychain');
    await expect(stat(keyPath())).rejects.toThrow(/ENOENT/);
    const alone = new CredentialVault(credentialsFile(), [keychain(PATIENT_MS)]);
    expect(await alone.read()).toEqual({ acme: [key('renewed')], beta: [key('two')] });
  });

  it('is not used against the settings: the error says how to allow it', async () => {
    await open().store.store('acme', key('one'));
    await session.startKeychain();
    const before = await readFile(credentialsFile());
    const alone = new CredentialVault(credentialsFile(), [keychain(PATIENT_MS)]);
    await expect(alone.update(renewed)).rejects.toMatchObject({
      code: 'MODELS_VAULT_KEY',
      next: expect.stringContaining('tenon config set models.credentialStore auto'),
    });
    expect(await readFile(credentialsFile())).toEqual(before);
  });
});
