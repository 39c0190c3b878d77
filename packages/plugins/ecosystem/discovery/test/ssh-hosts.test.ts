import { putFiles } from '@tenon/test-kit/temporary';
import { sessionShutdown } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { expect, it } from 'vitest';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown], activate() {} },
  { defines: { hooks: [sessionShutdown.id] } },
);

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
