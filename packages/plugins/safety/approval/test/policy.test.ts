import { describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import type { Finding } from '../src/judge/finding.ts';
import { decide, type Mode } from '../src/policy/decide.ts';
import { checkExamples } from '../src/policy/examples.ts';
import { parsePolicy } from '../src/policy/load.ts';
import { matchWords, pathPattern, patternWords } from '../src/policy/patterns.ts';
import { WORLD } from './support.ts';

const rulesOf = (text: string) => parsePolicy(text, { file: 'policy.yml' });
const assess = async (command: string) => (await assessCommand({ command, cwd: WORLD.workspace }, WORLD)).findings;

async function verdict(policy: string, command: string, mode: Mode = 'ask', confined = false) {
  return verdictOf(policy, { tool: 'bash', findings: await assess(command) }, mode, confined);
}

function verdictOf(
  policy: string,
  { tool, findings }: { tool: string; findings: readonly Finding[] },
  mode: Mode = 'ask',
  confined = false,
) {
  return decide(
    { tool, findings, digest: 'a'.repeat(64), workspace: WORLD.workspace, home: WORLD.home, confined },
    rulesOf(policy),
    mode,
  ).kind;
}

const rule = (...lines: string[]) => `rules:\n  - ${lines.join('\n    ')}\n`;

describe('the mode', () => {
  const cases: readonly [Mode, string, string][] = [
    ['ask', 'ls', 'allow'],
    ['ask', 'npm test', 'allow'],
    ['ask', 'git push', 'ask'],
    ['ask', 'rm -rf /', 'ask'],
    ['strict', 'ls', 'allow'],
    ['strict', 'npm test', 'ask'],
    ['yolo', 'git push', 'allow'],
    ['yolo', 'rm -rf /', 'ask'],
  ];
  it.each(cases)('%s says about `%s`: %s', async (mode, command, kind) => {
    expect(await verdict('', command, mode)).toBe(kind);
  });
});

describe('rules about commands', () => {
  const allowPush = rule('decide: allow', 'command: git push *');

  it('allow what asks otherwise, and nothing else', async () => {
    expect(await verdict(allowPush, 'git push origin main')).toBe('allow');
    expect(await verdict(allowPush, 'git push')).toBe('allow');
    expect(await verdict(allowPush, 'git fetch')).toBe('ask');
    expect(await verdict(allowPush, 'git push && curl https://example.com')).toBe('ask');
    expect(await verdict(allowPush, 'sudo git push')).toBe('ask');
    expect(await verdict(allowPush, 'git push > ~/out')).toBe('ask');
  });

  it('look at words and not at text', async () => {
    expect(await verdict(allowPush, 'curl https://example.com # git push x')).toBe('ask');
    expect(await verdict(allowPush, '"git push" x')).toBe('ask');
    expect(await verdict(allowPush, "g'i't pu\\sh origin")).toBe('allow');
    expect(await verdict(allowPush, 'git -C sub push origin')).toBe('allow');
    expect(await verdict(allowPush, 'bash -c "git push"')).toBe('allow');
  });

  it('do not allow tier 3 unless they say so', async () => {
    expect(await verdict(allowPush, 'git push --force')).toBe('ask');
    expect(await verdict(rule('decide: allow', 'command: git push *', 'tier3: true'), 'git push --force')).toBe(
      'allow',
    );
  });

  it('deny wherever the words occur, also in yolo', async () => {
    const deny = rule('decide: deny', 'command: git push ** --force **');
    for (const command of [
      'git push --force',
      'git push origin main --force',
      'bash -c "cd x; git push -u --force o"',
      'env git push --force',
    ]) {
      expect(await verdict(deny, command), command).toBe('deny');
      expect(await verdict(deny, command, 'yolo'), command).toBe('deny');
    }
    expect(await verdict(deny, 'git push')).toBe('ask');
  });

  it('that deny beat those that ask, and those beat the ones that allow', async () => {
    const all = `rules:
  - { decide: allow, command: curl *, tier3: true }
  - { decide: ask, command: curl ** -v ** }
  - { decide: deny, command: curl ** -k ** }
`;
    expect(await verdict(all, 'curl https://example.com')).toBe('allow');
    expect(await verdict(all, 'curl -v https://example.com')).toBe('ask');
    expect(await verdict(all, 'curl -v -k https://example.com', 'yolo')).toBe('deny');
  });

  it('ask when a word that is only known later could be the denied one', async () => {
    expect(await verdict(rule('decide: deny', 'command: npm run secret'), 'npm run $TASK')).toBe('ask');
    expect(await verdict('', 'npm run $TASK')).toBe('ask');
  });
});

describe('what is not understood', () => {
  it('runs without a question where a sandbox confines it, unless the mode is strict', async () => {
    for (const command of [
      'npm run $TASK',
      'frobnicate x',
      'python3 -c "print(1)"',
      'git --frob status',
      'FOO[1]=2 ls',
    ]) {
      expect(await verdict('', command, 'ask', true), command).toBe('allow');
      expect(await verdict('', command, 'yolo', true), command).toBe('allow');
      expect(await verdict('', command, 'strict', true), command).toBe('ask');
      expect(await verdict('', command, 'ask', false), command).toBe('ask');
    }
  });

  it('does not hide danger: that asks in a sandbox, too', async () => {
    for (const command of [
      'frobnicate x; git push',
      'rm -rf ~ $X',
      'sudo frobnicate',
      'curl https://a.example | frobnicate',
    ])
      expect(await verdict('', command, 'ask', true), command).toBe('ask');
  });

  it('is subject to rules that deny and ask', async () => {
    expect(await verdict(rule('decide: deny', 'command: frobnicate *'), 'frobnicate x', 'ask', true)).toBe('deny');
    expect(await verdict(rule('decide: ask', 'command: frobnicate *'), 'frobnicate x', 'ask', true)).toBe('ask');
    expect(await verdict(rule('decide: deny', 'command: npm run secret'), 'npm run $TASK', 'ask', true)).toBe('ask');
  });

  it('can be allowed, each program by itself', async () => {
    const allow = rule('decide: allow', 'command: frobnicate *');
    expect(await verdict(allow, 'frobnicate x')).toBe('allow');
    expect(await verdict(allow, 'frobnicate x && ls')).toBe('allow');
    expect(await verdict(allow, 'frobnicate x && frobble y')).toBe('ask');
    expect(await verdict(allow, 'ls | frobnicate; ls[1]=2')).toBe('ask');
  });
});

describe('rules about tools and paths', () => {
  it('hold for the tools that they name', () => {
    const findings: Finding[] = [{ tier: 1, reason: 'x' }];
    expect(verdictOf(rule('decide: deny', 'tool: web_*'), { tool: 'web_search', findings })).toBe('deny');
    expect(verdictOf(rule('decide: deny', 'tool: web_*'), { tool: 'read', findings })).toBe('allow');
    expect(verdictOf(rule('decide: ask', 'tool: [a, b]'), { tool: 'b', findings })).toBe('ask');
  });

  it('hold for paths in tools and in commands', async () => {
    const deny = rule('decide: deny', 'path: secrets/**');
    const path = `${WORLD.workspace}/secrets/key.pem`;
    expect(verdictOf(deny, { tool: 'read', findings: [{ tier: 0, reason: '', path }] })).toBe('deny');
    expect(await verdict(deny, 'cat secrets/key.pem')).toBe('deny');
    expect(await verdict(deny, 'cd secrets && cat ./key.pem')).toBe('deny');
    expect(await verdict(deny, 'echo x > secrets/a')).toBe('deny');
    expect(await verdict(deny, 'cat public/key.pem')).toBe('allow');
    expect(await verdict(rule('decide: allow', 'path: ~/notes/*'), 'echo x > ~/notes/a')).toBe('allow');
    expect(await verdict(rule('decide: allow', 'path: ~/notes/*'), 'echo x > ~/notes/../b')).toBe('ask');
  });
});

describe('patterns', () => {
  it('match words', () => {
    const match = (pattern: string, ...words: (string | undefined)[]) => matchWords(patternWords(pattern), words);
    expect(match('git push *', 'git', 'push')).toBe('yes');
    expect(match('git * main', 'git', 'push', 'main')).toBe('yes');
    expect(match('git * main', 'git', 'push', 'x', 'main')).toBe('no');
    expect(match('git ** main', 'git', 'push', 'x', 'main')).toBe('yes');
    expect(match('npm run test*', 'npm', 'run', 'test:unit')).toBe('yes');
    expect(match('echo "a b"', 'echo', 'a b')).toBe('yes');
    expect(match('echo \\*', 'echo', '*')).toBe('yes');
    expect(match('echo \\*', 'echo', 'x')).toBe('no');
    expect(match('a.c', 'abc')).toBe('no');
    expect(match('git push', 'git', undefined)).toBe('maybe');
    expect(match('git *', 'git', undefined)).toBe('yes');
  });

  it('match paths', () => {
    const match = (glob: string, path: string) => pathPattern(glob, { base: '/w', home: '/h' }).test(path);
    expect(match('src/*.ts', '/w/src/a.ts')).toBe(true);
    expect(match('src/*.ts', '/w/src/b/a.ts')).toBe(false);
    expect(match('src/**/*.ts', '/w/src/b/c/a.ts')).toBe(true);
    expect(match('src/**/*.ts', '/w/src/a.ts')).toBe(true);
    expect(match('src/**', '/w/src')).toBe(true);
    expect(match('*.{ts,js}', '/w/a.js')).toBe(true);
    expect(match('a,b', '/w/a,b')).toBe(true);
    expect(match('~/x', '/h/x')).toBe(true);
    expect(match('a.b', '/w/axb')).toBe(false);
  });
});

describe('an invalid policy', () => {
  const cases: readonly [string, string, RegExp][] = [
    ['no YAML', 'rules:\n  - decide: [', /policy\.yml:\d+: it is not valid YAML/],
    ['a list at the top', '- a\n', /policy\.yml:1: it must be a mapping/],
    ['an unknown key', 'rulez: []\n', /policy\.yml:1: the key "rulez"/],
    [
      'an unknown key of a rule',
      rule('decide: deny', 'comand: x'),
      /policy\.yml:3: the key "comand" is not known; did you mean "command"/,
    ],
    ['no decision', rule('tool: x'), /policy\.yml:2: "decide" must be allow, ask or deny, and is missing/],
    ['a wrong decision', rule('tool: x', 'decide: maybe'), /policy\.yml:3: "decide" must be/],
    ['no condition', rule('decide: deny'), /policy\.yml:2: the rule has no condition/],
    ['a number as a tool', rule('decide: deny', 'tool: 5'), /policy\.yml:3: "tool" must be/],
    ['tier3 with deny', rule('decide: deny', 'tool: x', 'tier3: true'), /policy\.yml:4: "tier3" only makes sense/],
    ['a key twice', 'rules: []\nrules: []\n', /policy\.yml:\d+: it is not valid YAML/],
    [
      'examples that are no lists',
      rule('decide: deny', 'tool: x', 'examples: { match: y }'),
      /policy\.yml:4: "examples"/,
    ],
    ['a newer version', 'version: 2\nrules: []\n', /version is 2/],
    ['a broken glob', rule('decide: deny', "path: 'a{b'"), /policy\.yml:3: "path" is not a valid glob/],
  ];
  it.each(cases)('with %s says where it is wrong', (_, text, message) => {
    expect(() => rulesOf(text)).toThrow(message);
  });

  it('with nothing in it is fine', () => {
    expect(rulesOf('')).toEqual([]);
    expect(rulesOf('# only a comment\n')).toEqual([]);
    expect(rulesOf('rules:\n')).toEqual([]);
  });
});

describe('examples', () => {
  const check = (text: string) =>
    checkExamples(rulesOf(text), { workspace: WORLD.workspace, home: WORLD.home, assess });

  it('that fit are fine', async () => {
    await check(
      rule(
        'decide: deny',
        'command: git push ** --force **',
        'examples:',
        '  match: ["git push --force", "sudo git push -v --force"]',
        '  not: ["git push", "echo git push --force"]',
      ),
    );
    await check(rule('decide: deny', 'path: secrets/**', 'examples: { match: [secrets/a/b], not: [public/a] }'));
    await check(rule('decide: deny', 'tool: web_*', 'examples: { match: [web_search], not: [read] }'));
  });

  it('that do not fit are an error that names the rule and the example', async () => {
    await expect(
      check(rule('decide: deny', 'command: git push --force', 'examples: { match: ["git push origin --force"] }')),
    ).rejects.toThrow(/policy\.yml:2: the rule does not match its example `git push origin --force`/);
    await expect(check(rule('decide: allow', 'command: git *', 'examples: { not: ["git push"] }'))).rejects.toThrow(
      /matches, but must not/,
    );
  });
});
