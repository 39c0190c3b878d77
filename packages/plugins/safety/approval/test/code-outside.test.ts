/** Code for a program outside of the sandbox, as a debugger runs it that is attached to a process. */
import { describe, expect, it } from 'vitest';
import { assessCall } from '../src/tool-calls.ts';
import { WORLD } from './support.ts';

const { workspace: cwd } = WORLD;

const assess = (profile: 'full' | 'workspace-write', unsandboxed?: string) =>
  assessCall(
    {
      tool: 'debug',
      callId: '1',
      input: {},
      risk: 'exec',
      touches: {
        commands: [{ text: 'x = 1', language: 'debugger', cwd, ...(unsandboxed !== undefined && { unsandboxed }) }],
      },
    },
    { world: WORLD, cwd, profile: async () => profile },
  );

describe('code of a tool', () => {
  it('counts as confined in a sandbox, and as leaving it when the tool says so', async () => {
    expect(await assess('workspace-write')).toMatchObject([
      { tier: 1, reason: expect.stringContaining('in a sandbox') },
    ]);
    expect(await assess('workspace-write', 'the process is outside')).toMatchObject([
      { tier: 2, reason: expect.stringContaining('without a sandbox') },
      { tier: 2, reason: 'it runs outside of the sandbox (the process is outside)', leaves: 'outside' },
    ]);
  });

  it('leaves nothing where there is no sandbox', async () => {
    expect(await assess('full', 'the process is outside')).toEqual(await assess('full'));
  });
});
