import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finding, worstTier } from '../src/judge/finding.ts';
import { namedFindings } from '../src/tool-calls.ts';
import { makeHome } from './support.ts';

const home = makeHome();
const { cwd, home: user } = home.folders;
beforeAll(() => {
  mkdirSync(join(user, '.ssh'));
  writeFileSync(join(user, '.ssh', 'id_rsa'), 'key');
  symlinkSync(join(user, '.ssh', 'id_rsa'), join(cwd, 'notes.txt'));
});
afterAll(() => home.remove());

const judge = (tool: string, input: Record<string, unknown>, risk: 'read' | 'write' = 'read'): Finding[] =>
  namedFindings({ tool, input, risk, callId: '1' }, { cwd, world: home.world });

/** Whatever a tool understands as a path must be one here: each of these reached a file unjudged once. */
describe('the paths of a call', () => {
  it.each([
    '~/.ssh/id_rsa',
    '../.ssh/id_rsa:1-5',
    ' "../.ssh/id_rsa" ',
    `file://${user}/%2essh/id_rsa`,
    'notes.txt',
    'notes.txt:raw',
    'notes.txt:1-5:raw',
    'notes.txt?q=1',
    'any://../../.ssh/id_rsa',
  ])('are seen through when %s is read', (path) => {
    expect(worstTier(judge('read', { path }))).toBe(2);
  });

  it.each([
    ['anchors', '@@ ../out.txt\n< BOF\n~x'],
    ['anchors without a blank', '@@../out.txt\n< BOF\n~x'],
    ['anchors with a single sign', '@../out.txt\n< BOF\n~x'],
    ['anchors that are indented', ' \t@@@\t../out.txt\n< BOF\n~x'],
    ['anchors, cut short before something else', '@@../out.txt\n< BOF\n~x\n*** Abort\n*** Update File: a'],
    ['anchors and a line separator', '@@ a\u2028/../../../out.txt\n< BOF\n~x'],
    ['an envelope', '*** Begin Patch\n*** Update File: ../out.txt\n@@\n-a\n+b'],
    ['an envelope without blanks', '*** Begin Patch\n*** Add File:../out.txt\n+b'],
    ['a move', '*** Begin Patch\r\n*** Update File: a\r\n*** Move to:../out.txt\r\n'],
  ])('are found in an edit with %s', (_, input) => {
    expect(worstTier(judge('edit', { input }, 'write'))).toBe(2);
  });

  it('are not looked for in the text of files', () => {
    const envelope = '*** Begin Patch\n*** Update File: a.ts\n@@ /api/users\n-a\n+@@ /etc/passwd';
    expect(worstTier(judge('edit', { input: envelope }, 'write'))).toBe(1);
    expect(worstTier(judge('edit', { input: '@@ a.ts\n+ BOF\n~@@ /etc/passwd' }, 'write'))).toBe(1);
    const diff = '@@ /etc/passwd\n-a\n+b';
    expect(worstTier(judge('edit', { path: 'a.ts', edits: [{ diff }] }, 'write'))).toBe(1);
  });

  it('of folders that are looked through count with all that is in them', () => {
    expect(worstTier(judge('search', { pattern: 'x', paths: ['~'] }))).toBe(2);
    expect(worstTier(judge('ast_grep', { pat: 'x', paths: ['~/.s*/*'] }))).toBe(2);
    expect(worstTier(judge('find', { paths: ['~'] }))).toBe(0);
    expect(worstTier(judge('search', { pattern: 'x', paths: ['.', 'src/**'] }))).toBe(0);
  });

  it('that are addresses on the web are read from the network, whichever tool reads them', () => {
    expect(judge('read', { path: 'https://example.com/a' })).toMatchObject([{ tier: 1, like: 'fetch' }]);
    expect(judge('read', { path: 'artifact://3' })).toEqual([]);
  });
});
