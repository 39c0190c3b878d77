/** What people have for other agents, in the built program: found, held back until the folder is trusted, and used. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE, claudeProject, hooks, marketPlugin, MARKS, spawnCounter } from './ecosystem-e2e/things.ts';
import { converse, type Outcome, type ScriptedCall } from '@tenon/test-kit/program-conversation';
import { ended } from '@tenon/test-kit/program';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';

/** Runs with servers and extensions take their time on a busy machine. */
const PATIENCE_MS = patientLimit(60_000);

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
  const { home } = workshop;
  for (const [name, text] of Object.entries(claudeProject(home.work))) home.put(`work/${name}`, text);
  forget();
  // The extension leaves a mark, too, and that is all it needs more than other extensions.
  const permissions = { fs: { read: ['./**'], write: ['./marks/**'] } };
  // Servers of trusted projects are believed, too, when they say that a tool only reads.
  const mcp = { readOnlyHints: 'all' };
  home.put('home/config/settings.yml', JSON.stringify({ 'pi-compat': { permissions }, mcp }));
}, PATIENCE_MS);
afterAll(() => workshop.close());

const path = (...parts: string[]) => join(workshop.home.folder, ...parts);
const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
/** What has run, each once. */
const ran = () => [...new Set(linesOf(path('work', MARKS)))].sort();
const forget = () => workshop.home.put(`work/${MARKS}`, '');

/** One answer of the model for each call; every result must be what the call expects. */
async function session(prompt: string, calls: readonly ScriptedCall[], env?: Record<string, string>): Promise<Outcome> {
  const steps = calls.map((call) => ({ say: 'Next.', calls: [call] }));
  const outcome = await converse(workshop, steps, { prompt, last: 'Done.', ...(env && { env }) });
  for (const [index, { tool, says, fails = false }] of calls.entries()) {
    const { text, isError } = outcome.results[index] ?? {};
    expect({ tool, isError, text }, outcome.err).toEqual({ tool, isError: fails, text: expect.stringMatching(says) });
  }
  return outcome;
}

/** What the model was sent in the newest requests, as text. */
const sent = (from: number) => JSON.stringify(workshop.model.requests.slice(from).map(({ body }) => body['messages']));

/** Loads the counter into the program, and gives the processes that it started. */
async function counting<T>(
  work: (env: Record<string, string>) => Promise<T>,
): Promise<readonly [T, readonly string[]]> {
  const [script, log] = [path('counter.cjs'), path('spawned')];
  workshop.home.put('counter.cjs', spawnCounter(log));
  rmSync(log, { force: true });
  return [await work({ NODE_OPTIONS: `--require=${script}` }), linesOf(log)];
}

interface Listed {
  readonly kind: string;
  readonly name: string;
  readonly family: string;
  readonly level: string;
  readonly file: string;
  readonly bundle?: string;
}

async function discovered(): Promise<readonly Listed[]> {
  const { code, out, err } = await workshop.tenon(['discover', '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { items, problems } = JSON.parse(out) as { items: Listed[]; problems: unknown[] };
  expect(problems).toEqual([]);
  return items;
}

describe('a project of Claude Code with an extension of pi', () => {
  it('is listed whole, with where each thing is from', async () => {
    const items = await discovered();
    const below = (file: string) => file.replace(`${workshop.home.work}/`, '');
    expect(
      items.map(({ kind, name, family, file }) => `${kind} ${below(name)} ${family} ${below(file)}`).sort(),
    ).toEqual([
      'agents reviewer claude .claude/agents/reviewer.md',
      'commands git:tidy claude .claude/commands/git/tidy.md',
      'commands review claude .claude/commands/review.md',
      'context-files CLAUDE.md claude CLAUDE.md',
      'extension-modules weather pi .pi/extensions/weather/index.ts',
      'external-hooks PreToolUse[0].0 claude .claude/settings.json',
      'external-hooks SessionStart[0].0 claude .claude/settings.json',
      'external-hooks UserPromptSubmit[0].0 claude .claude/settings.json',
      'foreign-settings .claude/settings.json claude .claude/settings.json',
      'mcp-servers stock claude .mcp.json',
      'skills pricing claude .claude/skills/pricing/SKILL.md',
    ]);
    expect(new Set(items.map(({ level }) => level))).toEqual(new Set(['project']));
  });
});

describe('in a folder that nobody trusts', () => {
  it('a session starts nothing of the project, and the model works without it', { timeout: PATIENCE_MS }, async () => {
    const [{ err }, spawned] = await counting(async (env) =>
      session(
        'Change the price of apples.',
        [
          { tool: 'read', input: { path: 'skill://pricing' }, says: /Round half up/ },
          { tool: 'mcp__stock__count', input: { of: 'apples' }, says: /no tool/, fails: true },
          { tool: 'weather', input: { city: 'Bonn' }, says: /no tool/, fails: true },
        ],
        env,
      ),
    );
    expect(ran()).toEqual([]);
    expect(spawned).toEqual([]);
    expect(err).toContain('tenon trust add');
  });

  it('hooks do not run for a command, and only the command does', { timeout: PATIENCE_MS }, async () => {
    const calls = [{ tool: 'bash', input: { command: 'echo publish' }, says: /publish/ }];
    const [, spawned] = await counting(async (env) => session('Go.', calls, env));
    expect(ran()).toEqual([]);
    expect(spawned.filter((line) => /guard\.sh|stock\.cjs|pi-host|marks/.test(line))).toEqual([]);
  });

  it.each([
    [['-p', '/review src/cart.ts total', '--model', 'fake/m']],
    [['mcp', 'test', 'stock']],
    [['extension', 'check', 'weather']],
    [['mcp', 'list', '--check']],
    [['hooks', 'test', 'PreToolUse']],
    [['commands', 'list']],
  ])('%j starts nothing either, and says what to do', async (words) => {
    const asked = workshop.model.requests.length;
    const [{ out, err }, spawned] = await counting((env) => workshop.tenon(words, env));
    expect(out + err).toContain('tenon trust add');
    expect({ spawned, ran: ran() }).toEqual({ spawned: [], ran: [] });
    expect(workshop.model.requests).toHaveLength(asked);
  });
});

describe('in a trusted folder of a project that nobody trusts', () => {
  it('what lies above the folder does not run', { timeout: PATIENCE_MS }, async () => {
    const cwd = path('work', 'src');
    const inFolder = (words: string[], env?: Record<string, string>) => {
      const child = workshop.home.start(words, { cwd, env: workshop.home.environment(env) });
      child.stdin?.end();
      return ended(child);
    };
    workshop.home.put(`work/src/${MARKS}`, '');
    expect(await inFolder(['trust', 'add'])).toMatchObject({ code: 0 });
    const review = await inFolder(['-p', '/review cart.ts total', '--model', 'fake/m']);
    expect(review).toMatchObject({ code: 1, err: expect.stringContaining(`tenon trust add ${workshop.home.work}`) });
    // What the folder itself brings does run, so that it is not the whole session that is held back.
    workshop.home.put('work/src/.claude/settings.json', hooks({ Stop: { command: `echo own >> ${MARKS}` } }));
    expect(await inFolder(['trust', 'add'])).toMatchObject({ code: 0 });
    forget();
    for (const [words, own] of [
      [['-p', 'Say hello.', '--model', 'fake/m'], ['own']],
      [['mcp', 'list', '--check'], []],
      [['mcp', 'test', 'stock'], []],
      [['hooks', 'test', 'UserPromptSubmit'], []],
      [['hooks', 'list'], []],
    ] as const) {
      workshop.home.put(`work/src/${MARKS}`, '');
      if (words[0] === '-p') workshop.model.reply({ content: [{ type: 'text', text: 'Hello.' }] });
      const [{ out, err }, spawned] = await counting((env) => inFolder([...words], env));
      expect({ words, said: out + err }).toEqual({
        words,
        said: expect.stringContaining(`tenon trust add ${workshop.home.work}`),
      });
      expect({ words, ran: ran(), own: linesOf(join(cwd, MARKS)) }).toEqual({ words, ran: [], own });
      expect(spawned.filter((line) => /guard\.sh|stock\.cjs|hook:|pi-host/.test(line))).toEqual([]);
    }
    rmSync(path('work', 'src', '.claude'), { recursive: true });
    await inFolder(['trust', 'remove']);
  });
});

describe('after `tenon trust add`', () => {
  beforeAll(async () => {
    forget();
    expect(await workshop.tenon(['trust', 'add'])).toMatchObject({ code: 0, err: '' });
    // Asked once, its tools are known from then on, however slow this machine is.
    const tested = await workshop.tenon(['mcp', 'test', 'stock']);
    expect(tested).toMatchObject({ code: 0, out: expect.stringContaining('count') });
  }, PATIENCE_MS);

  it.each([
    [['mcp', 'test', 'stock'], 'stock.cjs'],
    [['hooks', 'test', 'PreToolUse'], 'guard.sh'],
    [['extension', 'check', 'weather'], 'pi-host'],
  ])('%j starts a process, and the counter sees it', async (words, program) => {
    const [{ code }, spawned] = await counting((env) => workshop.tenon(words, env));
    expect({ code, spawned: spawned.join('\n') }).toEqual({ code: 0, spawned: expect.stringContaining(program) });
  });

  it(
    'a session uses a skill, a hook that blocks, an MCP tool and a tool of an extension',
    { timeout: PATIENCE_MS },
    async () => {
      forget();
      const before = workshop.model.requests.length;
      const outcome = await session('Change the price of apples.', [
        { tool: 'read', input: { path: 'skill://pricing' }, says: /Round half up/ },
        { tool: 'read', input: { path: 'skill://pricing/table.md' }, says: /apple 200/ },
        { tool: 'bash', input: { command: 'echo publish' }, says: /Nothing is published on a Friday\./, fails: true },
        { tool: 'bash', input: { command: 'echo fine' }, says: /^fine/ },
        { tool: 'mcp__stock__count', input: { of: 'apples' }, says: /^There are 12 of apples$/ },
        { tool: 'weather', input: { city: 'Bonn' }, says: /^It rains in Bonn$/ },
      ]);
      // The model coped, so that a script goes on; a person reads what was refused, and why.
      expect({ code: outcome.code, err: outcome.err }).toEqual({
        code: 0,
        err: expect.stringContaining('refused by external-hooks: Nothing is published on a Friday.'),
      });
      expect(ran()).toEqual(['extension', 'hook:guard', 'hook:prompt', 'hook:start', 'mcp:stock']);
      const [first] = workshop.model.requests.slice(before);
      const prompt = JSON.stringify(first?.body['messages']);
      expect(prompt).toContain('Prices are whole cents.');
      expect(prompt).toContain('Sentences are short here.');
      expect(prompt).toContain('How prices are changed.');
      const offered = (first?.body['tools'] ?? []) as { function: { name: string } }[];
      const names = offered.map((tool) => tool.function.name);
      expect(names).toEqual(expect.arrayContaining(['mcp__stock__count', 'weather']));
      // The model reads the reason that the hook gave.
      expect(sent(-1)).toContain('Nothing is published on a Friday.');
    },
  );

  it('a command of the project is filled in: arguments, and the output of its `!` line', async () => {
    forget();
    const before = workshop.model.requests.length;
    await session('/review src/cart.ts "the total"', []);
    const messages = sent(before);
    // The last line is what the `!` line printed.
    const text = 'Review src/cart.ts with an eye on the total. All: src/cart.ts "the total".\n\n2';
    expect(messages).toContain(JSON.stringify(text));
    expect(ran()).toContain('command');
  });
});

describe('a marketplace from a git repository on this machine', () => {
  const git = (folder: string, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: path(folder),
      env: workshop.home.environment(),
      encoding: 'utf8',
    });
  const publish = (version: string, more?: Parameters<typeof marketPlugin>[1]['more']) => {
    const files = marketPlugin(workshop.home.work, { version, ...(more && { more }) });
    for (const [name, text] of Object.entries(files)) workshop.home.put(`market/plugins/helper/${name}`, text);
    git('market', 'add', '.');
    git('market', 'commit', '--quiet', `--message=${version}`);
    git('market', 'push', '--quiet', path('market.git'), 'HEAD:main');
  };

  beforeAll(() => {
    workshop.home.put('market/.claude-plugin/marketplace.json', CATALOGUE);
    git('market', 'init', '--quiet', '--initial-branch=main');
    git('.', 'init', '--quiet', '--bare', '--initial-branch=main', 'market.git');
    publish('1.0.0');
  });

  it('gives a plugin, after its powers were accepted and not before', { timeout: PATIENCE_MS }, async () => {
    const added = await workshop.tenon(['marketplace', 'add', path('market.git')]);
    expect(added).toMatchObject({ code: 0, err: '', out: expect.stringContaining('"acme"') });
    expect(await workshop.tenon(['plugin', 'install', 'helper@acme', '--yes'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/hooks\/guard\.sh[\s\S]*server "notes" runs/),
      err: expect.stringContaining('--accept-permissions'),
    });
    expect((await discovered()).filter(({ family }) => family === 'marketplace')).toEqual([]);
    expect(await workshop.tenon(['plugin', 'install', 'helper@acme', '--accept-permissions'])).toMatchObject({
      code: 0,
    });
    const items = (await discovered()).filter(({ family }) => family === 'marketplace');
    expect(items.map(({ kind, name, level }) => `${kind} ${name} ${level}`).sort()).toEqual([
      'bundles helper@acme user',
      'commands helper:greet user',
      'external-hooks PreToolUse[0].0 user',
      'mcp-servers notes user',
      'skills release user',
    ]);
  });

  it('whose skill, command, hook and MCP server work', { timeout: PATIENCE_MS }, async () => {
    expect(await workshop.tenon(['mcp', 'test', 'notes'])).toMatchObject({ code: 0 });
    for (const words of [
      ['mcp', 'list'],
      ['hooks', 'list'],
    ])
      expect(await workshop.tenon(words)).toMatchObject({ code: 0, out: expect.stringMatching(/plugin helper$/m) });
    forget();
    const before = workshop.model.requests.length;
    await session('/helper:greet Ada', [
      { tool: 'read', input: { path: 'skill://release' }, says: /Tag it first \(1\.0\.0\)/ },
      { tool: 'bash', input: { command: 'echo deploy' }, says: /The helper deploys nothing by hand\./, fails: true },
      { tool: 'mcp__notes__note', input: { of: 'apples' }, says: /^A note about apples$/ },
    ]);
    expect(sent(before)).toContain('Say hello to Ada.');
    expect(sent(before)).toContain('hello from Ada');
    expect(ran()).toEqual(expect.arrayContaining(['hook:plugin', 'mcp:notes', 'plugin:command']));
  });

  it('and whose upgrade asks again when it wants to run more', { timeout: PATIENCE_MS }, async () => {
    const command = `echo plugin:new >> ${path('work', MARKS)}`;
    publish('1.1.0', { UserPromptSubmit: { command } });
    expect(await workshop.tenon(['marketplace', 'update'])).toMatchObject({ code: 0 });
    expect(await workshop.tenon(['plugin', 'outdated'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('helper@acme 1.0.0 -> '),
    });
    for (const flags of [[], ['--yes']])
      expect(await workshop.tenon(['plugin', 'upgrade', 'helper@acme', ...flags])).toMatchObject({
        code: 1,
        out: expect.stringMatching(/\+ .*UserPromptSubmit.*echo plugin:new/),
        err: expect.stringContaining('--accept-permissions'),
      });
    forget();
    const release = (version: string) => [
      { tool: 'read', input: { path: 'skill://release' }, says: new RegExp(`first \\(${version}\\)`) },
    ];
    await session('Release it.', release('1.0.0'));
    expect(ran()).not.toContain('plugin:new');

    const upgrade = ['plugin', 'upgrade', 'helper@acme', '--accept-permissions'];
    expect(await workshop.tenon(upgrade)).toMatchObject({ code: 0 });
    await session('Release it.', release('1.1.0'));
    expect(ran()).toContain('plugin:new');
    expect(await workshop.tenon(['plugin', 'outdated'])).toMatchObject({ code: 0 });
  });
});
