import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, test } from 'vitest';
import { findInPath } from '../src/find-in-path.ts';

function program(path: string, mode = 0o755): string {
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

test('the first folder of PATH that has the program counts', () => {
  const base = temporaryFolder('path');
  for (const name of ['a', 'b']) mkdirSync(join(base, name));
  program(join(base, 'b', 'tool'));
  const env = { PATH: `${join(base, 'a')}:${join(base, 'b')}` };
  expect(findInPath('tool', env)).toBe(join(base, 'b', 'tool'));
  expect(findInPath('tool', env)).not.toBe(program(join(base, 'a', 'tool'), 0o644));
  program(join(base, 'a', 'tool'));
  expect(findInPath('tool', env)).toBe(join(base, 'a', 'tool'));
});

test('folders, files that cannot be run and relative entries of PATH do not count', () => {
  const base = temporaryFolder('path');
  mkdirSync(join(base, 'tool'));
  expect(findInPath('tool', { PATH: base })).toBeUndefined();
  program(join(base, 'other'));
  expect(findInPath('other', { PATH: '.' }, base)).toBeUndefined();
  expect(findInPath('', { PATH: base })).toBeUndefined();
  expect(findInPath('other', {})).toBeUndefined();
});

test('a path is taken from the working folder, whatever PATH says', () => {
  const base = temporaryFolder('path');
  program(join(base, 'gradlew'));
  expect(findInPath('./gradlew', {}, base)).toBe(join(base, 'gradlew'));
  expect(findInPath('./mvnw', {}, base)).toBeUndefined();
});

describe('programs of Windows', () => {
  /** A system with these programs, none of which is on this machine. */
  const system = (...programs: string[]) => ({
    platform: 'win32' as const,
    isProgram: (path: string) => programs.includes(path),
  });
  const find = (program: string, env: Record<string, string>, ...programs: string[]) =>
    findInPath(program, env, 'C:\\work', system(...programs));

  test('are found without their ending, in the order of PATHEXT, whatever letters the variables have', () => {
    const Path = 'relative;C:\\Program Files\\nodejs;D:\\tools';
    expect(find('npx', { Path }, 'C:\\Program Files\\nodejs\\npx.cmd')).toBe('C:\\Program Files\\nodejs\\npx.cmd');
    const both = ['D:\\tools\\git.cmd', 'D:\\tools\\git.exe'];
    expect(find('git', { Path }, ...both)).toBe('D:\\tools\\git.exe');
    expect(find('git', { Path, PathExt: '.CMD;.EXE' }, ...both)).toBe('D:\\tools\\git.cmd');
    expect(find('git.EXE', { PATH: Path }, 'D:\\tools\\git.EXE')).toBe('D:\\tools\\git.EXE');
    expect(find('git', { Path }, 'C:\\work\\relative\\git.exe', 'D:\\tools\\git')).toBeUndefined();
  });

  test('are found by their path, with either slash', () => {
    for (const path of ['bin\\run', 'bin/run.exe', 'C:/work/bin/run'])
      expect(find(path, {}, 'C:\\work\\bin\\run.exe'), path).toBe('C:\\work\\bin\\run.exe');
    expect(find('bin\\run', { Path: 'C:\\work' }, 'C:\\bin\\run.exe')).toBeUndefined();
  });
});
