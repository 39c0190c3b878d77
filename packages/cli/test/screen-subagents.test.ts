/** Subagents on the screen: the built program on a real pseudo-terminal, over a model that plays a part for each of them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { calls, READY, says, ScreenWorld } from '@tenon/test-kit/screen-world';
import { KEYS, type TerminalProgram } from '@tenon/test-kit/terminal-program';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

type Reply = ReturnType<typeof calls> | ReturnType<typeof says>;

let world: ScreenWorld;
beforeEach(() => (world = new ScreenWorld()));
afterEach(() => world.close());

let made = 0;
const call = (name: string, input: object): Reply => calls(name, input, `call_${++made}`);
const delegate = (agent: string, ids: readonly string[], more: object = {}) =>
  call('task', {
    agent,
    tasks: ids.map((id) => ({ id, description: `look at ${id}`, assignment: `Do ${id}.` })),
    ...more,
  });
const FIND = () => call('search_tool_bm25', { query: 'subagents in parallel' });

/** Opens the screen over a model that answers by who asks, and how often that one was answered. */
async function open(parts: {
  readonly main: readonly Reply[];
  readonly tasks: Readonly<Record<string, readonly Reply[]>>;
}) {
  const env = await world.withModel();
  world.fake.otherwise(({ body }) => {
    const { messages = [], system } = body as { messages?: { role: string; content: unknown }[]; system?: unknown };
    const isChild = JSON.stringify(system).includes('You are a subagent');
    const task = isChild ? /# Your task: look at (\w+)/.exec(JSON.stringify(messages[0]?.content))?.[1] : undefined;
    const turns = task === undefined ? parts.main : (parts.tasks[task] ?? []);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    return turns[Math.min(turn, turns.length - 1)] ?? says('(nothing)');
  });
  return world.open([], env);
}

const yields = (result: string) => call('yield', { result });

async function say(screen: TerminalProgram, text: string): Promise<void> {
  await screen.shows(READY);
  screen.type(text);
  await screen.shows(text);
  screen.type(KEYS.enter);
}

describe('subagents on the screen', () => {
  it('have a row each with what they do, and ask by name; the answer reaches the one that asked', async () => {
    world.home.put('work/cart.ts', 'export const total = 1;\n');
    const screen = await open({
      main: [FIND(), delegate('quick_task', ['alpha', 'beta']), says('Both are back.')],
      tasks: {
        alpha: [call('bash', { command: 'touch alpha-ran; git push origin main' }), yields('alpha is done')],
        beta: [call('read', { path: 'cart.ts' }), yields('beta is done')],
      },
    });
    await say(screen, 'share the work');
    await screen.shows('Allow bash? The subagent quick_task alpha asks.');
    expect(existsSync(join(world.home.work, 'alpha-ran'))).toBe(false);
    await screen.shows(/agent quick_task · 2 tasks/);
    await screen.shows(/● alpha bash touch alpha-ran/);
    await screen.shows(/✓ beta look at beta · 1 call · [\d,]+ tokens/);
    await screen.rests(900);
    screen.type('y');
    await screen.shows('Both are back.');
    await screen.shows(/✓ agent quick_task · 2 tasks · 2\/2 done · 2 calls/);
    await until(() => existsSync(join(world.home.work, 'alpha-ran')), 'the command of the subagent');
  });

  it('in the background ask while the agent rests', async () => {
    const screen = await open({
      main: [FIND(), delegate('quick_task', ['alpha'], { background: true }), says('They work on.')],
      tasks: {
        alpha: [
          call('bash', { command: 'until [ -e go ]; do sleep 0.2; done' }),
          call('bash', { command: 'touch alpha-ran; git push origin main' }),
          yields('alpha is done'),
        ],
      },
    });
    await say(screen, 'share the work');
    await screen.shows('They work on.');
    await screen.shows(/alpha: running, bash until/);
    world.home.put('work/go', '');
    await screen.shows('Allow bash? The subagent quick_task alpha asks.');
    await screen.rests(900);
    screen.type('y');
    await until(() => existsSync(join(world.home.work, 'alpha-ran')), 'the command of the subagent');
    await screen.hides('⚙ 1 job');
  });

  it('of a definition that nobody trusts ask from their own process, by name', async () => {
    world.home.put('work/.tenon/agents/mine.md', '---\ndescription: Mine\ntools: bash, read\n---\nDo it.');
    const screen = await open({
      main: [FIND(), delegate('mine', ['alpha']), says('It is back.')],
      tasks: { alpha: [call('bash', { command: 'touch alpha-ran; git push origin main' }), yields('alpha is done')] },
    });
    await say(screen, 'share the work');
    await screen.shows('[subagent mine alpha] Allow this?');
    await screen.shows('Allow once');
    // Nobody vouches for what it is told to do, so a yes is for one call.
    expect(screen.screen).not.toMatch(/Always allow|for this session/);
    await screen.shows(/● alpha bash touch alpha-ran/);
    expect(existsSync(join(world.home.work, 'alpha-ran'))).toBe(false);
    await screen.rests(900);
    screen.type(KEYS.enter);
    await screen.shows('It is back.');
    expect(existsSync(join(world.home.work, 'alpha-ran'))).toBe(true);
  });

  it('in the background are shown above the editor while they work', async () => {
    const screen = await open({
      main: [FIND(), delegate('quick_task', ['alpha'], { background: true }), says('They work on.')],
      tasks: { alpha: [call('bash', { command: 'until [ -e go ]; do sleep 0.2; done' }), yields('alpha is done')] },
    });
    await say(screen, 'share the work');
    await screen.shows('They work on.');
    await screen.shows(/⚙ 1 job: quick_task: alpha/);
    await screen.shows(/alpha: running, bash until/);
    world.home.put('work/go', '');
    await screen.hides('⚙ 1 job');
  });
});

it('/agents lists the definitions and shows one', async () => {
  const screen = await open({ main: [], tasks: {} });
  await screen.shows(READY);
  screen.type('/agents ');
  await screen.rests();
  screen.type(KEYS.enter);
  await screen.shows('Subagents');
  await screen.shows('reviewer');
  screen.type('explore');
  await screen.shows('1/1');
  screen.type(KEYS.enter);
  await screen.shows('from: Tenon');
  expect(screen.screen).toContain('starts: no others');
});
