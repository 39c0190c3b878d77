import { builtIn } from '@tenon/test-kit/plugins';
import { execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folders } from '@tenon/host';
import { createKernel, settingsEngine } from '@tenon/kernel';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import type { UserMessage } from '@tenon/models/api';
import { caseCount } from '@tenon/test-kit/properties';
import type { BuildOptions } from 'esbuild';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { promptHistory, PRUNED_OUTPUT, type Session, type SessionEntry, sessionPersist } from '../src/api.ts';
import { type HistoryOptions, SqliteHistory } from '../src/history.ts';
import sessionsPlugin from '../src/plugin.ts';
import { FileSessionStore } from '../src/store.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tenon-sessions-'))));
/** Sessions that a test leaves open: closed after it, so that none waits for the garbage collector. */
let opened: Session[] = [];
afterEach(async () => {
  await Promise.all(opened.map((session) => session.close()));
  opened = [];
  rmSync(home, { recursive: true, force: true });
});

const storeIn = (folder = home) =>
  noting(
    new FileSessionStore({
      dataFolder: folder,
      stateFolder: folder,
      fsync: 'never',
      persist: async (_, entry) => entry,
    }),
  );

/** Notes the sessions that a store gives. */
function noting(store: FileSessionStore): FileSessionStore {
  const { create, open } = store;
  const note = (session: Session) => (opened.push(session), session);
  store.create = async (options) => note(await create.call(store, options));
  store.open = async (idOrFile, options) => note(await open.call(store, idOrFile, options));
  return store;
}
const user = (text: string): UserMessage => ({ role: 'user', content: text, timestamp: 1 });
const say = (session: Session, text: string) => session.append('message', { message: user(text) });
const texts = (session: Session) =>
  session.context().messages.map((message) => ('content' in message ? message.content : message.role));
const linesOf = (file: string | undefined) =>
  readFileSync(file ?? '', 'utf8')
    .trimEnd()
    .split('\n');

async function reopened(session: Session): Promise<Session> {
  await session.close();
  return storeIn().open(session.file ?? '');
}

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    const places = { config: home, data: home, state: home, cache: home, home, cwd: home };
    await pluginContract({ source, plugin: sessionsPlugin, services: [[folders, places]] });
  });
});

describe('a session file', () => {
  it('comes into being with the first message, holds what was said before it, and is for the user alone', async () => {
    const session = await storeIn().create({ cwd: '/project/pi' });
    await session.append('model_change', { model: 'a/b' });
    expect(() => statSync(session.file ?? '')).toThrow();
    await say(session, 'hello');
    const [header, first, second] = linesOf(session.file).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(header).toMatchObject({ type: 'session', version: 3, cwd: '/project/pi', id: session.id });
    expect(first).toMatchObject({ type: 'model_change', parentId: null, model: 'a/b' });
    expect(second).toMatchObject({ type: 'message', parentId: first?.['id'] });
    expect(statSync(session.file ?? '').mode & 0o777).toBe(0o600);
    expect(session.file).toContain('--project-pi--');
    await session.close();
  });

  it('is only ever appended to: what was written before stays byte for byte', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await say(session, 'one');
    const before = readFileSync(session.file ?? '');
    await say(session, 'two');
    await session.setTitle('A title', 'user');
    const after = readFileSync(session.file ?? '');
    expect(after.subarray(1_025, before.length).equals(before.subarray(1_025))).toBe(true);
    expect((await reopened(session)).header).toMatchObject({ title: 'A title', titleSource: 'user' });
  });

  it('keeps the order of appends that are not waited for', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await Promise.all(['a', 'b', 'c', 'd'].map((text) => say(session, text)));
    expect(texts(await reopened(session))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('branches: the leaf moves, nothing is lost, and the next entry follows the leaf', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    const root = await say(session, 'root');
    await say(session, 'left');
    session.moveTo(root);
    await say(session, 'right');
    const again = await reopened(session);
    expect(texts(again)).toEqual(['root', 'right']);
    expect(again.children(root)).toHaveLength(2);
    again.moveTo(null);
    await say(again, 'new root');
    expect(texts(again)).toEqual(['new root']);
    expect(() => again.moveTo('nowhere')).toThrow('has no entry "nowhere"');
    await again.close();
  });

  it('shows the summary, the kept part and what came after a compaction', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await say(session, 'old');
    const kept = await say(session, 'kept');
    await session.append('compaction', { summary: 'S', firstKeptEntryId: kept, tokensBefore: 10 });
    await say(session, 'new');
    expect(texts(await reopened(session))).toEqual(['compactionSummary', 'kept', 'new']);
  });

  it('remembers model, thinking, tier, mode, rules and tool selection of the branch', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await say(session, 'x');
    await session.append('model_change', { model: 'p/m', role: 'plan' });
    await session.append('thinking_level_change', { thinkingLevel: 'high' });
    await session.append('service_tier_change', { serviceTier: 'flex' });
    await session.append('mode_change', { mode: 'plan', data: 7 });
    await session.append('ttsr_injection', { injectedRules: ['a', 'b'] });
    await session.append('ttsr_injection', { injectedRules: ['b'] });
    await session.append('mcp_tool_selection', { selectedToolNames: ['s.t'] });
    expect((await reopened(session)).context()).toMatchObject({
      models: { plan: 'p/m' },
      thinkingLevel: 'high',
      serviceTier: 'flex',
      mode: 'plan',
      modeData: 7,
      injectedTtsrRules: ['a', 'b'],
      selectedMcpTools: ['s.t'],
    });
  });

  it('sets and clears labels', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    const id = await say(session, 'x');
    await session.append('label', { targetId: id, label: 'here' });
    const again = await reopened(session);
    expect(again.labels().get(id)).toBe('here');
    await again.append('label', { targetId: id });
    expect((await reopened(again)).labels().size).toBe(0);
  });

  it('keeps big images and texts whole, outside the line', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    const text = 'ü'.repeat(600_000);
    const data = Buffer.alloc(5_000, 7).toString('base64');
    const looksLikeOne = `blob:sha256:${'0'.repeat(64)}`;
    const content = [
      { type: 'text' as const, text },
      { type: 'image' as const, data, mimeType: 'image/png' },
      { type: 'text' as const, text: looksLikeOne },
    ];
    await session.append('message', { message: { role: 'user', content, timestamp: 1 } });
    expect(statSync(session.file ?? '').size).toBeLessThan(3_000);
    const [message] = (await reopened(session)).context().messages;
    expect(message).toMatchObject({ content: [{ text }, { data }, { text: looksLikeOne }] });
  });

  it('keeps strings with lone surrogates, NUL and line breaks as they are', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    const odd = 'a\ud800b\u0000c\n\u2028d';
    await say(session, odd);
    expect(texts(await reopened(session))).toEqual([odd]);
  });

  it('latches a failed write: later appends are refused instead of leaving a hole', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await say(session, 'safe');
    await session.close();
    await expect(say(session, 'lost')).rejects.toThrow('could not be written');
    await expect(say(session, 'lost too')).rejects.toThrow('could not be written');
    expect(texts(await storeIn().open(session.file ?? ''))).toEqual(['safe']);
  });
});

describe('damaged and old files', () => {
  const written = async () => {
    const session = await storeIn().create({ cwd: '/w' });
    for (const text of ['one', 'two', 'three']) await say(session, text);
    await session.close();
    return session.file ?? '';
  };

  it('a torn last line is passed over, stays in the file, and the next entry stands on a line of its own', async () => {
    const file = await written();
    appendFileSync(file, '{"type":"message","id":"abcd1234","parentId":null,"mess');
    const session = await storeIn().open(file);
    expect(session.repairs.join()).toContain('cut off');
    await say(session, 'four');
    expect(texts(await reopened(session))).toEqual(['one', 'two', 'three', 'four']);
    expect(readFileSync(file, 'utf8')).toContain('abcd1234');
  });

  it('a file without a usable header is rebuilt beside its untouched original', async () => {
    const file = await written();
    const bytes = readFileSync(file);
    bytes.fill('x', 0, 40);
    writeFileSync(file, bytes);
    const session = await storeIn().open(file);
    expect(texts(session)).toEqual(['one', 'two', 'three']);
    expect(session.repairs[0]).toContain('.damaged');
    const original = readdirSync(join(file, '..')).find((name) => name.endsWith('.damaged'));
    expect(readFileSync(join(file, '..', original ?? '')).equals(bytes)).toBe(true);
    await session.close();
  });

  it('an entry whose parent is missing follows the one before it', async () => {
    const file = await written();
    const lines = linesOf(file);
    writeFileSync(file, `${[lines[0], lines[1], lines[3]].join('\n')}\n`);
    const session = await storeIn().open(file);
    expect(texts(session)).toEqual(['one', 'three']);
    expect(session.repairs.join()).toContain('parent is missing');
    await session.close();
  });

  it('entries whose parents form a circle end', async () => {
    const file = await written();
    const entries = linesOf(file)
      .slice(1)
      .map((line) => JSON.parse(line) as { id: string; parentId: string | null });
    const [a, b] = entries;
    const circle = [
      linesOf(file)[0],
      JSON.stringify({ ...a, parentId: b?.id }),
      JSON.stringify({ ...b, parentId: a?.id }),
    ];
    writeFileSync(file, `${circle.join('\n')}\n`);
    const session = await storeIn().open(file);
    expect(session.context().messages.length).toBeGreaterThan(0);
    await session.close();
  });

  it('version 1 is linked in order, version 2 has its roles renamed, and both originals are kept', async () => {
    const timestamp = '2026-01-01T00:00:00.000Z';
    const message = (role: string, text: string) => ({
      type: 'message',
      timestamp,
      message: { role, content: text, timestamp: 1 },
    });
    const compaction = { type: 'compaction', timestamp, summary: 'S', firstKeptEntryIndex: 2, tokensBefore: 3 };
    const write = (name: string, values: unknown[]) => {
      writeFileSync(join(home, name), values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      return join(home, name);
    };
    const v1 = [
      { type: 'session', id: 'old1', timestamp, cwd: '/w' },
      message('user', 'a'),
      message('user', 'b'),
      compaction,
      message('user', 'c'),
    ];
    const first = await storeIn().open(write('v1.jsonl', v1));
    expect(texts(first)).toEqual(['compactionSummary', 'b', 'c']);
    await first.close();
    const v2 = [
      { type: 'session', version: 2, id: 'old2', timestamp, cwd: '/w' },
      { ...message('hookMessage', 'h'), id: 'aaaaaaaa', parentId: null },
    ];
    const second = await storeIn().open(write('v2.jsonl', v2));
    expect(second.context().messages[0]).toMatchObject({ role: 'custom' });
    await second.close();
    expect(readdirSync(home).filter((name) => /\.v[12]$/.test(name))).toHaveLength(2);
  });

  it('a newer version is refused without touching the file', async () => {
    const file = join(home, 'new.jsonl');
    writeFileSync(file, '{"type":"session","version":9,"id":"x"}\n');
    await expect(storeIn().open(file)).rejects.toThrow('has version 9');
    expect(readdirSync(home)).toEqual(['new.jsonl']);
  });

  it('unknown entry types are kept in the chain and passed over', async () => {
    const file = await written();
    const last = JSON.parse(linesOf(file).at(-1) ?? '') as { id: string };
    appendFileSync(
      file,
      `${JSON.stringify({ type: 'hologram', id: 'ffff0000', parentId: last.id, timestamp: 'x' })}\n`,
    );
    const session = await storeIn().open(file);
    await say(session, 'four');
    expect(texts(session)).toEqual(['one', 'two', 'three', 'four']);
    await session.close();
  });

  it('whatever bytes are broken or cut, every intact line before and after still loads', async () => {
    const file = await written();
    const whole = readFileSync(file);
    const sound = whole.toString('utf8').split('\n');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        fc.uint8Array({ maxLength: 20 }),
        fc.boolean(),
        async (at, noise, cut) => {
          const quiet = noise.map((byte) => (byte === 10 ? 32 : byte));
          const overwritten = Buffer.concat([whole.subarray(0, at), quiet, whole.subarray(at + noise.length)]);
          const broken = cut ? whole.subarray(0, at) : overwritten;
          const target = join(home, 'x_fuzzed.jsonl');
          for (const name of readdirSync(home)) if (name.startsWith('x_fuzzed')) rmSync(join(home, name));
          writeFileSync(target, broken);
          const lines = broken.toString('utf8').split('\n').slice(1);
          const intact = lines.filter((line) => line !== '' && sound.includes(line));
          const session = await storeIn()
            .open(target)
            .catch((fault: Error) => fault);
          if (session instanceof Error) {
            expect(intact).toEqual([]);
            return;
          }
          const ids = new Set([...session.entries()].map(({ id }) => id));
          for (const line of intact) expect(ids.has((JSON.parse(line) as { id: string }).id)).toBe(true);
          await session.close();
        },
      ),
      { numRuns: caseCount(150) },
    );
  });
});

describe('the store', () => {
  it('opens by id, by prefix and by file, and says what is wrong otherwise', async () => {
    const store = storeIn();
    const session = await store.create({ cwd: '/w', id: 'abcdef01' });
    const other = await store.create({ cwd: '/w', id: 'abcd9999' });
    await say(session, 'x');
    await say(other, 'y');
    await session.close();
    await other.close();
    const opened = await store.open('abcde');
    expect(opened.id).toBe('abcdef01');
    await opened.close();
    await expect(store.open('abcd')).rejects.toThrow('More than one session begins with "abcd"');
    await expect(store.open('zzz')).rejects.toThrow('There is no session "zzz"');
  });

  it('lists newest first with title, first prompt and place, reading only the head of each file', async () => {
    const store = storeIn();
    const first = await store.create({ cwd: '/w' });
    await say(first, 'find the bug');
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await store.create({ cwd: '/w' });
    await say(second, 'x'.repeat(100_000));
    await second.setTitle('Long', 'user');
    const list = await store.list({ cwd: '/w' });
    expect(list.map(({ firstPrompt }) => firstPrompt?.slice(0, 12))).toEqual(['xxxxxxxxxxxx', 'find the bug']);
    expect(list[0]).toMatchObject({ title: 'Long', cwd: '/w' });
    expect(await store.list({ cwd: '/elsewhere' })).toEqual([]);
    await first.close();
    await second.close();
  });

  it('continues the newest session of the folder', async () => {
    const store = storeIn();
    const session = await store.create({ cwd: '/w' });
    await say(session, 'x');
    await session.close();
    const again = await store.continueRecent('/w');
    expect(again?.id).toBe(session.id);
    await again?.close();
    expect(await store.continueRecent('/none')).toBeUndefined();
  });

  it('forks whole and up to an entry, with labels, compactions and artifacts, and leaves the original alone', async () => {
    const store = storeIn();
    const session = await store.create({ cwd: '/w' });
    const root = await say(session, 'root');
    const kept = await say(session, 'kept');
    await session.append('compaction', { summary: 'S', firstKeptEntryId: kept, tokensBefore: 1 });
    await session.append('label', { targetId: root, label: 'start' });
    const last = await say(session, 'last');
    const artifact = await session.putArtifact('bash', 'full output');
    const before = readFileSync(session.file ?? '');
    const whole = await store.fork(session);
    expect(texts(whole)).toEqual(texts(session));
    expect([...whole.labels().values()]).toEqual(['start']);
    expect(readFileSync((await whole.artifactPath(artifact)) ?? '', 'utf8')).toBe('full output');
    const part = await store.fork(session, { entryId: kept });
    expect(texts(part)).toEqual(['root', 'kept']);
    expect([...part.labels().values()]).toEqual(['start']);
    expect(part.header.parentSession).toBe(session.file);
    expect(readFileSync(session.file ?? '').equals(before)).toBe(true);
    expect(session.leafId).toBe(last);
    for (const one of [session, whole, part]) await one.close();
  });

  it('detects a second process on the same session, and takes over from one that was killed', async () => {
    const store = storeIn();
    const session = await store.create({ cwd: '/w' });
    await say(session, 'x');
    await expect(storeIn().open(session.file ?? '')).rejects.toThrow(/is open in process \d+/);
    const reader = await storeIn().open(session.file ?? '', { readOnly: true });
    expect(texts(reader)).toEqual(['x']);
    await expect(say(reader, 'y')).rejects.toThrow('opened for reading only');
    await session.close();
    const ended = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => ended.once('exit', resolve));
    writeFileSync(`${session.file}.lock`, JSON.stringify({ pid: ended.pid, host: hostname(), started: '1' }));
    const taken = await storeIn().open(session.file ?? '');
    await taken.close();
  });

  it('resumes a long session without keeping what is not on its active branch', async () => {
    const file = join(home, 'long.jsonl');
    const id = (n: number) => n.toString(16).padStart(8, '0');
    const content = 'z'.repeat(50_000);
    appendFileSync(
      file,
      '{"type":"session","version":3,"id":"long","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n',
    );
    for (let n = 1; n <= 400; n++) {
      const parentId = n === 1 ? null : id(n - 1);
      appendFileSync(
        file,
        `${JSON.stringify({ type: 'message', id: id(n), parentId, timestamp: 't', message: { role: 'user', content, timestamp: 1 } })}\n`,
      );
    }
    const compaction = {
      summary: 'S',
      firstKeptEntryId: id(400),
      tokensBefore: 1,
      timestamp: '2026-01-01T00:00:00.000Z',
    };
    appendFileSync(file, `${JSON.stringify({ type: 'compaction', id: id(401), parentId: id(400), ...compaction })}\n`);
    const program = join(home, 'store.mjs');
    const { build } = await import('esbuild');
    const options = {
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['tenon-source'],
      external: ['libsql', 'ajv'],
      loader: { '.md': 'text' },
    } satisfies BuildOptions;
    await build({
      ...options,
      entryPoints: [join(import.meta.dirname, '../src/store.ts')],
      outfile: program,
      logLevel: 'error',
    });
    const script = `
      const { FileSessionStore } = await import(process.argv[1]);
      const store = new FileSessionStore({ dataFolder: process.argv[2], stateFolder: process.argv[2], fsync: 'never', persist: async (_, e) => e });
      global.gc(); const before = process.memoryUsage.rss();
      const session = await store.open(process.argv[3]); const count = session.context().messages.length; global.gc();
      process.stdout.write(JSON.stringify({ count, grown: process.memoryUsage.rss() - before })); await session.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '--input-type=module',
      '-e',
      script,
      program,
      home,
      file,
    ]);
    const { count, grown } = JSON.parse(stdout) as { count: number; grown: number };
    expect(count).toBe(2);
    // The file has 20 MB; what is kept is an index and one message.
    expect(grown).toBeLessThan(12_000_000);
  });
});

describe('artifacts', () => {
  it('are numbered on from what is there, and found by number only', async () => {
    const session = await storeIn().create({ cwd: '/w' });
    await say(session, 'x');
    expect(await session.putArtifact('bash', 'a')).toBe('0');
    const again = await reopened(session);
    expect(await Promise.all([again.putArtifact('../evil', 'b'), again.putArtifact('eval', 'c')])).toEqual(['1', '2']);
    expect(await again.artifactPath('../x')).toBeUndefined();
    expect(readFileSync((await again.artifactPath('2')) ?? '', 'utf8')).toBe('c');
    await again.close();
  });
});

describe('the prompt history', () => {
  const open = (options: Partial<HistoryOptions> = {}) =>
    new SqliteHistory(join(home, 'history.db'), { enabled: true, mask: async (prompt) => prompt, ...options });

  it('recalls, searches by words whatever they contain, and keeps a repeated prompt once', async () => {
    const history = open();
    await history.add('fix the parser', '/a');
    await history.add('fix the parser', '/a');
    await history.add('write "tests" AND docs', '/b');
    expect(await history.recent(10)).toEqual(['write "tests" AND docs', 'fix the parser']);
    expect(await history.recent(10, '/a')).toEqual(['fix the parser']);
    expect((await history.search('pars', 5)).map(({ prompt }) => prompt)).toEqual(['fix the parser']);
    expect((await history.search('"tests" AND', 5))[0]?.cwd).toBe('/b');
    expect(await history.search('pars', 5, '/b')).toEqual([]);
    expect(await history.search('*:(', 5)).toEqual([]);
    await history.close();
  });

  it('is for the user alone, and can be emptied: no word of it stays in the file', async () => {
    const history = open();
    await history.add('the heron is grey', '/a');
    await history.add('so is the wolf', '/a');
    expect(await history.clear()).toBe(2);
    await history.add('a third', '/a');
    for (const name of readdirSync(home).filter((name) => name.startsWith('history.db')))
      expect(statSync(join(home, name)).mode & 0o077, name).toBe(0);
    expect(await history.search('heron', 5)).toEqual([]);
    const files = readdirSync(home).filter((name) => name.startsWith('history.db'));
    expect(files).toContain('history.db');
    expect(files).not.toContain('history.db.new');
    for (const name of files) expect(readFileSync(join(home, name), 'latin1')).not.toContain('heron');
    await history.close();
  });

  it('opens no database for a prompt, and has those of other processes when somebody reads', async () => {
    const [reader, writer] = [open(), open()];
    await writer.add('one', '/a');
    await writer.add('one', '/a');
    expect(readdirSync(home)).not.toContain('history.db');
    // Left by a process that was killed, with a line that it had not finished.
    renameSync(join(home, 'history.db.new'), join(home, 'history.db.new.taken'));
    appendFileSync(join(home, 'history.db.new.taken'), '{"prompt":"half');
    await writer.add('two', '/b');
    expect(await reader.recent(10)).toEqual(['two', 'one']);
    await writer.add('three', '/b');
    await reader.add('four', '/b');
    expect(await reader.recent(10)).toEqual(['four', 'three', 'two', 'one']);
    expect(await writer.recent(10, '/b')).toEqual(['four', 'three', 'two']);
    expect(readdirSync(home).filter((name) => name.includes('.new'))).toEqual([]);
    await Promise.all([reader.close(), writer.close()]);
  });

  it('masks what it keeps as sessions are masked, and keeps nothing when the setting says so', async () => {
    const masker = inlineCandidate(
      {
        id: 'masker',
        activate: (ctx) =>
          void ctx.on(sessionPersist, ({ session, entry }) => ({
            session,
            entry: JSON.parse(JSON.stringify(entry).replaceAll('hunter2', '***')) as SessionEntry,
          })),
      },
      { handles: ['session.persist'] },
    );
    for (const history of [true, false]) {
      const kernel = createKernel();
      kernel.install(
        provideServices([
          [folders, { config: home, data: home, state: home, cache: home, home, cwd: home }],
          [settingsEngine, { section: async () => ({ fsync: 'never', history }) }],
        ]),
        await builtIn('sessions'),
        masker,
      );
      const service = await kernel.find(promptHistory);
      await service.add(history ? 'log in with hunter2' : 'not this one', '/a');
      expect(await service.recent(5)).toEqual(['log in with ***']);
      await kernel.dispose();
    }
  });
});

describe('tool output that was taken out', () => {
  it('is gone from the context, also in a copy and after the session is opened again, but not from the file', async () => {
    const session = await storeIn().create({ cwd: '/p' });
    const result = (text: string) =>
      session.append('message', {
        message: {
          role: 'toolResult',
          toolCallId: 'c',
          toolName: 'bash',
          content: [{ type: 'text', text }],
          isError: false,
          timestamp: 1,
        },
      });
    const first = await result('long ago');
    await result('just now');
    await session.append('custom', { customType: PRUNED_OUTPUT, data: { results: [{ entryId: first, tokens: 7 }] } });
    const shown = (one: Session) => JSON.stringify(texts(one));
    for (const one of [session, await storeIn().fork(session), await reopened(session)]) {
      expect(shown(one)).toContain('[Output truncated - 7 tokens]');
      expect(shown(one)).toContain('just now');
      expect(shown(one)).not.toContain('long ago');
      expect(JSON.stringify([...one.entries()])).toContain('long ago');
      await one.close();
    }
  });
});

describe('a branch', () => {
  it('is walked from its end without being read as a whole, and its places are known without reading', async () => {
    const session = await storeIn().create({ cwd: '/p' });
    for (const text of ['one', 'two', 'three']) await say(session, text);
    const ids = session.path().map(({ id }) => id);
    expect([...session.walk()].map(({ id }) => id)).toEqual([...ids].reverse());
    expect([...session.walk(ids[1])].map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    expect(session.path(ids[0])).toEqual([{ id: ids[0], type: 'message', parentId: null }]);
    expect([session.path(null), [...session.walk(null)]]).toEqual([[], []]);
    const [newest] = session.walk();
    expect(newest?.id).toBe(ids[2]);
    await session.close();
  });
});
