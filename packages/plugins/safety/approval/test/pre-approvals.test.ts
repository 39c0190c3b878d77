import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approvals } from '../src/api.ts';
import { rulesOfTools } from '../src/pre-approvals.ts';
import { type Home, makeHome } from './support.ts';
import { startTenon, type Tenon } from './tenon.ts';

let home: Home;
let tenon: Tenon;
beforeEach(async () => {
  home = makeHome();
  tenon = await startTenon(home.folders, { profile: 'workspace-write' });
});
afterEach(async () => {
  await tenon.end();
  home.remove();
});

const isRefused = async (command: string, session = 's', more = {}) =>
  (await tenon.call('bash', { command, ...more }, { session })).isError === true;

describe('the tools of a skill or a command that is used', () => {
  it('are let through in its session until it is not used any more', async () => {
    const gate = await tenon.kernel.find(approvals);
    expect(await isRefused('git push')).toBe(true);
    const end = gate.preApprove('s', ['Read', 'Bash(git push:*)']);
    expect(await isRefused('git push origin main')).toBe(false);
    expect(await isRefused('git push', 'other')).toBe(true);
    expect(await isRefused('sudo ls')).toBe(true);
    end();
    expect(await isRefused('git push origin main')).toBe(true);
  });

  it('never include what destroys, nor leaving the sandbox', async () => {
    const gate = await tenon.kernel.find(approvals);
    gate.preApprove('s', ['Bash']);
    expect(await isRefused('git push')).toBe(false);
    expect(await isRefused('rm -rf ~')).toBe(true);
    expect(await isRefused('ls', 's', { unsandboxed: true, reason: 'because' })).toBe(true);
  });

  it('are read as other tools write them', () => {
    expect(
      rulesOfTools(['Bash(npm run test:*)', 'Bash(git status)', 'Grep', 'Edit(docs/**)', 'mcp__Db__query', '??']),
    ).toEqual([
      { decide: 'allow', tool: 'bash', command: ['npm', 'run', 'test', '*'] },
      { decide: 'allow', tool: 'bash', command: ['git', 'status'] },
      { decide: 'allow', tool: 'search' },
      { decide: 'allow', tool: 'edit', path: 'docs/**' },
      { decide: 'allow', tool: 'mcp__Db__query' },
    ]);
  });
});
