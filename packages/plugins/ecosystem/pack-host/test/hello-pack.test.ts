import { join } from 'node:path';
import { buildHost } from '@tenon/test-kit/built-program';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolCall, toolResult } from '@tenon/tools/api';
import { examples, packsKernel, type PacksKernel } from './support/packs-kernel.ts';

// Processes are started and stopped all the time here; a busy machine takes its time.
let program: string;
let packs: PacksKernel;

beforeAll(async () => {
  program = await buildHost('pack-host');
  packs = await packsKernel(program);
  await packs.install(join(examples, 'hello-pack'));
});

afterAll(async () => {
  await packs?.end();
});

describe('a well-behaved pack in a process of its own', () => {
  it('runs its tool and streams updates', async () => {
    const { result, updates } = await packs.runTool('greet', { name: 'Ada Lovelace' });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Hello, Ada Lovelace!' }], details: { words: 3 } });
    expect(updates.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Hello,' }],
      [{ type: 'text', text: 'Hello, Ada' }],
    ]);
  });

  it('runs its command with the io of the caller', async () => {
    const { out } = await runCommand(packs.kernel, 'hello', { args: { name: 'Grace' } });
    expect(out).toBe('Hello, Grace!\n');
  });

  it('guards and changes what other plugins do through its hooks', async () => {
    const event = { tool: 'greet', callId: '1', touches: {}, input: { name: '' } };
    expect(await packs.kernel.run(toolCall, event)).toMatchObject({
      allowed: false,
      by: 'hello-pack',
      reason: 'a greeting needs a name',
    });
    expect(await packs.kernel.run(toolCall, { ...event, input: { name: 'x' } })).toEqual({ allowed: true });
    const result = { content: [{ type: 'text' as const, text: 'hunter2' }] };
    const changed = await packs.kernel.run(toolResult, { ...event, result });
    expect(changed.result.content).toEqual([{ type: 'text', text: '•••••••' }]);
  });

  it('logs under its own name', () => {
    expect(packs.log).toContainEqual(
      expect.objectContaining({ owner: 'hello-pack', message: 'ready to greet', fields: { greeting: 'Hello' } }),
    );
  });

  it('leaves neither registrations nor a process behind when it is unloaded', async () => {
    const pid = packs.hosts.status('hello-pack')?.pid ?? 0;
    expect(pid).toBeGreaterThan(0);
    await packs.kernel.unload('hello-pack');
    expect(packs.kernel.registrations('hello-pack')).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(packs.log).toContainEqual(expect.objectContaining({ owner: 'hello-pack', message: 'no more greetings' }));
  });

  it('can be started again', async () => {
    const { result } = await packs.runTool('greet', { name: 'again' });
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, again!' }]);
  });
});
