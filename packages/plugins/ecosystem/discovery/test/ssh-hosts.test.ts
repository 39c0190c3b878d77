import { putFiles } from '@tenon/test-kit/temporary';
import { sessionShutdown } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, expect, it, vi } from 'vitest';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown], activate() {} },
  { defines: { hooks: [sessionShutdown.id] } },
);

afterEach(() => vi.unstubAllEnvs());

it('gives hosts to the tool ssh: those of a project count once it is trusted, and never stand for the own ones before', async () => {
  const bench = await openWorkbench(['discovery', 'sandbox', 'trust', 'ssh', 'command-line', agentHooks], {
    files: {
      'ssh.json': JSON.stringify({
        hosts: { web: { host: 'theirs.example' }, build: { host: 'build.example', username: 'ci', port: 2222 } },
      }),
    },
  });
  putFiles(bench.home, { '.ssh/config': 'Host web\n  HostName mine.example\nHost *.lan\n  User me\n' });
  expect(await bench.ok('ssh', { op: 'hosts' })).toBe('build: ci@build.example:2222; not trusted\nweb: mine.example');
  expect(await bench.fails('ssh', { host: 'build', command: 'true' })).toMatch(
    /ssh\.json, a file of a project that is not/,
  );
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
  expect(await bench.ok('ssh', { op: 'hosts' })).toBe('build: ci@build.example:2222\nweb: theirs.example');
  await bench.dispose();
});

it('fills in variables of the environment, but not for a project that is not trusted', async () => {
  vi.stubEnv('SHOP_HOST', 'shop.example');
  vi.stubEnv('SHOP_UNSET', undefined);
  const shop = { host: '${SHOP_HOST}', username: '${SHOP_UNSET:-ci}', keyPath: '${SHOP_HOST}/key' };
  const bench = await openWorkbench(['discovery', 'sandbox', 'trust', 'ssh', 'command-line', agentHooks], {
    files: { 'ssh.json': JSON.stringify({ hosts: { shop, gone: { host: '${SHOP_UNSET}' } } }) },
  });
  expect(await bench.ok('ssh', { op: 'hosts' })).toContain('shop: ${SHOP_UNSET:-ci}@${SHOP_HOST}; not trusted');
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
  expect(await bench.ok('ssh', { op: 'hosts' })).toContain('shop: ci@shop.example');
  expect(await bench.fails('ssh', { host: 'shop', command: 'true' })).toContain('the path of its key must be absolute');
  expect(await bench.fails('ssh', { host: 'gone', command: 'true' })).toContain('"${SHOP_UNSET}" is not a host name');
  await bench.dispose();
});
