import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionShutdown } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { expect, it } from 'vitest';
import { clientConfig, noServer, startSshd } from './real-sshd.ts';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown], activate() {} },
  { defines: { hooks: [sessionShutdown.id] } },
);

it.skipIf(noServer !== undefined)(
  'asks before a command runs elsewhere, shows all of it, and looks into it',
  async () => {
    const web = await startSshd();
    const settings = { ssh: { configFile: clientConfig({ web }), hosts: { web: { host: 'web' } } } };
    const open = (approval: object) =>
      openWorkbench(['ssh', 'command-line', 'sandbox', 'trust', 'approval', agentHooks], {
        settings: { ...settings, approval },
      });
    const asking = await open({ mode: 'ask' });
    const harmless = await asking.fails('ssh', { host: 'web', command: 'uptime && echo "$HOME"' });
    expect(harmless).toMatch(/`ssh` works on another machine/);
    expect(harmless).toContain('tenon approval allow');
    const worse = await asking.fails('ssh', { host: 'web', command: 'rm -rf /srv/data' });
    expect(worse).toMatch(/over there deletes everything in \/srv\/data/);
    expect(await asking.fails('ssh', { op: 'upload', host: 'web', local: 'a', remote: '/b' })).toMatch(
      /copies to or from another machine/,
    );
    expect(await asking.ok('ssh', { op: 'hosts' })).toMatch(/^web/);
    writeFileSync(join(asking.home, 'policy.yml'), 'rules:\n  - decide: allow\n    command: ssh web uptime\n');
    expect(await asking.ok('ssh', { host: 'web', command: 'uptime' })).toMatch(/load average/);
    expect(await asking.fails('ssh', { host: 'web', command: 'uptime; id' })).toContain('tenon approval allow');
    await asking.dispose();
    const bold = await open({ mode: 'yolo' });
    expect(await bold.ok('ssh', { host: 'web', command: 'echo through' })).toBe('through');
    await bold.dispose();
  },
);
