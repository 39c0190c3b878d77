/** Extensions hear what happened in the order in which it happened, however slow their handlers are. */
import { useBuiltHost } from '@tenon/test-kit/built-program';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EventLines } from '../src/host/event-lines.ts';
import { world, type World } from './support/world.ts';

interface Event {
  readonly session: string;
  readonly isAwaited: boolean;
  /** How often the handler waits for something else. */
  readonly waits: number;
  /** What the handler causes and waits for. */
  readonly causes: readonly Event[];
}

const { events } = fc.letrec<{ events: Event[]; event: Event }>((tie) => ({
  events: fc.array(tie('event'), { maxLength: 6 }),
  event: fc.record({
    session: fc.constantFrom('a', 'b'),
    isAwaited: fc.boolean(),
    waits: fc.nat({ max: 3 }),
    causes: fc.oneof({ depthSize: 'small' }, fc.constant([]), tie('events')),
  }),
}));

describe('lines of events', () => {
  test('handlers begin in order and do not overlap; what a handler causes is heard inside of its turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), events, async (timing, all) => {
        const lines = new EventLines();
        const heard: string[] = [];
        const happen = (event: Event, name: string): Promise<void> => {
          const handle = async (turn: number) => {
            heard.push(`${name} begins`);
            for (let wait = 0; wait < event.waits; wait++) await timing.schedule(Promise.resolve());
            // As in a session: each is over, or at least told, before the next one happens.
            for (const [index, next] of event.causes.entries())
              await lines.causedBy(turn, () => happen({ ...next, session: event.session }, `${name}.${index}`));
            heard.push(`${name} ends`);
          };
          if (event.isAwaited) return lines.take(event.session, handle);
          lines.note(event.session, false, handle);
          return Promise.resolve();
        };
        const done = Promise.all(all.map((event, index) => happen(event, `${event.session}${index}`)));
        await timing.waitFor(done);
        await timing.waitFor(lines.settled());
        for (const session of ['a', 'b']) {
          const own = heard.filter((line) => line.startsWith(session));
          const top = own.filter((line) => !line.includes('.'));
          const wanted = all.flatMap((event, index) =>
            event.session === session ? [`${session}${index} begins`, `${session}${index} ends`] : [],
          );
          expect(top).toEqual(wanted);
          // An awaited cause is heard between the beginning and the end of its handler.
          for (const [at, line] of own.entries()) {
            const [, parent = ''] = /^(.*)\.\d+ begins$/.exec(line) ?? [];
            if (parent === '') continue;
            expect(own.indexOf(`${parent} begins`)).toBeLessThan(at);
          }
        }
        const count = (list: readonly Event[]): number => list.reduce((sum, event) => sum + 1 + count(event.causes), 0);
        expect(heard).toHaveLength(2 * count(all));
      }),
    );
  });

  test('updates are left out when an extension is slow, and nothing else is', async () => {
    const lines = new EventLines();
    const heard: string[] = [];
    let goOn: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (goOn = resolve));
    lines.note('a', false, () => slow);
    for (let index = 0; index < 100; index++) {
      lines.note('a', true, async () => void heard.push(`update ${index}`));
      if (index % 10 === 0) lines.note('a', false, async () => void heard.push(`event ${index}`));
    }
    goOn();
    await lines.reached('a');
    expect(heard.filter((line) => line.startsWith('event'))).toHaveLength(10);
    expect(heard.length).toBeLessThan(100);
    expect(heard.at(-1)).toBe('update 99');
  });

  test('what hangs is left behind when the session says so', async () => {
    const lines = new EventLines();
    lines.note('a', false, () => new Promise(() => undefined));
    lines.leaveBehind('a');
    await expect(lines.take('a', async () => 'heard')).resolves.toBe('heard');
  });
});

let current: World | undefined;
beforeAll(() => useBuiltHost('pi-compat'), 60_000);
afterEach(async () => {
  await current?.end();
  current = undefined;
});

const WATCHED = [
  'before_agent_start',
  'agent_start',
  'turn_start',
  'tool_execution_start',
  'tool_call',
  'tool_result',
  'tool_execution_end',
  'turn_end',
  'agent_end',
];

describe('in a session', () => {
  test('slow handlers hear every event of two prompts in order, across the process boundary', async () => {
    const { agent, notices } = (current = await world(
      {
        slow: `
          const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
          export default (pi) => {
            for (const [index, name] of ${JSON.stringify(WATCHED)}.entries())
              pi.on(name, async (event, ctx) => {
                // Those that nobody waits for are the slowest.
                await wait(/^(agent|turn|tool_execution)_/.test(name) ? 40 - index : 1);
                ctx.ui.notify(name);
              });
            pi.registerTool({ name: 'one', description: 'x', parameters: { type: 'object' },
              execute: async (id, params, signal, onUpdate, ctx) => { ctx.ui.notify('the tool'); return 'one'; } });
          };`,
      },
      [{ calls: [{ name: 'one' }] }, { text: 'first' }, { text: 'second' }],
    ));
    await agent.prompt('go');
    await agent.prompt('again');
    await agent.dispose();
    const turn = (...inside: string[]) => ['turn_start', ...inside, 'turn_end'];
    const call = ['tool_execution_start', 'tool_call', 'the tool', 'tool_result', 'tool_execution_end'];
    expect(notices).toEqual([
      ...['before_agent_start', 'agent_start', ...turn(...call), ...turn(), 'agent_end'],
      ...['before_agent_start', 'agent_start', ...turn(), 'agent_end'],
    ]);
  });

  test('a handler may wait for what it causes, also when that causes another event', async () => {
    const { agent, notices, reports } = (current = await world({
      nested: `
        export default (pi) => {
          pi.on('agent_end', async (event, ctx) => {
            ctx.ui.notify('agent_end begins');
            const [, other] = ctx.modelRegistry.getAll();
            await pi.setModel(other);
            ctx.ui.notify('agent_end ends');
          });
          pi.on('model_select', async (event, ctx) => ctx.ui.notify('model_select ' + event.model.id));
        };`,
    }));
    await agent.prompt('go');
    await agent.dispose();
    expect(notices).toEqual(['agent_end begins', 'model_select other', 'agent_end ends']);
    expect(reports()).toEqual([]);
  });
});
