import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { later } from '@tenon/test-kit/temporary';
import { world } from '@tenon/test-kit/mcp-world';
import { describe, expect, it } from 'vitest';
import { textOf } from './servers/programs.ts';

const program = join(import.meta.dirname, 'servers/newest.mjs');
const stdio = (...flags: string[]) => ({ command: process.execPath, args: [program, ...flags] });

async function http(...flags: string[]): Promise<{ readonly type: 'http'; readonly url: string }> {
  const child = spawn(process.execPath, [program, '--http', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  later(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { type: 'http', url: String(line).trim() };
}

describe('the revision 2026-07-28, which has no handshake', () => {
  it('is spoken with servers that know no other, and over HTTP with those that know both', async () => {
    const w = await world({
      user: { program: stdio(), both: stdio('--both'), far: await http(), farBoth: await http('--both') },
    });
    await w.settle();
    const states = await (await w.hub()).servers(w.cwd);
    expect(states.map(({ name, state, problem }) => ({ name, state, problem }))).toEqual(
      ['program', 'both', 'far', 'farBoth'].map((name) => ({ name, state: 'ready', problem: undefined })),
    );
    expect(textOf(await w.call('mcp__program__era'))).toBe('modern');
    expect(textOf(await w.call('mcp__far__era'))).toBe('modern');
    expect(textOf(await w.call('mcp__farBoth__era'))).toBe('modern');
    // A program is greeted as every program understands it.
    expect(textOf(await w.call('mcp__both__era'))).toBe('legacy');
  });
});
