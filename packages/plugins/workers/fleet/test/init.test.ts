/** `tenon fleet init`: what is wrong with an address is told, and a machine has the key of its own fleet alone. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@tenon/test-kit/command-run';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { endKernel } from '@tenon/test-kit/kernel';
import { beforeAll, describe, expect, test } from 'vitest';
import { nextStep } from '../src/database/faults.ts';
import { startPlace } from './place.ts';
import { POSTGRES, type Server, startPostgres } from './postgres.ts';

describe.skipIf(POSTGRES === undefined)('`tenon fleet init`', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres(temporaryFolder('postgres'));
    later(() => server.stop());
  });

  async function machine() {
    const { kernel, folders } = await startPlace(temporaryFolder('machine'));
    later(() => endKernel(kernel));
    const file = join(folders.data, 'fleet-credentials.json');
    return {
      file,
      init: (flags: Readonly<Record<string, string>>) => runCommand(kernel, 'fleet init', { flags }),
      known: () => JSON.parse(readFileSync(file, 'utf8')) as { readonly url: string; readonly key?: string },
      before: join(folders.data, 'fleet-credentials.previous.json'),
    };
  }

  test('each fleet has a key of its own, which a machine does not take for that of another', async () => {
    const [one, two] = [server.database('one'), server.database('two')];
    const [first, second] = [await machine(), await machine()];
    await first.init({ postgres: one });
    await second.init({ postgres: two });
    const [key, other] = [first.known().key, second.known().key];
    expect(key).not.toBe(other);

    // The first machine moves to the other fleet: it has no key for it, and its old one is kept.
    expect((await first.init({ postgres: two })).out).toContain('It has no key for secrets');
    expect(first.known()).toEqual({ url: two });
    expect(JSON.parse(readFileSync(first.before, 'utf8'))).toEqual({ url: one, key });

    // With the file of the second one it has; and with its own old file it goes back.
    expect((await first.init({ credentials: second.file })).out).toContain('It has the key for secrets');
    expect(first.known()).toEqual({ url: two, key: other });
    await second.init({ credentials: first.before });
    expect(second.known()).toEqual({ url: one, key });
    // Again with the same address nothing changes.
    await second.init({ postgres: one });
    expect(second.known()).toEqual({ url: one, key });
  });

  test('a key of another fleet is refused, and nothing is written', async () => {
    const three = server.database('three');
    const [owner, stranger] = [await machine(), await machine()];
    await owner.init({ postgres: three });
    const forged = join(temporaryFolder('forged'), 'credentials.json');
    writeFileSync(forged, JSON.stringify({ url: three, key: Buffer.alloc(32, 9).toString('base64') }));
    await expect(stranger.init({ credentials: forged })).rejects.toMatchObject({ code: 'FLEET_KEY' });
    expect(existsSync(stranger.file)).toBe(false);
  });

  test('a database that is not there, or not for this user, is told with what to do', async () => {
    const { init } = await machine();
    await expect(init({ postgres: server.url.replace(/postgres$/, 'missing') })).rejects.toMatchObject({
      code: 'FLEET_DATABASE',
      message: expect.stringContaining('database "missing" does not exist') as string,
      next: expect.stringContaining('createdb') as string,
    });
    await expect(init({ postgres: server.url.replace('tenon@', 'nobody@') })).rejects.toMatchObject({
      next: expect.stringContaining('user') as string,
    });
  });
});

test.each([
  [{ code: '28P01', message: 'password authentication failed for user "tenon"' }, /password/],
  [{ message: 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string' }, /password/],
  [{ code: '3D000', message: 'database "x" does not exist' }, /createdb/],
  [{ code: '28000', message: 'no pg_hba.conf entry for host' }, /pg_hba/],
  [{ code: '42501', message: 'permission denied for database x' }, /create schemas/],
  [{ message: 'The server does not support SSL connections' }, /sslmode/],
  [{ code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND db' }, /name/],
  [{ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' }, /runs/],
  [{ code: 'XX000', message: 'something else' }, /runs/],
])('of %j it is said what helps', (fault, words) => {
  expect(nextStep(Object.assign(new Error(fault.message), fault))).toMatch(words);
});
