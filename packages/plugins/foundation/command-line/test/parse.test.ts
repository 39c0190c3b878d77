import { describe, expect, it } from 'vitest';
import { packageJson } from '@tenon/test-kit/plugins';
import { type CommandSpec, specProblem } from '../src/command-spec.ts';
import { settingsIn } from '../src/flag-settings.ts';
import { GLOBAL_FLAGS } from '../src/global-flags.ts';
import { parseCommand } from '../src/parse.ts';
import { synopsis } from '../src/table.ts';
import { everyBuiltInCommand, tableWith } from './sample-table.ts';

const table = tableWith({
  deploy: {
    summary: 'Deploy',
    arguments: [
      { name: 'target', summary: 'Where', required: true, choices: ['staging', 'production'] },
      { name: 'files', summary: 'What', variadic: true },
    ],
    flags: {
      level: { type: 'string', summary: 'Level', short: 'l', choices: ['low', 'high'], default: 'low' },
      tag: { type: 'string', summary: 'Tag', multiple: true },
      force: { type: 'boolean', summary: 'Force', short: 'f' },
      wait: { type: 'boolean', summary: 'Wait', default: true },
      on: { type: 'string', summary: 'Machine', short: 'o', optionalValue: '[a-z]+' },
    },
    json: true,
  },
  'deploy undo': { summary: 'Undo' },
});

const parse = (...words: string[]) => {
  const parsed = parseCommand(table, words);
  if (parsed.kind !== 'run') throw new Error(`expected a command, got ${parsed.kind}`);
  return { key: parsed.entry.key, args: parsed.args, flags: parsed.flags };
};
const failure = (...words: string[]) => {
  try {
    parseCommand(table, words);
  } catch (fault) {
    return fault as { code: string; message: string; next: string };
  }
  throw new Error('expected a usage error');
};

describe('flags of other programs', () => {
  const own = tableWith({
    ask: {
      summary: 'Ask',
      root: true,
      arguments: [{ name: 'prompt', summary: 'What', variadic: true }],
      flags: {
        'max-turns': { type: 'string', summary: 'Limit', setting: 'ask.limit' },
        yolo: { type: 'boolean', summary: 'All', setting: 'ask.mode=yolo' },
        dir: { type: 'string', summary: 'Folder', multiple: true, setting: 'ask.folders' },
        allow: { type: 'string', summary: 'Rules', personOnly: true },
      },
      flagHints: { 'skip-permissions': 'Use --yolo.' },
    },
  });

  it('may be written with capitals', () => {
    for (const words of [
      ['--maxTurns', '3', 'go'],
      ['--maxTurns=3', 'go'],
    ])
      expect(parseCommand(own, words)).toMatchObject({ flags: { 'max-turns': '3' }, args: { prompt: ['go'] } });
    expect(parseCommand(own, ['--yolo', '--', '--maxTurns'])).toMatchObject({ args: { prompt: ['--maxTurns'] } });
    expect(() => parseCommand(own, ['--noSuchFlag'])).toThrow('"--noSuchFlag"');
  });

  it('get a hint to the own ones', () => {
    expect(() => parseCommand(own, ['--skip-permissions', 'go'])).toThrow('Use --yolo.');
  });

  it('hint at flags that exist', () => {
    const contributes = packageJson('modes').tenon['contributes'] as Record<string, Record<string, CommandSpec>>;
    const { flags = {}, flagHints = {} } = contributes['cli-commands']?.['agent'] ?? {};
    const known = new Set([...Object.keys(flags), ...Object.keys(GLOBAL_FLAGS)]);
    expect(Object.keys(flagHints).length).toBeGreaterThan(40);
    expect(Object.keys(flagHints)).toEqual(
      expect.arrayContaining(['theme', 'skill', 'no-skills', 'no-context-files', 'smol', 'slow', 'search']),
    );
    for (const [flag, hint] of Object.entries(flagHints)) {
      expect(known, flag).not.toContain(flag);
      for (const [, used = ''] of hint.matchAll(/--([a-z-]+)/g)) expect(known, hint).toContain(used);
    }
  });

  it('stand for settings, and only people may give them', () => {
    expect(settingsIn(own, ['--yolo', '--max-turns', '3', '--dir', 'a', '--dir', 'b', '--allow', 'x', 'go'])).toEqual([
      { flag: '--max-turns', assignment: 'ask.limit=3' },
      { flag: '--yolo', assignment: 'ask.mode=yolo' },
      { flag: '--dir', assignment: 'ask.folders=["a","b"]' },
      { flag: '--allow' },
    ]);
    expect(settingsIn(own, ['go on'])).toEqual([]);
    // An extension may bring the other flag, which is not known yet.
    expect(settingsIn(own, ['--of-extension', '--yolo'])).toEqual([{ flag: '--yolo', assignment: 'ask.mode=yolo' }]);
  });
});

describe('parsing a command line', () => {
  it('takes the command with the most words', () => {
    expect(parse('deploy', 'undo').key).toBe('deploy undo');
    expect(parse('deploy', 'staging').key).toBe('deploy');
  });

  it('fills arguments, variadic arguments, flags and defaults', () => {
    expect(parse('deploy', 'staging', 'a', 'b', '--tag', 'x', '--tag=y', '-f', '--json')).toEqual({
      key: 'deploy',
      args: { target: 'staging', files: ['a', 'b'] },
      flags: { level: 'low', tag: ['x', 'y'], force: true, wait: true, json: true },
    });
  });

  it('takes flags between the arguments of a command', () => {
    expect(parse('deploy', '-l', 'high', 'staging', '--no-wait', 'a').flags).toMatchObject({
      level: 'high',
      wait: false,
    });
  });

  it('takes a value that may be left out only if it fits, behind the long and the short name', () => {
    const on = (...words: string[]) => {
      const { flags, args } = parse('deploy', ...words);
      return [flags['on'], args['target'], args['files']];
    };
    for (const flag of ['--on', '-o']) {
      expect(on('staging', flag, 'mars')).toEqual(['mars', 'staging', []]);
      expect(on('staging', flag, 'a b')).toEqual(['', 'staging', ['a b']]);
      expect(on('staging', flag, '-f')).toEqual(['', 'staging', []]);
      expect(on('staging', flag)).toEqual(['', 'staging', []]);
      expect(on('staging', '--', flag)).toEqual([undefined, 'staging', [flag]]);
    }
    expect(on('staging')).toEqual([undefined, 'staging', []]);
  });

  it('takes everything behind -- as an argument', () => {
    expect(parse('deploy', 'staging', '--', '--force', '-x').args).toEqual({
      target: 'staging',
      files: ['--force', '-x'],
    });
  });

  it('takes negative numbers and a lone dash as values', () => {
    expect(parse('config', 'set', 'a.b', '-5.5').args).toEqual({ key: 'a.b', value: '-5.5' });
    expect(parse('tool', 'run', 'x', '--input', '-').flags).toMatchObject({ input: '-' });
    expect(parse('tool', 'run', 'x', '-i', '-7').flags).toMatchObject({ input: '-7' });
  });

  it('says which command was probably meant', () => {
    expect(failure('confg', 'lst').message).toContain('Did you mean "tenon config list"?');
    expect(failure('config', 'lsit').message).toBe(
      'There is no command "config lsit". Did you mean "tenon config list"?',
    );
    expect(failure('doctr').message).toContain('"tenon doctor"');
    expect(failure('zzzzzz').message).toBe('There is no command "zzzzzz".');
  });

  it('finds a command by its last word alone, unless very many end so', () => {
    expect(failure('schema').message).toContain('Did you mean "tenon config schema"?');
    const several = tableWith({ 'a login': { summary: 'x' }, 'b login': { summary: 'x' }, plugin: { summary: 'x' } });
    expect(() => parseCommand(several, ['login'])).toThrow('Did you mean "tenon a login" or "tenon b login"?');
    const many = ['a', 'b', 'c', 'd'].map((word) => [`${word} list`, { summary: 'x' }]);
    const lists = tableWith({ ...Object.fromEntries(many), ast: { summary: 'x' } });
    expect(() => parseCommand(lists, ['list'])).toThrow(/^There is no command "list"\.$/);
  });

  it('suggests a flag for a word that is one', () => {
    expect(failure('version').message).toContain('Did you mean "tenon --version"?');
  });

  it('suggests no flag that only looks alike because of its dashes', () => {
    expect(failure('deploy', 'staging', '--bad').message).toBe('`tenon deploy` has no flag "--bad".');
  });

  it.each([
    [['deploy', 'staging', '--forse'], 'COMMAND_LINE_UNKNOWN_FLAG', /Did you mean "--force"/],
    [['deploy', 'staging', '-x'], 'COMMAND_LINE_UNKNOWN_FLAG', /no flag "-x"/],
    [['deploy', 'staging', '--level'], 'COMMAND_LINE_FLAG_VALUE', /needs a value/],
    [['deploy', 'staging', '--level', '--force'], 'COMMAND_LINE_FLAG_VALUE', /needs a value/],
    [['deploy', 'staging', '--force=yes'], 'COMMAND_LINE_FLAG_NO_VALUE', /takes no value/],
    [['deploy', 'staging', '-l', 'low', '-l', 'high'], 'COMMAND_LINE_FLAG_REPEATED', /more than once/],
    [['deploy', 'staging', '-l', 'hihg'], 'COMMAND_LINE_CHOICE', /Did you mean "high"/],
    [['deploy', 'nowhere'], 'COMMAND_LINE_CHOICE', /"nowhere" is not a value of TARGET/],
    [['deploy'], 'COMMAND_LINE_ARGUMENT_MISSING', /needs TARGET \(staging, production\)/],
    [['config', 'get', 'a', 'b'], 'COMMAND_LINE_ARGUMENT_EXTRA', /does not take "b"/],
    [['--json', 'config', 'list'], 'COMMAND_LINE_FLAG_PLACE', /comes before the command/],
  ])('refuses %j with a next step', (words, code, message) => {
    const fault = failure(...words);
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(message);
    expect(fault.next).not.toBe('');
    expect(fault.message + fault.next).not.toMatch(/\{\w+\}/);
  });

  it('does not take a prototype property for a flag', () => {
    expect(failure('deploy', 'staging', '--constructor').code).toBe('COMMAND_LINE_UNKNOWN_FLAG');
  });

  it('tells a group without a command from a command', () => {
    expect(parseCommand(table, ['config'])).toEqual({ kind: 'incomplete', words: ['config'] });
    expect(parseCommand(table, [])).toEqual({ kind: 'incomplete', words: [] });
  });
});

describe('checking what a manifest says about a command', () => {
  it('accepts every built-in command, which is not checked again at every start', () => {
    const commands = everyBuiltInCommand();
    expect(commands.length).toBeGreaterThan(100);
    for (const { file, key, spec } of commands) {
      expect.soft(specProblem(key, { ...spec }), `${file}: ${key}`).toBeUndefined();
      expect
        .soft(JSON.stringify(spec).replaceAll(/\\[nt]/g, ''), `${file}: ${key}`)
        .not.toMatch(/\\(?:[bfr]|u[0d])|\p{Cc}|\p{Cf}/u);
    }
  });

  it.each([
    ['a  b', { summary: 'x' }, /joined by one space/],
    ['-x', { summary: 'x' }, /dash/],
    ['x\u001b[2J', { summary: 'x' }, /words/],
    ['x', {}, /"summary" must be a text/],
    ['x', { summary: 'x', arguments: {} }, /"arguments"/],
    [
      'x',
      {
        summary: 'x',
        arguments: [
          { name: 'a', summary: 'a', variadic: true },
          { name: 'b', summary: 'b' },
        ],
      },
      /last argument/,
    ],
    ['x', { summary: 'x', flags: { Loud: { type: 'boolean', summary: 'x' } } }, /flag "Loud"/],
    ['x', { summary: 'x', flags: { loud: { type: 'number', summary: 'x' } } }, /"type"/],
    [
      'x',
      { summary: 'x', flags: { loud: { type: 'boolean', summary: 'x', default: 'yes' } } },
      /"default" must be a boolean/,
    ],
    ['x', { summary: 'x', flags: { loud: { type: 'string', summary: 'x', choices: [] } } }, /"choices"/],
    ['x', { summary: 'x', examples: ['tenon x'] }, /"examples"/],
  ])('names what is wrong with %j %j', (key, spec, problem) => {
    expect(specProblem(key, spec)).toMatch(problem);
  });
});

describe('a command that may be left out', () => {
  const withRoot = tableWith({
    talk: {
      summary: 'Talk',
      root: true,
      arguments: [{ name: 'words', summary: 'What', variadic: true }],
      flags: { loud: { type: 'boolean', summary: 'Loud', short: 'l' } },
    },
  });
  const parseRoot = (...words: string[]) => {
    const parsed = parseCommand(withRoot, words);
    return parsed.kind === 'run' ? { key: parsed.entry.key, args: parsed.args, flags: parsed.flags } : parsed;
  };

  it('runs when the line begins with a flag, an @FILE or a quoted text', () => {
    expect(parseRoot('-l', 'hello')).toMatchObject({ key: 'talk', args: { words: ['hello'] }, flags: { loud: true } });
    expect(parseRoot('@notes.md', 'what?')).toMatchObject({ key: 'talk', args: { words: ['@notes.md', 'what?'] } });
    expect(parseRoot('fix the tests', '--loud')).toMatchObject({ key: 'talk', flags: { loud: true } });
    expect(parseRoot('talk', 'hello')).toMatchObject({ key: 'talk', args: { words: ['hello'] } });
  });

  it('does not swallow other commands, misspelt ones, or an empty line', () => {
    expect(parseRoot('tool', 'list')).toMatchObject({ key: 'tool list' });
    expect(() => parseRoot('tol', 'list')).toThrow('tenon tool');
    expect(parseRoot()).toEqual({ kind: 'incomplete', words: [] });
    expect(() => parseRoot('--lowd')).toThrow('--loud');
  });

  it('is what words that fit no command were meant for, when the quotes are missing', () => {
    const next = (...words: string[]) => {
      try {
        parseRoot(...words);
      } catch (fault) {
        return (fault as { next: string }).next;
      }
      throw new Error('expected a usage error');
    };
    expect(next('mend', 'the', 'bug')).toBe(
      "See all commands with `tenon help`. For a prompt write `tenon 'mend the bug'`.",
    );
    expect(next('banana')).toContain('For a prompt write `tenon talk banana`.');
    expect(next('tol', 'list')).toBe('See all commands with `tenon help`.');
  });

  it('is named in brackets where its use is shown', () => {
    expect(synopsis({ key: 'talk', spec: withRoot.get('talk')?.spec ?? { summary: '' } })).toBe(
      'tenon [talk] [FLAGS] [WORDS…]',
    );
  });
});

describe('flags before a command', () => {
  const table = tableWith({
    talk: {
      summary: 'Talk',
      root: true,
      arguments: [{ name: 'words', summary: 'What', variadic: true }],
      flags: {
        loud: { type: 'boolean', summary: 'Loud', short: 'l' },
        voice: { type: 'string', summary: 'Voice', short: 'v' },
        json: { type: 'boolean', summary: 'JSON' },
      },
    },
    look: { summary: 'Look', arguments: [{ name: 'where', summary: 'Where', variadic: true }], json: true },
    'deploy undo': { summary: 'Undo', flags: { force: { type: 'boolean', summary: 'Force' } } },
  });
  const read = (...words: string[]) => {
    const parsed = parseCommand(table, words);
    return parsed.kind === 'run' ? { key: parsed.entry.key, args: parsed.args, flags: parsed.flags } : parsed;
  };

  it('that the command knows too are its flags', () => {
    expect(read('--json', 'config', 'list')).toMatchObject({ key: 'config list', flags: { json: true } });
    expect(read('--force', 'deploy', 'undo')).toMatchObject({ key: 'deploy undo', flags: { force: true } });
    expect(read('--json', 'look')).toMatchObject({ key: 'look', flags: { json: true } });
  });

  it('that belong to prompts are refused, instead of sending the name of a command to a model', () => {
    for (const words of [
      ['--voice', 'X', 'config', 'list'],
      ['-v', 'X', 'config', 'list'],
      ['config', 'list', '--voice', 'X'],
    ])
      expect(() => read(...words)).toThrow(
        /^`tenon config list` has no flag "(--voice|-v)"\. It belongs to `tenon talk`: leave it out, or, if these words are a prompt, put quotes around them\.$/,
      );
    expect(read('--voice', 'X', 'config')).toEqual({ kind: 'incomplete', words: ['config'] });
  });

  it('leave prompts alone', () => {
    for (const said of [
      ['mend the bug'],
      ['mend', 'the', 'bug'],
      ['config list'],
      ['@notes.md', 'config', 'list'],
      ['config', 'files', 'are', 'broken'],
      ['look', 'at', 'this'],
    ])
      expect(read('--voice', 'X', ...said)).toMatchObject({
        key: 'talk',
        args: { words: said },
        flags: { voice: 'X' },
      });
    expect(read('-l', '--', 'config', 'list')).toMatchObject({ key: 'talk', args: { words: ['config', 'list'] } });
    expect(read('--voice', 'config', 'list')).toMatchObject({ key: 'talk', args: { words: ['list'] } });
  });

  it('may also stand before the name of the command that could be left out', () => {
    expect(read('--voice=X', 'talk', 'hello')).toMatchObject({
      key: 'talk',
      args: { words: ['hello'] },
      flags: { voice: 'X' },
    });
  });

  it('ask back where one word can be a command or the beginning of a prompt', () => {
    expect(() => read('--json', 'look', 'here')).toThrow('"look here" can be the command `tenon look` or a prompt.');
    const next = (...words: string[]) => {
      try {
        read(...words);
      } catch (fault) {
        return (fault as { next: string }).next;
      }
      throw new Error('expected a usage error');
    };
    expect(next('--json', 'look', 'here')).toBe(
      "For the command write `tenon look here --json`, for the prompt `tenon --json 'look here'`.",
    );
    expect(next('-v', 'X', 'look')).toBe('For the command write `tenon look`, for the prompt `tenon talk -v X look`.');
  });
});
