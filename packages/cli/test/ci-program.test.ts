/** The GitHub Action, the hooks for pre-commit and the examples of both, run as GitHub and pre-commit would run them, without a network. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from '@tenon/test-kit/plugins';
import { ended } from '@tenon/test-kit/program';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

interface Job {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly with?: Record<string, string> }[] }>
  >;
}

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly language: string;
  readonly args?: readonly string[];
}

const ACTION = inCheckout('integrations', 'github-action');
const read = <T>(...path: string[]) => parse(readFileSync(inCheckout(...path), 'utf8')) as T;
const action = read<ActionFile>('integrations', 'github-action', 'action.yml');
const hooks = read<readonly Hook[]>('.pre-commit-hooks.yaml');

let shop: Workshop;
let runs = 0;
beforeAll(async () => {
  shop = await openWorkshop();
});
afterAll(() => shop.close());

/** Runs the step of the action with these inputs; gives its outputs, the summary and the exit code. */
async function step(inputs: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) {
  // The steps of a job have one folder.
  const temp = join(shop.home.folder, `runner-${more['SAME_TEMP'] === 'yes' ? runs : ++runs}`);
  mkdirSync(temp, { recursive: true });
  const [only] = action.runs.steps;
  if (!only) throw new Error('the action has no step');
  const values = Object.entries(only.env).map(([name, value]) => {
    const [, input = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value) ?? [];
    return [name, inputs[input] ?? action.inputs[input]?.default ?? ''];
  });
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_STEP_SUMMARY: join(temp, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const env = shop.home.environment({
    ...(Object.fromEntries(values) as Record<string, string>),
    ...files,
    // Nothing of the workshop: a runner is new.
    TENON_HOME: join(temp, 'tenon'),
    ...more,
    RUNNER_TEMP: temp,
    GITHUB_ACTION_PATH: ACTION,
    INPUT_TENON: join(shop.home.folder, 'bin', 'tenon'),
  });
  const child = spawn('bash', ['-c', only.run], { cwd: shop.home.work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { code, out, err } = await ended(child);
  const written = readFileSync(files.GITHUB_OUTPUT, 'utf8');
  const outputs = new Map<string, string>();
  for (const [, name = '', , value = ''] of written.matchAll(/^([\w-]+)<<(tenon-[0-9a-f-]+)\n([\s\S]*?)\n\2$/gm))
    outputs.set(name, value);
  return { code, out, err, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

/** The values that an example gives to the action; a policy stands where the workflow has it. */
function exampleInputs(file: string): Record<string, string> {
  const { jobs } = read<Job>('examples', 'ci', file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const used = steps.find(({ uses }) => uses?.includes('/integrations/github-action@'));
  const inputs = used?.with ?? {};
  for (const name of Object.keys(inputs)) expect(Object.keys(action.inputs)).toContain(name);
  const { policy = '' } = inputs;
  mkdirSync(join(shop.home.work, '.github'), { recursive: true });
  copyFileSync(inCheckout('examples', 'ci', 'tenon-policy.yml'), join(shop.home.work, policy));
  return inputs;
}

describe('the action', () => {
  it('runs the example without a key, with its policy, and gives the answer as outputs and as the summary', async () => {
    // The program that the action uses unless it is told another.
    expect(existsSync(join(ACTION, '../../tenon'))).toBe(true);
    const { code, err, outputs, summary } = await step(exampleInputs('todo.yml'));
    expect(code, err).toBe(0);
    expect(outputs.get('result')).toContain('src/prices.ts');
    expect(summary).toContain('src/prices.ts');
    expect(Object.fromEntries(outputs)).toMatchObject({ 'exit-code': '0', offline: 'true' });
    expect([...outputs.keys()].sort()).toEqual(Object.keys(action.outputs).sort());
    expect(JSON.parse(readFileSync(outputs.get('file') ?? '', 'utf8'))).toMatchObject({ type: 'result' });
  });

  it('keeps to the policy, pipes the input, and cannot be led to other outputs by an answer', async () => {
    const change = join(shop.home.folder, 'change.diff');
    writeFileSync(change, 'diff --git a/x b/x\n+const evil = "$(touch pwned)";\n');
    // The policy and the models of the user stand in one folder here: the one of the workshop.
    const home = { TENON_HOME: join(shop.home.folder, 'home') };
    const evil = 'Fine.\nEOF\noffline<<EOF\nno\nEOF\n$(touch pwned)';
    shop.model.reply(
      { content: [{ type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'git push origin main' } }] },
      { content: [{ type: 'text', text: evil }] },
    );
    const inputs = {
      ...exampleInputs('review.yml'),
      ...{ input: change, model: 'fake/m', sandbox: 'full', 'max-budget-usd': '', prompt: 'Review; `touch pwned`' },
    };
    const { outputs } = await step(inputs, home);
    const messages = JSON.stringify(shop.model.requests.at(-1)?.body['messages']);
    expect(messages).toContain('CI does not push');
    expect(messages).toContain('const evil');
    expect(outputs.get('result')).toBe(evil);
    expect(outputs.get('offline')).toBe('false');
    expect(existsSync(join(shop.home.work, 'pwned'))).toBe(false);
  });

  it('lets no line of an answer be a command of the runner, and no control character reach its log', async () => {
    const own = join(shop.home.folder, 'home', 'config', 'policy.yml');
    const evil = 'Fine.\n::add-mask::Fine\n::error file=x::y\n\u001b[2J\u202eabc';
    shop.model.reply({ content: [{ type: 'text', text: evil }] });
    mkdirSync(join(own, '..'), { recursive: true });
    writeFileSync(own, 'rules: []\n');
    const policy = join(shop.home.folder, 'step-policy.yml');
    writeFileSync(policy, 'rules: [{ decide: deny, command: git push ** }]\n');
    const inputs = { prompt: 'Look', model: 'fake/m', sandbox: 'full', policy };
    const runner = { GITHUB_ACTIONS: 'true', TENON_HOME: join(shop.home.folder, 'home') };
    const first = await step(inputs, runner);
    expect(first.code, first.err).toBe(0);
    const [start = '', ...lines] = first.out.trimEnd().split('\n');
    const [, mark] = /^::stop-commands::([\w-]{20,})$/.exec(start) ?? [];
    expect(lines).toEqual(['Fine.', '::add-mask::Fine', '::error file=x::y', '[2Jabc', '', `::${mark}::`]);
    expect(first.outputs.get('result')).toBe(evil);
    // What the step was given ends with it.
    expect(readFileSync(own, 'utf8')).toBe('rules: []\n');
    shop.model.reply({ content: [{ type: 'text', text: 'Other.' }] });
    const second = await step(inputs, { ...runner, SAME_TEMP: 'yes' });
    const result = (file = '') => (JSON.parse(readFileSync(file, 'utf8')) as { result: string }).result;
    expect([first, second].map(({ outputs }) => result(outputs.get('file')))).toEqual([evil, 'Other.']);
    expect((await step({ ...inputs, policy: '/nowhere.yml' }, runner)).code).not.toBe(0);
    expect(readFileSync(own, 'utf8')).toBe('rules: []\n');
  });

  it('says when a prompt needs a model; whether that fails the job is a choice; a wrong policy always does', async () => {
    const inputs = { prompt: 'write a poem about carts', sandbox: 'full' };
    expect(await step(inputs)).toMatchObject({ code: 3 });
    const { code, outputs } = await step({ ...inputs, 'require-model': 'false' });
    expect([code, outputs.get('exit-code')]).toEqual([0, '3']);
    writeFileSync(join(shop.home.work, 'wrong.yml'), 'rules: [{ decide: maybe }]\n');
    const wrong = await step({ ...inputs, policy: 'wrong.yml', 'require-model': 'false' });
    expect(wrong.code).not.toBe(0);
    expect(wrong.err).toContain('wrong.yml');
  });
});

describe('the hooks for pre-commit', () => {
  const entry = (id: string) => inCheckout(hooks.find((hook) => hook.id === id)?.entry ?? '');
  const args = (id: string) => {
    const { repos } = read<{ repos: readonly { hooks: readonly Hook[] }[] }>(
      'examples',
      'ci',
      '.pre-commit-config.yaml',
    );
    return repos.flatMap((repo) => repo.hooks).find((hook) => hook.id === id)?.args ?? [];
  };
  const commit = (message: string, env: Record<string, string> = {}) =>
    ended(
      spawn(
        'git',
        ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', `--message=${message}`],
        {
          cwd: shop.home.work,
          env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false', ...env }),
        },
      ),
    );
  const install = (words: readonly string[]) => {
    const file = join(shop.home.work, '.git/hooks/pre-commit');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}\n`);
    chmodSync(file, 0o755);
  };
  const stage = (text: string) => {
    writeFileSync(join(shop.home.work, 'src/new.ts'), text);
    shop.git('add', 'src/new.ts');
  };

  it('are written in the format of pre-commit, and their scripts can be run', () => {
    for (const hook of hooks) {
      expect(hook).toMatchObject({ id: expect.any(String), name: expect.any(String), language: 'script' });
      expect(spawnSync('bash', ['-n', inCheckout(hook.entry)]).status).toBe(0);
      execFileSync('test', ['-x', inCheckout(hook.entry)]);
    }
    for (const id of ['tenon-review', 'tenon-prompt']) expect(existsSync(entry(id))).toBe(true);
  });

  it('review: a verdict stops the commit or lets it pass; without a model the commit passes with a word', async () => {
    install([entry('tenon-review'), '--model', 'fake/m']);
    stage('export const key = "abc";\n');
    const finding = { file: 'src/new.ts', line: 1, text: 'a key\u001b[2J in the code' };
    shop.model.reply({ content: [{ type: 'text', text: JSON.stringify({ verdict: 'fail', findings: [finding] }) }] });
    const stopped = await commit('bad');
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain('src/new.ts:1: a key[2J in the code');
    expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages'])).toContain('export const key');
    shop.model.reply({ content: [{ type: 'text', text: '{"verdict":"pass","findings":[]}' }] });
    expect((await commit('good')).code).toBe(0);
    // Files of other encodings are text, too.
    writeFileSync(join(shop.home.work, 'src/new.ts'), Buffer.from('// caf\u00e9 and tea\n', 'latin1'));
    shop.git('add', 'src/new.ts');
    shop.model.reply({ content: [{ type: 'text', text: '{"verdict":"pass","findings":[]}' }] });
    const latin = await commit('latin');
    expect(latin.code, latin.err).toBe(0);
    expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages'])).toContain('// caf\ufffd and tea');
    // What is too large for a prompt is left out, and named.
    writeFileSync(join(shop.home.work, 'lock with blanks.json'), '"package",\n'.repeat(60_000));
    stage('export const small = 1;\n');
    shop.git('add', '.');
    shop.model.reply({ content: [{ type: 'text', text: '{"verdict":"pass","findings":[]}' }] });
    const large = await commit('large');
    expect([large.code, large.err]).toEqual([0, expect.stringContaining('too large: lock with blanks.json\n')]);
    expect(JSON.stringify(shop.model.requests.at(-1)?.body['messages'])).toMatch(/left out: \d+ bytes.*const small/);
    install([entry('tenon-review')]);
    // Nobody reads it to its end then.
    stage('export const other = 1;\n'.repeat(12_000));
    const passed = await commit('unseen', { TENON_HOME: join(shop.home.folder, 'empty-home') });
    expect([passed.code, passed.err]).toEqual([0, expect.stringContaining('no language model is set up')]);
    expect(passed.err).not.toContain('EPIPE');
  });

  it.skipIf(spawnSync('pre-commit', ['--version']).status !== 0)(
    'run by pre-commit itself, from a repository of their own',
    async () => {
      const folder = join(shop.home.folder, 'hooks');
      mkdirSync(folder);
      cpSync(inCheckout('integrations'), join(folder, 'integrations'), { recursive: true });
      copyFileSync(inCheckout('.pre-commit-hooks.yaml'), join(folder, '.pre-commit-hooks.yaml'));
      const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).trim();
      git('init', '--quiet');
      git('add', '.');
      git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message=Hooks');
      const use = { id: 'tenon-review', args: ['--model', 'fake/m'] };
      const config = { repos: [{ repo: folder, rev: git('rev-parse', 'HEAD'), hooks: [use] }] };
      writeFileSync(join(shop.home.work, '.pre-commit-config.yaml'), JSON.stringify(config));
      shop.git('add', '.pre-commit-config.yaml');
      shop.model.reply({ content: [{ type: 'text', text: '{"verdict":"fail","findings":[]}' }] });
      const env = shop.home.environment({ PRE_COMMIT_HOME: join(shop.home.folder, 'pre-commit') });
      const run = await ended(spawn('pre-commit', ['run', 'tenon-review'], { cwd: shop.home.work, env }));
      expect(run.code, run.out).toBe(1);
      expect(run.out).toContain('Tenon stops this commit');
      shop.git('rm', '--quiet', '--cached', '-f', '.pre-commit-config.yaml');
    },
  );

  it('prompt: what a model says cannot steer the terminal, and stops the commit when it holds a text', async () => {
    stage('export const steered = 1;\n');
    install([entry('tenon-prompt'), '--fail-on', 'BAD', 'judge']);
    shop.model.reply({ content: [{ type: 'text', text: 'BAD\u001b]0;title\u0007 code' }] });
    const { code, out, err } = await commit('steered', { TENON_MODEL: 'fake/m' });
    expect(code, err).toBe(1);
    expect(`${out}${err}`).toContain('BAD]0;title code');
    expect(`${out}${err}`).not.toContain('\u001b]');
  });

  it('prompt: the example stops a commit by what the offline model finds', async () => {
    install([entry('tenon-prompt'), ...args('tenon-prompt')]);
    const offline = { TENON_HOME: join(shop.home.folder, 'empty-home'), TENON_SET: 'sandbox.profile=full' };
    // The file that configures the hook names what the hook looks for, and must not stop the commit itself.
    copyFileSync(
      inCheckout('examples', 'ci', '.pre-commit-config.yaml'),
      join(shop.home.work, '.pre-commit-config.yaml'),
    );
    writeFileSync(join(shop.home.work, 'src/cart.ts'), '// FIXME: rounding\n');
    stage('export const third = 1;\n');
    const stopped = await commit('third', offline);
    expect(stopped.code, stopped.err).toBe(1);
    writeFileSync(join(shop.home.work, 'src/cart.ts'), '// rounded\n');
    const passed = await commit('third', offline);
    expect(passed.code, `${passed.out}${passed.err}`).toBe(0);
  });
});
