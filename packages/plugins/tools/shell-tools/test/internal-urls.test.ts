import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inlineCandidate } from '@tenon/kernel/testing';
import { type UrlScheme, urlSchemes } from '@tenon/urls/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workbench } from '@tenon/test-kit/workbench';
import { openShellBench } from './shell-bench.ts';

let bench: Workbench;
let folder: string;
beforeEach(async () => {
  bench = await openShellBench();
  folder = join(bench.home, "notes of 'mine'");
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'noted\n');
  const fileOf = (url: string) => join(folder, url.replace(/^\w+:\/\//, ''));
  const note: UrlScheme = {
    async read(url) {
      if (!existsSync(fileOf(url))) throw new Error('there is no such note');
      return { content: '', file: fileOf(url) };
    },
    async write(url, content) {
      writeFileSync(fileOf(url), content);
    },
    locate: async (url) => fileOf(url),
  };
  const { locate: _, ...draft } = note;
  const idea: UrlScheme = { read: async () => ({ content: 'only a thought' }) };
  bench.kernel.install(
    inlineCandidate(
      {
        id: 'notes',
        activate(ctx) {
          ctx.contribute(urlSchemes, 'note', note);
          ctx.contribute(urlSchemes, 'draft', draft);
          ctx.contribute(urlSchemes, 'idea', idea);
        },
      },
      { contributes: { 'url-schemes': { note: { writable: true }, draft: { writable: true }, idea: {} } } },
    ),
  );
});
afterEach(() => bench.dispose());

describe('URLs of Tenon in a command', () => {
  it.each([
    'cat note://a.txt',
    'cat "note://a.txt" | cat',
    "sort < 'note://a.txt'",
    'FILE=note://a.txt; cat "$FILE"',
    'grep -h --file=note://a.txt note://a.txt',
    'cat "$(echo note://a.txt)"',
    'x=y; cat "note://$(cat note://a.txt | tr -d a-z)a.txt" 2>/dev/null || echo noted',
  ])('become quoted paths: %s', async (command) => {
    expect(await bench.ok('bash', { command })).toBe('noted');
  });

  it('stay as they are inside of a longer text, in here-documents, and when nobody owns the scheme', async () => {
    expect(await bench.ok('bash', { command: 'echo "see note://a.txt" ftp://x/note://a https://example.org/' })).toBe(
      'see note://a.txt ftp://x/note://a https://example.org/',
    );
    expect(await bench.ok('bash', { command: 'sort <<EOF\nnote://a.txt\nEOF' })).toBe('note://a.txt');
  });

  it('name new files where output goes', async () => {
    await bench.ok('bash', { command: 'seq 2 > note://new.txt' });
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('1\n2\n');
  });

  it('become paths in variables and as the folder', async () => {
    expect(await bench.ok('bash', { command: 'cat "$NOTE"', env: { NOTE: 'note://a.txt' } })).toBe('noted');
    expect(await bench.ok('bash', { command: 'ls', cwd: 'note://' })).toBe('a.txt');
  });

  it('are not written to before the command is allowed', async () => {
    expect(await bench.fails('bash', { command: 'seq 2 > draft://new.txt' })).toMatch(/cannot be used.*no such note/);
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  it('are refused with a reason when there is no file', async () => {
    expect(await bench.fails('bash', { command: 'cat note://none.txt' })).toMatch(/cannot be used.*no such note/);
    expect(await bench.fails('bash', { command: 'cat idea://x' })).toMatch(/not a file on this machine.*read/);
  });
});
