/** The one list of protected places. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@tenon/kernel';
import { expect, it } from 'vitest';
import { inProject, isPlace, onMachine, placeTest, protectedPlacesOf } from '../src/api.ts';

const declaring = (...declarations: Record<string, unknown>[]): Manifest => ({
  id: 'family',
  version: '1.0.0',
  kernel: '^1',
  contributes: { 'protected-places': Object.fromEntries(declarations.map((one, index) => [String(index), one])) },
});

it('holds what plugins declare beside the fixed places, and a declaration takes nothing away', () => {
  const fixed = protectedPlacesOf([]);
  const places = protectedPlacesOf([
    declaring({ runsCode: ['./.new-agent', './.vscode'], private: ['~/.new-agent'] }, { priority: 9, secrets: [] }),
  ]);
  expect(inProject(places.runsCode)).toEqual([...inProject(fixed.runsCode), '.new-agent']);
  expect(places.private).toEqual([...fixed.private, '~/.new-agent']);
  expect(places.secrets).toEqual(fixed.secrets);
  expect(protectedPlacesOf([])).toEqual(fixed);
});

it('takes no place that would close a whole project, home or machine, or that climbs', () => {
  for (const text of ['./', '~', '~/', '/', './*', '~/**', './../x', './a//b', '~/.ssh/..', 'src', '', 7, null])
    expect(isPlace(text), String(text)).toBe(false);
  for (const text of ['./.mcp.json', './.github/mcp.json', '~/.bash*', '~/...', '/etc/ssh/ssh_host_*_key'])
    expect(isPlace(text), text).toBe(true);
  const places = protectedPlacesOf([declaring({ guarded: ['./', './src', 5], runsCode: './.x', secrets: { a: 1 } })]);
  expect(inProject(places.guarded)).toContain('src');
  expect(inProject(places.runsCode)).toContain('.x');
});

it('finds what a star stands for just now', () => {
  const home = mkdtempSync(join(tmpdir(), 'tenon-places-'));
  for (const folder of ['one', 'two']) {
    mkdirSync(join(home, folder));
    writeFileSync(join(home, folder, 'key.pem'), '');
  }
  expect(onMachine(['~/*o*/key.*', '~/absent', './x', '/etc/passwd'], home).toSorted()).toEqual(
    ['/etc/passwd', join(home, 'absent'), join(home, 'one', 'key.pem'), join(home, 'two', 'key.pem')].toSorted(),
  );
  rmSync(home, { recursive: true });
});

it('tests paths with everything below a place, or exactly', () => {
  const below = placeTest(['.ssh', '.aider*']);
  expect(['.ssh', '.ssh/id', '.aider.conf.yml', '.aider/x/y'].every((path) => below.test(path))).toBe(true);
  expect(['.sshd', 'x/.ssh', 'xssh'].some((path) => below.test(path))).toBe(false);
  expect(placeTest(['.ssh/*.pub'], 'exact').test('.ssh/a/b.pub')).toBe(false);
  const anywhere = placeTest(['.github/mcp.json', '.git'], 'anywhere');
  expect(['a/.github/mcp.json', '/x/.git/config', '.git'].every((path) => anywhere.test(path))).toBe(true);
  expect(['.github/x', 'a.git', '.gitignore'].some((path) => anywhere.test(path))).toBe(false);
  expect(placeTest([]).test('')).toBe(false);
});

it('protects a place however its letters are written, and allows parts of it only as they are', () => {
  expect(placeTest(['.ssh']).test('.SSH/id')).toBe(true);
  expect(placeTest(['.git'], 'anywhere').test('a/.Git/hooks/pre-commit')).toBe(true);
  expect(placeTest(['.ssh/config'], 'exact').test('.ssh/Config')).toBe(false);
});
