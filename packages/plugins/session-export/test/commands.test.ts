import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory } from '@tenon/agent/api';
import { pluginContract } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, runCommand } from '../../modes/test/world.ts';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

/** A world with one session in which something was said. It stays open, as if another process used it. */
async function world() {
  const made = await createWorld({ plugins: [[source, plugin]], script: [{ text: 'Certainly.' }] });
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
});
