/** Whether a checkpoint is open, looked up again and again while a session grows and moves. */
import { type Session, type SessionEntry, sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasActiveCheckpoint } from '../src/checkpoints.ts';

type World = Awaited<ReturnType<typeof createWorld>>;

let world: World;
beforeAll(async () => void (world = await createWorld({ plugins: [] })));
afterAll(() => world.remove());

const result = (isError: boolean) => ({
  message: {
    role: 'toolResult' as const,
    toolCallId: 'c',
    toolName: 'checkpoint',
    content: [],
    isError,
    details: { goal: 'x' },
    timestamp: 0,
  },
});

/** The newest entry that decides, without anything that was remembered. */
function expected(session: Session): boolean {
  const isResult = (entry: SessionEntry) =>
    entry.type === 'message' && entry.message.role === 'toolResult' && entry.message.isError !== true;
  const isEnd = (entry: SessionEntry) =>
    entry.type === 'compaction' || (entry.type === 'custom' && entry.customType === 'checkpoint-ended');
  const decisive = session.branch().findLast((entry) => isResult(entry) || isEnd(entry));
  return decisive !== undefined && isResult(decisive);
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'say' as const }) },
  fc.constant({ kind: 'checkpoint' as const }),
  fc.constant({ kind: 'failed' as const }),
  fc.constant({ kind: 'end' as const }),
  fc.constant({ kind: 'other' as const }),
  fc.constant({ kind: 'compact' as const }),
  fc.record({ kind: fc.constant('move' as const), to: fc.nat() }),
  { weight: 4, arbitrary: fc.constant({ kind: 'look' as const }) },
);

async function take(session: Session, next: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> {
  const ids = [...session.entries()].map(({ id }) => id);
  switch (next.kind) {
    case 'say':
      await session.append('message', { message: { role: 'user', content: 'hello', timestamp: 0 } });
      break;
    case 'checkpoint':
    case 'failed':
      await session.append('message', result(next.kind === 'failed'));
      break;
    case 'end':
    case 'other':
      await session.append('custom', { customType: next.kind === 'end' ? 'checkpoint-ended' : 'note', data: {} });
      break;
    case 'compact':
      await session.append('compaction', { summary: 's', firstKeptEntryId: ids.at(-1) ?? '', tokensBefore: 1 });
      break;
    case 'move':
      session.moveTo(ids.length === 0 ? null : (ids[next.to % ids.length] ?? null));
      break;
    case 'look':
      expect(hasActiveCheckpoint(session)).toBe(expected(session));
  }
}

describe('an open checkpoint', () => {
  it('is what the newest decisive entry of the branch says, whatever was looked up before', async () => {
    const store = await world.kernel.find(sessionStore);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const session = store.inMemory({ cwd: world.cwd });
        for (const next of steps) await take(session, next);
        expect(hasActiveCheckpoint(session)).toBe(expected(session));
      }),
    );
  });

  it('is looked up without reading what was read before', async () => {
    const session = (await world.kernel.find(sessionStore)).inMemory({ cwd: world.cwd });
    const say = () => session.append('message', { message: { role: 'user', content: 'hello', timestamp: 0 } });
    for (let count = 0; count < 100; count += 1) await say();
    let read = 0;
    const counting: Session = Object.create(session, {
      leafId: { get: () => session.leafId },
      walk: {
        *value() {
          for (const entry of session.walk()) {
            read += 1;
            yield entry;
          }
        },
      },
    });
    hasActiveCheckpoint(counting);
    expect(read).toBe(100);
    await say();
    hasActiveCheckpoint(counting);
    expect(read).toBe(102);
  });
});
