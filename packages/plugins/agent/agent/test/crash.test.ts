import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionStore, sessionStore } from '@tenon/sessions/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit } from '@tenon/test-kit/waiting';
import { beforeAll, expect, it } from 'vitest';
import { digest } from './support/entry-digest.ts';
import { PLUGINS, scriptedWorld } from './support/scripted-world.ts';

const RUNS = Number(process.env['TENON_CRASH_RUNS'] ?? 20);
/** A session goes through this many crashes before the next one begins. */
const CRASHES_PER_SESSION = 4;

let home: string;
let child: string;
let store: SessionStore;
beforeAll(async () => {
  home = temporaryFolder('crash');
  child = await buildProgram(join(import.meta.dirname, 'support', 'crash-child.ts'), { plugins: PLUGINS });
  const kernel = await scriptedWorld({ home, contextWindow: 10_000, answer: () => ({}), toolkit: {} });
  store = await kernel.find(sessionStore);
});

it(
  `loses no acknowledged entry when it is killed at a random moment, ${RUNS} times`,
  { timeout: patientLimit(60_000 + RUNS * 5_000) },
  async () => {
    let file = '';
    let kept = new Map<string, string>();
    const seen = { kept: 0, torn: 0, compactions: 0, beforeFirstEntry: 0 };
    for (let run = 0; run < RUNS; run++) {
      if (run % CRASHES_PER_SESSION === 0) [file, kept] = ['', new Map()];
      const told = await killedAtRandom(file);
      file ||= told.file;
      for (const [id, hash] of told.kept) kept.set(id, hash);
      seen.kept += told.kept.size;
      if (kept.size === 0) {
        // Nothing was promised, so there may be no file yet; the next run begins anew.
        seen.beforeFirstEntry++;
        file = '';
        continue;
      }

      const session = await store.open(file);
      const lost = [...kept].filter(([id, hash]) => digest(session.entry(id) ?? {}) !== hash);
      expect(lost, `run ${run}: acknowledged entries of ${file} that are gone or changed`).toEqual([]);
      expect(session.header.cwd).toBe(home);
      seen.torn += session.repairs.length;
      seen.compactions += [...session.entries()].filter(({ type }) => type === 'compaction').length;
      const body = { message: { role: 'user' as const, content: `after crash ${run}`, timestamp: run } };
      const added = await session.append('message', body);
      await session.close();
      kept.set(added, digest(body));

      const again = await store.open(file, { readOnly: true });
      expect(again.leafId).toBe(added);
      expect(again.context().messages.at(-1)).toEqual(body.message);
      await again.close();
    }
    // Also the ones in which nothing was promised yet must not stand in anybody's way.
    for (const summary of await store.list()) await (await store.open(summary.file, { readOnly: true })).close();
    // Otherwise the kills came at moments that prove nothing.
    expect(seen.kept).toBeGreaterThan(RUNS);
    if (process.env['TENON_CRASH_REPORT']) process.stderr.write(`${JSON.stringify({ runs: RUNS, ...seen })}\n`);
  },
);

it('a line that was cut off right behind an inner object is not taken for an entry', async () => {
  const file = join(home, 'torn.jsonl');
  const line = (id: string, parentId: string | null, message: object) =>
    JSON.stringify({ type: 'message', id, parentId, timestamp: 't', message });
  const whole = line('aaaaaaaa', null, { role: 'user', content: 'hi', timestamp: 1 });
  const cut = line('bbbbbbbb', 'aaaaaaaa', { role: 'user', content: [{ type: 'text', text: 'x' }], timestamp: 2 });
  const header = JSON.stringify({ type: 'session', version: 3, id: 'torn', timestamp: 't', cwd: home });
  writeFileSync(file, [header, whole, cut.slice(0, cut.indexOf('}') + 1)].join('\n'));
  const session = await store.open(file);
  expect(session.repairs).toEqual([expect.stringContaining('cut off')]);
  expect(session.leafId).toBe('aaaaaaaa');
  const next = await session.append('message', { message: { role: 'user', content: 'next', timestamp: 3 } });
  await session.close();
  const again = await store.open(file, { readOnly: true });
  expect(again.entry(next)?.parentId).toBe('aaaaaaaa');
  expect(again.context().messages).toHaveLength(2);
  await again.close();
});

/** Runs the child, kills it, and gives what it had been promised by then. */
async function killedAtRandom(resume: string): Promise<{ file: string; kept: Map<string, string> }> {
  const process_ = spawn(process.execPath, [child, home, resume], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kept = new Map<string, string>();
  let file = '';
  let complaints = '';
  process_.stderr.on('data', (part: Buffer) => (complaints += part.toString()));
  const ended = new Promise<NodeJS.Signals | null>((resolve) => process_.once('close', (_, signal) => resolve(signal)));
  const isReady = new Promise<void>((resolve) => {
    createInterface({ input: process_.stdout }).on('line', (line) => {
      const [word, value = '', hash = ''] = line.split(' ');
      if (word === 'file') file = line.slice('file '.length);
      else if (word === 'kept' && hash.length === 40) kept.set(value, hash);
      resolve();
    });
  });
  // Most of the time it is hit at work, sometimes while it starts.
  if (Math.random() < 0.9) await Promise.race([isReady, ended]);
  await sleep(Math.random() * 250);
  process_.kill('SIGKILL');
  expect(await ended, `the child ended by itself: ${complaints}`).toBe('SIGKILL');
  return { file, kept };
}
