import { inlineCandidate } from '@tenon/kernel/testing';
import { startKernel, tool, toolsOfTest } from '@tenon/test-kit/kernel';
import { describe, expect, it } from 'vitest';
import { type Tool, toolCall, type ToolCallEvent, toolInput, toolRunner } from '../src/api.ts';

const ran: unknown[] = [];

/** Runs one call and gives what the gate saw. */
async function judged(touches: unknown, change?: (event: ToolCallEvent) => ToolCallEvent) {
  const events: ToolCallEvent[] = [];
  ran.length = 0;
  const probe = { ...tool(async (input, call) => (ran.push([input, call.touches]), { content: [] })), touches } as Tool;
  const kernel = await startKernel({
    folders: { config: '/c', data: '/d', state: '/s', cache: '/k', home: '/h', cwd: '/w' },
    plugins: [
      'tools',
      toolsOfTest({ probe }),
      inlineCandidate(
        {
          id: 'watch',
          activate(ctx) {
            ctx.on(toolCall, (event) => void events.push(event));
            ctx.on(toolInput, (event) => change?.(event));
          },
        },
        { handles: ['tool.call', 'tool.input'] },
      ),
    ],
  });
  const result = await (await kernel.find(toolRunner)).run('probe', { path: '/a' });
  await kernel.dispose();
  return { event: events[0], result, text: JSON.stringify(result.content) };
}

const declare: Tool['touches'] = ({ path }) => ({ writes: [String(path)] });

describe('what a call touches', () => {
  it('is asked once, and the gate and the tool see the same', async () => {
    let asked = 0;
    const { event } = await judged((input: Record<string, unknown>) => (asked++, { writes: [String(input['path'])] }));
    expect([asked, event?.touches]).toEqual([1, { writes: ['/a'] }]);
    expect(ran).toEqual([[{ path: '/a' }, { writes: ['/a'] }]]);
  });

  it('is asked again when a handler has changed the input, and handlers cannot change the answer', async () => {
    const changed = await judged(declare, (event) => ({ ...event, input: { path: '/b' }, touches: {} }));
    expect(changed.event?.touches).toEqual({ writes: ['/b'] });
    const claimed = await judged(declare, (event) => ({ ...event, touches: {} }));
    expect(claimed.event?.touches).toEqual({ writes: ['/a'] });
  });

  it('is anything for a tool that declares nothing', async () => {
    expect((await judged(undefined)).event?.touches).toEqual({ anything: true });
  });

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no idea'))],
    ['gives nothing', () => undefined],
    ['gives a relative path', () => ({ reads: ['a'] })],
    ['gives no list', () => ({ writes: '/a' })],
    ['gives mixed types', () => ({ writes: ['/a', 1] })],
    ['misspells a key', () => ({ write: ['/a'] })],
    ['gives a command without a folder', () => ({ commands: [{ text: 'ls' }] })],
    // oxlint-disable-next-line unicorn/no-thenable -- another realm's promise is one
    ['hides a bad answer in a thenable', () => ({ then: (done: (value: unknown) => void) => done({ write: [] }) })],
  ])('refuses the call when the tool %s', async (_, touches) => {
    const { event, result, text } = await judged(touches);
    expect([event, result.isError, ran]).toEqual([undefined, true, []]);
    expect(text).toContain('it cannot be said what it would touch');
  });
});
