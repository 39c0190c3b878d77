/** Servers that break the protocol, never answer, crash, or ask for what they must not do. */
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { anchorOf, openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, describe, expect, it } from 'vitest';
import { uriOfPath } from '../src/uris.ts';

/** Without a sandbox: the folder is trusted. */
const PLUGINS = ['trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
let bench: Workbench;
afterEach(() => bench.dispose());

async function withServer(how: string, settings: Record<string, unknown> = {}): Promise<Workbench> {
  const fake = join(import.meta.dirname, 'fake-server.mjs');
  const outside = uriOfPath(join(temporaryFolder('outside'), 'x.fake'));
  const server = { command: process.execPath, args: [fake, how, outside], languages: { '.fake': 'fake' } };
  bench = await openWorkbench(PLUGINS, {
    ownFolder: '.local',
    files: { 'a.fake': 'one two\n', 'b.fake': 'three\n' },
    settings: { lsp: { servers: { fake: server }, ...settings } },
  });
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
  return bench;
}

const at = { file: 'a.fake', line: 1, symbol: 'one' };

describe('a server', () => {
  it.each([
    ['greets', 'writes something else than the protocol: Welcome'],
    ['binary', 'writes something else than the protocol'],
    ['huge-header', 'wants to send a message of 99999999999 bytes'],
    ['dies', 'exit code 3. fake: '],
  ])('that %s at its start is ended, and the answer says why', async (how, reason) => {
    const text = await (await withServer(how)).fails('lsp', { action: 'hover', ...at });
    expect(text).toContain('could not be started');
    expect(text).toContain(reason);
    expect(text).toContain('search');
    expect(text).not.toContain('\u001b');
  });

  it('that never answers costs no more than the time of the call, and the next call is told as well', async () => {
    const text = await (await withServer('slow')).fails('lsp', { action: 'hover', ...at, timeout: 5 });
    expect(text).toContain('has not answered textDocument/hover within 5 s');
  });

  it('that is asked is left alone when the caller gives up', async () => {
    await withServer('slow');
    const stop = new AbortController();
    const running = bench.run('lsp', { action: 'hover', ...at }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 1_000);
    await expect(running).rejects.toThrow();
  });

  it('that crashes is started again, and later only after a while', async () => {
    await withServer('crashes');
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toContain('has ended: it ended with exit code 1');
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toContain('has ended');
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toContain(
      'has ended 2 times and is started again in 1 s',
    );
    expect(await bench.ok('lsp', { action: 'reload', file: 'a.fake' })).toContain('fake');
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toContain('has ended: it ended with exit code 1');
  });

  it('that writes to standard error without end is read and forgotten', async () => {
    await withServer('noisy');
    expect(await bench.ok('lsp', { action: 'hover', ...at })).toBe('hello');
  });

  it('cannot put control sequences into a result', async () => {
    await withServer('plain');
    expect(await bench.ok('lsp', { action: 'hover', ...at })).toBe('hello');
  });

  it('that says nothing about a file has not said that all is well', async () => {
    await withServer('silent');
    const text = await bench.ok('lsp', { action: 'diagnostics', file: 'a.fake', timeout: 5 });
    expect(text).toMatch(/^Nothing is known about it yet\. .*`timeout`/);
    expect(text).not.toContain('OK');
  });

  it('that floods diagnostics is cut short, in a call and after an edit', async () => {
    await withServer('flood');
    const text = await bench.ok('lsp', { action: 'diagnostics', file: 'a.fake' });
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('… 950 more');
    expect(text).not.toContain('\u001b');
    const edit = await bench.ok('write', { path: 'b.fake', content: 'four\n' });
    expect(edit.length).toBeLessThan(20_000);
  });

  it('that sends nonsense is understood as far as it makes sense', async () => {
    await withServer('junk');
    expect(await bench.ok('lsp', { action: 'diagnostics', file: 'a.fake' })).toBe('1 error:\na.fake:1:1 [error] real');
    expect(await bench.ok('lsp', { action: 'definition', ...at })).toBe('No definition found');
  });

  it('that speaks of an older text is not believed, and the edit does not wait for longer than it may', async () => {
    await withServer('stale', { waitMs: 500 });
    expect(await bench.ok('lsp', { action: 'hover', ...at })).toBe('hello');
    expect(await bench.ok('write', { path: 'a.fake', content: 'new text\n' })).toMatch(
      /^Updated a\.fake \(1 line, 9B\)\n\[This replaced .*\]$/,
    );
  });

  it.each([
    ['escapes', 'outside of the workspace'],
    ['overlaps', 'text edits overlap'],
    ['old-version', 'has changed since the server looked at it'],
  ])('whose rename %s changes nothing', async (how, reason) => {
    await withServer(how);
    const text = await bench.fails('lsp', { action: 'rename', ...at, new_name: 'uno', apply: true });
    expect(text).toContain(reason);
    expect(bench.get('a.fake')).toBe('one two\n');
  });

  it('gets its edits carried out only when it was asked for them', async () => {
    await withServer('plain');
    expect(await bench.ok('lsp', { action: 'references', ...at })).toBe('No references found');
    expect(bench.get('a.fake')).toBe('one two\n');
    expect(await bench.ok('lsp', { action: 'code_actions', ...at })).toBe(
      '2 code actions:\n0: [quickfix] Fix it\n1: Run it',
    );
    expect(await bench.ok('lsp', { action: 'code_actions', ...at, query: '0' })).toContain('-1|one two\n+1|FIX two');
    expect(bench.get('a.fake')).toBe('one two\n');
    expect(await bench.ok('resolve', { action: 'discard', reason: 'no' })).toContain('Discarded');
    // A command of a server that nothing confines is not run for a preview.
    expect(await bench.fails('lsp', { action: 'code_actions', ...at, query: '1' })).toContain('cannot be previewed');
    await bench.ok('lsp', { action: 'code_actions', ...at, query: '1', apply: true });
    expect(bench.get('a.fake')).toBe('RUN two\n');
    bench.put('a.fake', 'one two\n');
    await bench.ok('lsp', { action: 'code_actions', ...at, query: 'fix', apply: true });
    expect(bench.get('a.fake')).toBe('FIX two\n');
    expect(await bench.fails('lsp', { action: 'code_actions', ...at, symbol: 'FIX', query: 'none' })).toContain(
      '0: [quickfix] Fix it',
    );
  });
});

describe('a preview', () => {
  it('is not applied to a file that has changed meanwhile', async () => {
    await withServer('plain');
    await bench.ok('lsp', { action: 'rename', ...at, new_name: 'uno' });
    bench.put('a.fake', 'one other\n');
    expect(await bench.fails('resolve', { action: 'apply', reason: 'x' })).toContain('a.fake');
    expect(bench.get('a.fake')).toBe('one other\n');
  });

  it('with `apply: false` only shows, and leaves nothing to resolve', async () => {
    await withServer('plain');
    expect(await bench.ok('lsp', { action: 'rename', ...at, new_name: 'uno', apply: false })).toContain(
      'nothing was changed',
    );
    expect(await bench.fails('resolve', { action: 'apply', reason: 'x' })).toContain('No');
  });
});

describe('formatting on write', () => {
  it('changes the file before the result is made, so that anchors fit the formatted file', async () => {
    await withServer('plain', { formatOnWrite: true });
    expect(await bench.ok('write', { path: 'a.fake', content: 'one\n' })).toContain('formatted');
    expect(bench.get('a.fake')).toBe('// formatted\none\n');
    const anchor = anchorOf(await bench.ok('read', { path: 'a.fake' }), 'one');
    const text = await bench.ok('edit', { input: ['@@ a.fake', `= ${anchor}..${anchor}`, '~two'].join('\n') });
    expect(bench.get('a.fake')).toBe('// formatted\n// formatted\ntwo\n');
    // The anchors of the answer are those of the formatted file: the next edit may use them.
    const two = anchorOf(text, 'two');
    expect(two).toMatch(/^3/);
    await bench.ok('edit', { input: ['@@ a.fake', `- ${two}..${two}`].join('\n') });
    expect(bench.get('a.fake')).toBe('// formatted\n'.repeat(3));
  });
});

describe('bad input', () => {
  it('is answered with what to do', async () => {
    await withServer('plain');
    const fails = (input: Record<string, unknown>) => bench.fails('lsp', input);
    expect(await fails({ action: 'hover' })).toContain('needs `file`');
    expect(await fails({ action: 'hover', file: 'none.fake' })).toContain('There is no file none.fake');
    expect(await fails({ action: 'hover', file: 'a.fake', line: 9 })).toContain('a.fake has no line 9; it has 2');
    expect(await fails({ action: 'hover', file: 'a.fake', line: 1, symbol: 'nine' })).toContain(
      'does not contain "nine": one two',
    );
    expect(await fails({ action: 'hover', file: 'a.fake', line: 1, symbol: 'one#2' })).toContain('"one" 2 times');
    expect(await fails({ action: 'rename', ...at })).toContain('needs `new_name`');
    expect(await fails({ action: 'request', file: 'a.fake', query: 'x', payload: '{' })).toContain('not JSON');
    expect(await fails({ action: 'request', file: 'a.fake', query: 'fake/none' })).toContain(
      'refuses fake/none: no fake/none',
    );
    expect(await fails({ action: 'diagnostics', file: '*.none' })).toContain('No file matches');
    expect(await fails({ action: 'symbols' })).toContain('needs `query`');
    expect(await fails({ action: 'symbols', file: 'a.fake' })).toContain('cannot do this');
    expect(await fails({ action: 'rename_file', file: 'a.fake', new_name: 'b.fake' })).toContain(
      'something is there already',
    );
    bench.put('x.unknown', 'x');
    expect(await fails({ action: 'hover', file: 'x.unknown' })).toContain('No language server fits x.unknown');
    expect(await bench.ok('lsp', { action: 'request', file: 'a.fake', query: 'fake/state' })).toContain(
      '"text": "one two\\n"',
    );
  });
});
