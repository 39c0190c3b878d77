/** Session files that something has damaged: any field of any entry, any bytes. They open, or say why they do not. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { TenonError } from '@tenon/kernel';
import { NO_USAGE } from '@tenon/models/api';
import { caseCount, someOf } from '@tenon/test-kit/properties';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentMessage, EntryBodies, EntryType } from '../src/entries.ts';
import { FileSessionStore } from '../src/store.ts';

let home: string;
let sound: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tenon-damage-'));
  sound = await writeEverything();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const store = () =>
  new FileSessionStore({ dataFolder: home, stateFolder: home, fsync: 'never', persist: async (_, entry) => entry });

const timestamp = 1;
const block = { type: 'text' as const, text: 'words' };
const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
const call = { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: { path: 'a' } };
const MESSAGES: readonly AgentMessage[] = [
  { role: 'user', content: 'hello', timestamp },
  { role: 'user', content: [block, image], timestamp },
  {
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'hm', thinkingSignature: 's' }, block, call],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: NO_USAGE,
    stopReason: 'toolUse',
    timestamp,
  },
  { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [block, image], isError: false, timestamp },
  { role: 'custom', customType: 'note', content: 'note', display: true, details: { a: 1 }, timestamp },
  { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0, cancelled: false, truncated: false, timestamp },
  { role: 'fileMention', files: [{ path: 'a', content: 'b', image }], timestamp },
  { role: 'branchSummary', summary: 'there', fromId: 'root', timestamp },
  { role: 'compactionSummary', summary: 'before', tokensBefore: 5, timestamp },
];

/** A file with every kind of entry and message. */
async function writeEverything(): Promise<string> {
  const session = await store().create({ cwd: '/w' });
  const ids = [];
  for (const message of MESSAGES) ids.push(await session.append('message', { message }));
  const bodies: { [T in EntryType]?: EntryBodies[T] } = {
    model_change: { model: 'p/m', role: 'default' },
    thinking_level_change: { thinkingLevel: 'high' },
    service_tier_change: { serviceTier: null },
    custom: { customType: 'tenon.pruned-output', data: { results: [{ entryId: ids[3] ?? '', tokens: 3 }] } },
    custom_message: { customType: 'c', content: [block], display: true, attribution: 'agent' },
    label: { targetId: ids[0] ?? '', label: 'start' },
    ttsr_injection: { injectedRules: ['r'] },
    mcp_tool_selection: { selectedToolNames: ['t'] },
    session_init: { systemPrompt: 's', task: 't', tools: ['x'] },
    mode_change: { mode: 'plan', data: {} },
    branch_summary: { fromId: ids[0] ?? '', summary: 'left' },
    compaction: { summary: 'older', firstKeptEntryId: ids[2] ?? '', tokensBefore: 9, details: {} },
  };
  for (const [type, body] of Object.entries(bodies)) await session.append(type as EntryType, body as never);
  await session.append('message', { message: { role: 'user', content: 'the last word', timestamp } });
  await session.close();
  return readFileSync(session.file ?? '', 'utf8');
}

let count = 0;

/** Opens the damaged text as a session, uses everything, and says something in it. */
async function survives(content: string | Buffer): Promise<readonly string[]> {
  const folder = join(home, 'sessions', '--w--');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `damaged_${count++}.jsonl`);
  writeFileSync(file, content);
  try {
    if (count % 10 === 0) await store().list();
    const session = await store().open(file);
    const { messages } = session.context();
    for (const { timestamp: when } of messages) expect(when).toEqual(expect.any(Number));
    const all = [...session.entries()];
    session.branch();
    session.labels();
    for (const { id } of all) session.children(id);
    const before = messages.length;
    await session.append('message', { message: { role: 'user', content: 'later', timestamp } });
    const { repairs } = session;
    await session.close();
    expect(existsSync(`${file}.lock`)).toBe(false);
    const again = await store().open(file, { readOnly: true });
    expect(again.context().messages).toHaveLength(before + 1);
    expect(again.context().messages.at(-1)).toMatchObject({ content: 'later' });
    await again.close();
    return repairs;
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    expect(fault.code).toMatch(/^SESSION_(UNREADABLE|TOO_NEW)$/);
    expect(existsSync(`${file}.lock`)).toBe(false);
    return [fault.message];
  } finally {
    rmSync(file, { force: true });
  }
}

type Path = readonly (string | number)[];

/** Every place in a value. */
function pathsIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsIn(inner).map((path): Path => [key, ...path]),
  ]);
}

const REMOVED = Symbol('removed');

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) };
  if (key === undefined) return to;
  if (rest.length > 0) copy[key] = changed(copy[key], rest, to);
  else if (to === REMOVED) delete copy[key];
  else copy[key] = to;
  return copy;
}

const lines = () => sound.trimEnd().split('\n');

describe('a damaged session file', () => {
  it('opens with a finding when a message has no body, an unknown role, or the wrong content', async () => {
    const broken = (message: unknown) =>
      lines()
        .map((line, at) => (at === 1 ? JSON.stringify({ ...(JSON.parse(line) as object), message }) : line))
        .join('\n') + '\n';
    for (const message of [
      undefined,
      null,
      'text',
      [],
      {},
      { role: 'ghost' },
      { role: 'user' },
      { role: 'user', content: 7 },
    ])
      expect(await survives(broken(message))).toEqual([expect.stringMatching(/an entry is damaged \(\w+: message/)]);
  });

  it('opens whatever one field of one entry holds', async () => {
    const damages = lines().flatMap((line, at) => {
      const entry = JSON.parse(line) as object;
      return pathsIn(entry).flatMap((path) => [REMOVED, null, 7, [{}]].map((to) => ({ at, entry, path, to })));
    });
    for (const { at, entry, path, to } of someOf(damages)) {
      const damaged = lines().map((other, index) => (index === at ? JSON.stringify(changed(entry, path, to)) : other));
      await survives(`${damaged.join('\n')}\n`);
    }
  });

  it('opens, or says why not, whatever happened to its bytes', async () => {
    const bytes = Buffer.from(sound);
    const position = fc.nat(bytes.length - 1);
    const edit = fc.record({ at: position, remove: fc.nat(200), insert: fc.uint8Array({ maxLength: 40 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.option(position), async (edits, cut) => {
        let damaged = bytes;
        for (const { at, remove, insert } of edits)
          damaged = Buffer.concat([damaged.subarray(0, at), insert, damaged.subarray(at + remove)]);
        await survives(damaged.subarray(0, cut ?? damaged.length));
      }),
      { numRuns: caseCount(200) },
    );
  });

  it('keeps a line that holds what other readers take for a line break, also when it is brought up to date', async () => {
    const odd = 'a\u2028b\u2029c';
    const old = [
      { type: 'session', version: 2, id: 'old' },
      {
        type: 'message',
        id: 'a',
        parentId: null,
        timestamp: '2026-01-01T00:00:00Z',
        message: { role: 'user', content: odd, timestamp },
      },
    ];
    const file = join(home, 'old.jsonl');
    writeFileSync(file, old.map((line) => JSON.stringify(line)).join('\n'));
    const session = await store().open(file);
    expect(session.context().messages).toMatchObject([{ content: odd }]);
    await session.close();
  });

  it('keeps its branches when only its version is gone', async () => {
    const [header, ...entries] = lines();
    const { version: _version, ...rest } = JSON.parse(header ?? '') as { version: number };
    const place = ({ id, parentId }: { id: string; parentId: string | null }) => [id, parentId];
    const file = join(home, 'unversioned.jsonl');
    writeFileSync(file, [JSON.stringify(rest), ...entries].join('\n'));
    const session = await store().open(file);
    expect([...session.entries()].map(place)).toEqual(entries.map((line) => place(JSON.parse(line) as never)));
    await session.close();
  });

  it('does not stay claimed when it cannot be opened', async () => {
    const folder = join(home, 'folder.jsonl');
    mkdirSync(folder);
    await expect(store().open(folder)).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
    expect(existsSync(`${folder}.lock`)).toBe(false);
  });
});
