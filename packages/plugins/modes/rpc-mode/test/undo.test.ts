/** Going back takes files along, where the host asks for it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { connect } from './host.ts';

const write = (path: string, content: string) => ({ calls: [{ name: 'write', arguments: { path, content } }] });

async function conversation() {
  const home = temporaryFolder('rpc-undo');
  const cwd = temporaryFolder('rpc-project');
  writeFileSync(join(cwd, 'notes'), 'mine\n');
  const { host } = await connect({
    home,
    cwd,
    plugins: ['file-tools', 'documents', 'trust', 'sandbox', 'approval', 'undo'],
    script: [write('notes', 'first\n'), { text: 'ok' }, write('notes', 'second\n'), { text: 'ok' }, { text: 'ok' }],
  });
  await host.work('change it');
  await host.work('change it again');
  const notes = () => readFileSync(join(cwd, 'notes'), 'utf8');
  const { messages } = (await host.ask('get_branch_messages'))['data'] as { messages: { entryId: string }[] };
  return { host, notes, entry: (number: number) => messages[number]?.entryId ?? '', home };
}

describe('undo over RPC', () => {
  it('shows and takes back what calls changed; going back restores files only when asked', async () => {
    const { host, notes, entry, home } = await conversation();
    expect(notes()).toBe('second\n');
    expect((await host.ask('get_undo_list'))['data']).toMatchObject({
      entries: [{ tool: 'write' }, { tool: 'write' }],
    });
    const preview = await host.ask('undo', { entryId: entry(0), preview: true });
    expect(preview['data']).toMatchObject({ changes: [{ path: 'notes', action: 'revert' }], entries: { length: 2 } });
    expect(notes()).toBe('second\n');
    expect(await host.ask('undo', { entryId: 'nowhere' })).toMatchObject({ success: false });
    expect((await host.ask('branch', { entryId: entry(1) }))['data']).toEqual({
      cancelled: false,
      text: 'change it again',
    });
    expect(notes()).toBe('second\n');
    expect((await host.ask('undo', { count: 1 }))['data']).toMatchObject({ changes: [{ path: 'notes' }] });
    expect(notes()).toBe('first\n');
    await host.ask('undo', { redo: true });
    expect(notes()).toBe('second\n');
    expect(existsSync(join(home, 'state', 'undo'))).toBe(true);
    await host.end();
  });

  it('a branch with restoreFiles takes back the calls that are left behind, and no others', async () => {
    const { host, notes, entry } = await conversation();
    const { data } = await host.ask('branch', { entryId: entry(1), restoreFiles: true });
    expect(data).toMatchObject({ cancelled: false, files: { entries: { length: 1 }, changes: [{ path: 'notes' }] } });
    expect(notes()).toBe('first\n');
    await host.end();
  });
});
