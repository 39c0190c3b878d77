/** The built program works on another machine: a real server on loopback, a scripted model. */
import { converse, type ScriptedCall } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientConfig, noServer, startSshd } from './real-sshd.ts';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

describe.skipIf(noServer !== undefined)('ssh in the built program', () => {
  it('asks before it works on another machine, then runs commands and copies files there', async () => {
    const server = await startSshd();
    const hosts = { box: { host: '127.0.0.1', port: server.port, identityFile: server.key } };
    const settings = { configFile: clientConfig({ box: server }), hosts };
    const calls: readonly ScriptedCall[] = [
      {
        tool: 'ssh',
        input: { host: 'box', command: 'echo from-$((40 + 2)); exit 3' },
        says: /from-42[^]*code 3/,
        fails: true,
      },
      {
        tool: 'ssh',
        input: { op: 'upload', host: 'box', local: 'README.md', remote: `${server.folder}/up.md` },
        says: /^Copied the file/,
      },
      {
        tool: 'ssh',
        input: { op: 'download', host: 'box', remote: `${server.folder}/up.md`, local: 'down.md' },
        says: /^Copied the file/,
      },
      { tool: 'read', input: { path: 'down.md' }, says: /# Shop/ },
      { tool: 'ssh', input: { host: '-oProxyCommand=id', command: 'id' }, says: /There is no SSH host/, fails: true },
    ];
    const flags = ['--tools', 'read,ssh', '--set', `ssh=${JSON.stringify(settings)}`];
    const refused = await converse(workshop, [{ say: 'I try.', calls: calls.slice(0, 1) }], {
      prompt: 'go',
      last: 'No.',
      flags,
    });
    expect(refused.results[0]).toMatchObject({
      isError: true,
      text: expect.stringMatching(/works on another machine/),
    });
    const steps = calls.map((call) => ({ say: 'Next.', calls: [call] }));
    const done = await converse(workshop, steps, {
      prompt: 'go',
      last: 'Done.',
      flags: [...flags, '--set', 'approval.mode=yolo'],
    });
    for (const [index, { says, fails = false }] of calls.entries())
      expect(done.results[index], done.err).toMatchObject({ isError: fails, text: expect.stringMatching(says) });
    expect(server.sessions().filter(Boolean)).toEqual([]);
  });
});
