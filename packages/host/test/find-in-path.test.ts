import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, test } from 'vitest';
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
