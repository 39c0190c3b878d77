import { describe, expect, it } from 'vitest';
import { parseNetPermission, ruleFor } from '../src/net-rules.ts';
import {
  addedPermissions,
  checkPermissions,
  describePermissions,
  parsePathPermission,
  permissionsHash,
} from '../src/permissions.ts';
import { RestartPolicy } from '../src/restart-policy.ts';

const owner = { plugin: 'x', file: 'x/package.json' };

describe('permissions', () => {
  it('are paths, or paths with everything below, and nothing else', () => {
    expect(parsePathPermission('./src/**')).toEqual({ base: 'workspace', path: 'src', tree: true });
    expect(parsePathPermission('./**')).toEqual({ base: 'workspace', path: '', tree: true });
    expect(parsePathPermission('~/.config/x.json')).toEqual({ base: 'home', path: '.config/x.json', tree: false });
    expect(parsePathPermission('/opt/data/**')).toEqual({ base: 'root', path: 'opt/data', tree: true });
    for (const bad of [
      'src',
      './*.ts',
      './a/**/b',
      '../x',
      './a/../../b',
      '/',
      '/**',
      '/proc/**',
      '/dev/mem',
      '~root/x',
      './{a,b}',
      'C:\\x',
      '',
    ]) {
      expect(parsePathPermission(bad), bad).toHaveProperty('reason');
    }
  });

  it('that cannot be granted are named one by one, with what to write instead', () => {
    const problems = checkPermissions(
      {
        fs: { read: ['./ok', './*.ts'], write: ['../up'] },
        net: ['https://x.org/', '*.org:99999'],
        exec: ['/bin/sh', 'git'],
        env: ['NODE_OPTIONS', 'A B', 'EDITOR'],
      },
      owner,
    );
    expect(problems.map(({ details }) => details['value'])).toEqual([
      './*.ts',
      '../up',
      'https://x.org/',
      '*.org:99999',
      '/bin/sh',
      'NODE_OPTIONS',
      'A B',
    ]);
    expect(problems.every(({ message, next }) => message.includes('x/package.json') && next !== '')).toBe(true);
  });

  it('are told in plain words', () => {
    expect(
      describePermissions({
        fs: { read: ['./**'], write: ['~/notes/**'] },
        net: ['*.example.org', 'localhost:3000'],
        exec: ['git'],
        env: ['EDITOR'],
      }),
    ).toEqual([
      'read everything in the folder you work in',
      'read and change everything in "notes" in your home folder',
      'send requests to any host under example.org',
      'send requests to localhost, port 3000 (also inside your own network)',
      'run the program git',
      'see the environment variable EDITOR',
    ]);
    expect(describePermissions({})).toEqual([]);
    expect(describePermissions({ fs: { write: ['./**'] } })).toEqual([
      'read and change everything in the folder you work in but the settings there of Tenon, git, agents and editors',
    ]);
  });

  it('have the same fingerprint in any order, and show what was added', () => {
    const small = { net: ['a.org', 'b.org'], env: ['X'] };
    expect(permissionsHash(small)).toBe(permissionsHash({ env: ['X'], net: ['b.org', 'a.org'] }));
    expect(permissionsHash(small)).not.toBe(permissionsHash({ net: ['a.org'] }));
    expect(addedPermissions(small, { net: ['a.org', 'c.org'], fs: { write: ['./x'] } })).toEqual({
      fs: { read: [], write: ['./x'] },
      net: ['c.org'],
    });
    // What may be read may not therefore be written.
    expect(addedPermissions({ fs: { read: ['./x'] } }, { fs: { write: ['./x'] } })).toEqual({
      fs: { read: [], write: ['./x'] },
    });
    expect(addedPermissions(small, { net: ['a.org'] })).toEqual({});
  });
});

describe('network permissions', () => {
  const allows = (url: string, ...hosts: string[]) => ruleFor(new URL(url), hosts) !== undefined;

  it('name hosts exactly, or everything below one, on the usual ports unless another is named', () => {
    expect(allows('https://api.example.org/x', 'api.example.org')).toBe(true);
    expect(allows('https://API.EXAMPLE.ORG./x', 'api.example.org')).toBe(true);
    expect(allows('https://example.org/', '*.example.org')).toBe(false);
    expect(allows('https://a.b.example.org/', '*.example.org')).toBe(true);
    expect(allows('https://evilexample.org/', '*.example.org')).toBe(false);
    expect(allows('https://api.example.org.evil.net/', 'api.example.org')).toBe(false);
    expect(allows('https://api.example.org:8443/', 'api.example.org')).toBe(false);
    expect(allows('https://api.example.org:8443/', 'api.example.org:8443')).toBe(true);
    expect(allows('https://api.example.org@evil.net/', 'api.example.org')).toBe(false);
    expect(allows('file:///etc/passwd', '*.example.org')).toBe(false);
    expect(allows('ftp://api.example.org/', 'api.example.org')).toBe(false);
  });

  it('reach the own machine and network only when that is what they say', () => {
    const isPrivate = (value: string) => (parseNetPermission(value) as { isPrivate?: boolean }).isPrivate;
    expect([
      isPrivate('localhost:3000'),
      isPrivate('10.0.0.7'),
      isPrivate('[::1]:80'),
      isPrivate('private:wiki.corp'),
    ]).toEqual([true, true, true, true]);
    expect([isPrivate('example.org'), isPrivate('*.example.org')]).toEqual([false, false]);
  });

  it('mean an address however it is spelled', () => {
    expect(parseNetPermission('2130706433')).toMatchObject({ host: '127.0.0.1', isPrivate: true });
    expect(ruleFor(new URL('http://0x7f.1/'), ['127.0.0.1'])).toMatchObject({ isPrivate: true });
    expect(ruleFor(new URL('http://example.org./'), ['example.org'])).toMatchObject({ isPrivate: false });
  });
});

describe('restarts', () => {
  it('wait twice as long each time, and end after five within ten minutes', () => {
    let now = 1_000_000;
    const policy = new RestartPolicy({ now: () => now });
    expect(policy.waitMs()).toBe(0);
    const waits: (number | undefined)[] = [];
    for (let count = 0; count < 5; count++) {
      policy.failed();
      waits.push(policy.waitMs());
      now += 10_000;
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, undefined]);
    now += 10 * 60_000;
    expect(policy.waitMs()).toBe(0);
  });
});
