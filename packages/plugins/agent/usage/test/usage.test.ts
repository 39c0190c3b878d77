import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { pluginContract } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';
import source from '../package.json' with { type: 'json' };
import type { Stats } from '../src/api.ts';
import type { UsageRecord } from '../src/ledger.ts';
import plugin from '../src/plugin.ts';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

async function world() {
  const made = await createWorld({ plugins: ['usage'] });
  worlds.push(made);
  return { ...made, ledger: join(made.home, 'state', 'usage') };
}

async function prompts({ kernel }: Awaited<ReturnType<typeof world>>, cwd: string, times: number): Promise<string> {
  const session = (await kernel.find(sessionStore)).inMemory({ cwd });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd });
  for (let n = 0; n < times; n++) await agent.prompt('hi');
  await agent.dispose();
  return session.id;
}

/** The hook is told, not waited for. */
async function lines(folder: string, wanted: number): Promise<UsageRecord[]> {
  for (;;) {
    try {
      const files = readdirSync(folder);
      const found = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'));
      if (found.length >= wanted) return found.map((line) => JSON.parse(line) as UsageRecord);
    } catch {
      // not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const record = (over: Partial<UsageRecord>): string =>
  `${JSON.stringify({ at: '2026-01-02T10:00:00.000Z', session: 's', project: '/p', model: 'a/b', purpose: 'turn', stopReason: 'stop', input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1, totalTokens: 10, cost: 0.1, ...over })}\n`;

describe('the ledger', () => {
  it('keeps the plugin contract', () =>
    pluginContract({
      source,
      plugin,
      services: [[folders, { config: '/c', data: '/d', state: '/s', cache: '/c', home: '/h', cwd: '/w' }]],
    }));

  it('gets a line for every call of a model, readable by the user alone', async () => {
    const made = await world();
    const session = await prompts(made, '/project', 2);
    expect(await lines(made.ledger, 2)).toMatchObject([
      {
        session,
        project: '/project',
        model: 'test/m',
        purpose: 'turn',
        input: 10,
        output: 5,
        totalTokens: 15,
        cost: 0.001,
      },
      { session },
    ]);
    const [file = ''] = readdirSync(made.ledger);
    expect(statSync(join(made.ledger, file)).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written is reported once and does not stop the agent', async () => {
    const made = await world();
    mkdirSync(join(made.home, 'state'), { recursive: true });
    writeFileSync(made.ledger, 'in the way');
    await prompts(made, '/project', 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made.kernel.diagnostics().map(({ error }) => error.code)).toEqual(['USAGE_NOT_WRITTEN']);
    rmSync(made.ledger);
  });
});

describe('tenon stats', () => {
  async function filled() {
    const made = await world();
    mkdirSync(made.ledger, { recursive: true });
    writeFileSync(
      join(made.ledger, '2026-01.jsonl'),
      record({}) + record({ session: 't', model: 'a/big', cost: 0.2 }) + 'torn {"at":\n',
    );
    appendFileSync(join(made.ledger, '2026-02.jsonl'), record({ at: '2026-02-03T00:00:00.000Z', project: made.cwd }));
    return made;
  }
  const json = async (made: Awaited<ReturnType<typeof world>>, flags = {}) =>
    JSON.parse(
      (await runCommand(made.kernel, 'stats', { flags: { json: true, ...flags }, cwd: made.cwd })).out,
    ) as Stats;

  it('adds up by model, project, session and day, the dearest first', async () => {
    const stats = await json(await filled());
    expect(stats.total).toEqual({
      calls: 3,
      sessions: 2,
      input: 3,
      output: 6,
      cacheRead: 9,
      cacheWrite: 12,
      reasoning: 3,
      totalTokens: 30,
      cost: 0.4,
    });
    expect(stats.model.map(({ name, calls }) => [name, calls])).toEqual([
      ['a/b', 2],
      ['a/big', 1],
    ]);
    expect(stats.day.map(({ name }) => name)).toEqual(['2026-01-02', '2026-02-03']);
    expect(stats.session.map(({ name }) => name)).toEqual(['s', 't']);
    expect(stats.damagedLines).toBe(1);
  });

  it('can be limited to a time and to this folder', async () => {
    const made = await filled();
    expect(await json(made, { since: '2026-02-01' })).toMatchObject({
      since: '2026-02-01T00:00:00.000Z',
      total: { calls: 1 },
    });
    expect((await json(made)).since).toBeNull();
    expect((await json(made, { here: true })).total.calls).toBe(1);
    expect((await json(made, { since: '7d' })).total.calls).toBe(0);
    await expect(json(made, { since: 'yesterday' })).rejects.toMatchObject({ code: 'USAGE_SINCE' });
  });

  it('shows tables that people can read, and says when a line was left out', async () => {
    const made = await filled();
    const { out, err } = await runCommand(made.kernel, 'stats', { cwd: made.cwd });
    expect(out).toContain('3 calls in 2 sessions, 30 tokens, $0.40');
    expect(out).toMatch(/model +calls +input/);
    expect(out).toMatch(/a\/big +1 +1 +2 +3 +10 +\$0\.20/);
    expect(err).toContain('left out: 1.');
    const empty = await world();
    expect((await runCommand(empty.kernel, 'stats')).out).toBe('No model was used.\n');
  });
});
