import { describe, expect, it } from 'vitest';
import { splitGlobalFlags } from '../src/global-flags.ts';

describe('global flags', () => {
  it('are taken from anywhere and leave the other words in order', () => {
    expect(
      splitGlobalFlags(['--cwd', '/tmp', 'config', '--set', 'a.b=1', 'list', '--set=c.d=x=y', '--json', '-h']),
    ).toEqual({
      help: true,
      version: false,
      verbose: false,
      noColor: false,
      noPacks: false,
      set: ['a.b=1', 'c.d=x=y'],
      cwd: '/tmp',
      words: ['config', 'list', '--json'],
    });
  });

  it('behind -- belong to the command', () => {
    expect(splitGlobalFlags(['x', '--', '--help', '--set'])).toMatchObject({
      help: false,
      words: ['x', '--', '--help', '--set'],
    });
  });

  it('with a value ask for it', () => {
    expect(() => splitGlobalFlags(['--cwd'])).toThrow(/needs a value/);
    expect(() => splitGlobalFlags(['--cwd', '--help'])).toThrow(/needs a value/);
    expect(() => splitGlobalFlags(['--cwd='])).toThrow(/needs a value/);
  });

  it('without a value refuse one', () => {
    expect(() => splitGlobalFlags(['--help=config'])).toThrow(/takes no value/);
  });
});
