import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory } from '@tenon/agent/api';
import { pluginContract } from '@tenon/kernel/testing';
import { promptHistory, sessionStore } from '@tenon/sessions/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

/** A world with one session in which something was said. It stays open, as if another process used it. */
async function world() {
  const made = await createWorld({ plugins: ['session-export'], script: [{ text: 'Certainly.' }] });
  worlds.push(made);
  const store = await made.kernel.find(sessionStore);
  const session = await store.create({ cwd: made.cwd });
  const { agent } = await (await made.kernel.find(agentFactory)).create({ session, cwd: made.cwd });
  await agent.prompt('Say something \u001b[31mred.');
  const run = (key: string, args: Record<string, string> = {}, flags: Record<string, string | boolean> = {}, io = {}) =>
    runCommand(made.kernel, `session ${key}`, { args, flags, cwd: made.cwd, io });
  return { ...made, store, session, agent, run };
}

describe('the commands for sessions', () => {
  it('keep the plugin contract', () => pluginContract({ source, plugin, services: [[sessionStore, {}]] }));

  it('list what was said, of this folder or of all', async () => {
    const { run, session } = await world();
    expect((await run('list')).out).toMatch(new RegExp(`^${session.id} .*Say something`));
    expect((await run('list')).out).not.toContain('\u001b');
    expect(JSON.parse((await run('list', {}, { json: true, all: true })).out)).toMatchObject([{ id: session.id }]);
    await expect(run('list', {}, { limit: 'many' })).rejects.toMatchObject({ code: 'SESSION_EXPORT_LIMIT' });
  });

  it('say where conversations of other agents are when there are none of ours', async () => {
    const { run, store, session, agent } = await world();
    await agent.dispose();
    await store.remove(session.id);
    expect(await run('list')).toMatchObject({ out: '', err: expect.stringContaining('tenon session import') });
  });

  it('show a session that is in use: as text, as a tree, as JSON', async () => {
    const { run, session } = await world();
    const id = session.id.slice(0, 6);
    expect((await run('show', { session: id })).out).toContain('── assistant\nCertainly.');
    expect((await run('show', { session: id }, { tree: true })).out).toMatch(/^\* [0-9a-f]{8} .*Say something/);
    const { header, entries } = JSON.parse((await run('show', { session: id }, { json: true })).out) as {
      header: object;
      entries: object[];
    };
    expect(header).toMatchObject({ id: session.id });
    expect(entries).toHaveLength(2);
  });

  it('tell what is missing from a session, and say so when there is nothing to show', async () => {
    const { run, store, home, cwd } = await world();
    const session = await store.create({ cwd });
    await session.append('message', { message: { role: 'user', content: 'word '.repeat(120_000), timestamp: 1 } });
    await session.close();
    rmSync(join(home, 'data', 'blobs'), { recursive: true });
    const { out, err } = await run('show', { session: session.id });
    expect(out).toMatch(/── user\n\[A text .* is missing/);
    expect(err).toContain(`Session ${session.id}: the file of a text or image is gone`);
    const shown = JSON.parse((await run('show', { session: session.id }, { json: true })).out) as object;
    expect(shown).toMatchObject({ repairs: [expect.stringContaining('is gone from')] });
    const file = join(home, 'empty.jsonl');
    writeFileSync(file, '');
    await expect(run('show', { session: file })).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
    writeFileSync(file, `${JSON.stringify(session.header)}\n`);
    expect(await run('show', { session: file })).toMatchObject({ out: '', err: 'Nothing was said in this session.\n' });
  });

  it('refuse an empty id, though there is only one session', async () => {
    const { run, store } = await world();
    for (const key of ['show', 'remove', 'export'])
      await expect(run(key, { session: '' }, { yes: true })).rejects.toMatchObject({ code: 'SESSION_ID_EMPTY' });
    expect(await store.list()).toHaveLength(1);
  });

  it('export a page for the user alone, to a file or to standard output', async () => {
    const { run, session, home } = await world();
    const { out } = await run('export', { session: session.id });
    const file = join(home, `tenon-session-${session.id}.html`);
    expect(out).toBe(`${file}\n`);
    expect(readFileSync(file, 'utf8')).toContain('Certainly.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run('export', { session: session.id, file: '-' })).out).toContain('<!doctype html>');
    await expect(run('export', { session: session.id, file: 'no/such/folder.html' })).rejects.toMatchObject({
      code: 'SESSION_EXPORT_WRITE',
    });
  });

  it('copy a session, whole or up to an entry', async () => {
    const { run, session, store } = await world();
    const { out } = await run('fork', { session: session.id }, { json: true, at: session.branch()[0]?.id ?? '' });
    const copy = await store.open((JSON.parse(out) as { id: string }).id, { readOnly: true });
    expect([...copy.entries()]).toHaveLength(1);
    expect(copy.header.parentSession).toBe(session.file);
    await copy.close();
  });

  it('remove a session only when that is confirmed', async () => {
    const { run, session, store, agent } = await world();
    await agent.dispose();
    await expect(run('remove', { session: session.id })).rejects.toMatchObject({
      next: expect.stringContaining('--yes'),
    });
    await expect(run('remove', { session: session.id }, {}, { ask: async () => 'no' })).rejects.toThrow('not removed');
    await run('remove', { session: session.id }, {}, { ask: async () => 'yes' });
    expect(await store.list()).toEqual([]);
  });

  it('show the tree, for people and programs, with labels and the active branch', async () => {
    const { run, session, agent } = await world();
    const [first] = session.path();
    await agent.branchTo(first?.id ?? '');
    await agent.prompt('another way');
    await agent.dispose();
    const target = first?.id ?? '';
    expect((await run('label', { session: session.id, entry: target, label: 'start' })).out).toBe(`${target}: start\n`);
    const tree = JSON.parse((await run('tree', { session: session.id }, { json: true })).out) as {
      entries: { id: string; type: string; active: boolean; label: string | null }[];
    };
    // The first message was said anew: what was said before lies beside the active branch.
    expect(tree.entries.map(({ type, active }) => [type, active])).toEqual([
      ['message', false],
      ['message', false],
      ['message', true],
      ['message', true],
      ['label', true],
    ]);
    expect((await run('tree', { session: session.id })).out.split('\n')[0]).toMatch(
      new RegExp(`^ +${target} \\[start\\] user Say something`),
    );
    await run('label', { session: session.id, entry: target });
    expect((await run('tree', { session: session.id })).out).not.toContain('[start]');
    await expect(run('label', { session: session.id, entry: 'nothing', label: 'x' })).rejects.toMatchObject({
      code: 'SESSION_EXPORT_ENTRY',
    });
  });

  it('rename a session, and answer programs', async () => {
    const { run, session, agent } = await world();
    await expect(run('rename', { session: session.id, title: 'x' })).rejects.toThrow(); // The agent works on it.
    await agent.dispose();
    await run('rename', { session: session.id, title: ' The bridge ' });
    expect(JSON.parse((await run('list', {}, { json: true })).out)).toMatchObject([{ title: 'The bridge' }]);
    await expect(run('rename', { session: session.id, title: ' ' })).rejects.toMatchObject({
      code: 'SESSION_EXPORT_TITLE',
    });
    const exported = JSON.parse((await run('export', { session: session.id }, { json: true })).out) as { path: string };
    expect(readFileSync(exported.path, 'utf8')).toContain('The bridge');
    expect(JSON.parse((await run('remove', { session: session.id }, { json: true, yes: true })).out)).toEqual({
      id: session.id,
      removed: true,
    });
  });
});

describe('the history of prompts', () => {
  it('is listed, searched and forgotten', async () => {
    const { kernel, cwd } = await world();
    const history = await kernel.find(promptHistory);
    await history.add('fix \u001b[31mthe parser\nand its tests', cwd);
    await history.add('write docs', '/elsewhere');
    const run = (words: string[] = [], flags: Record<string, string | boolean> = {}, io = {}) =>
      runCommand(kernel, 'history', { args: { words }, flags, cwd, io });
    expect((await run()).out.split('\n')).toMatchObject([
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d  \/elsewhere  write docs$/),
      expect.stringMatching(/fix the parser \(and 1 more line\)$/),
      '',
    ]);
    expect((await run([], { here: true })).out).toMatch(/^[-\d: ]+ fix the parser/);
    expect(JSON.parse((await run(['pars', 'test'], { json: true })).out)).toMatchObject([{ cwd }]);
    expect(JSON.parse((await run([], { json: true, limit: '1' })).out)).toHaveLength(1);
    expect((await run(['nothing'])).err).toContain('No prompt holds "nothing"');
    await expect(run([], { clear: true })).rejects.toMatchObject({ next: expect.stringContaining('--yes') });
    expect((await run([], { clear: true }, { ask: async () => 'yes' })).out).toBe('Forgot 2 prompts.\n');
    expect((await run()).err).toContain('No prompts are remembered');
  });
});
