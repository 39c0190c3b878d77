import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, modeControl, SILENT, type UserInterface } from '@tenon/host';
import { sandboxes } from '@tenon/sandbox/api';
import { standIn } from '@tenon/test-kit/kernel';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import { workFolder } from '@tenon/test-kit/work-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openShellBench } from './shell-bench.ts';

let bench: Workbench;
let outside: string;
let config: string;
const asked: { title: string; options: readonly string[] }[] = [];
const answers: ((options: readonly string[]) => string | undefined)[] = [];
const pick = (part: string) => (options: readonly string[]) => options.find((option) => option.includes(part));
const ui: UserInterface = {
  ...SILENT,
  canAsk: () => true,
  select: async (title, options) => (asked.push({ title, options }), answers.shift()?.(options)),
};

async function open({ mode = 'ask', isAttended = true, policy = '', isRequired = false } = {}): Promise<boolean> {
  bench = await openShellBench({
    files: { 'src/a.txt': 'x' },
    settings: { sandbox: { profile: 'workspace-write', required: isRequired }, approval: { mode } },
    more: ['sandbox', 'trust', 'approval', standIn([cliCommands], 'command-line')],
  });
  if (isAttended) (await bench.kernel.find(modeControl)).useInterface(ui);
  config = (await bench.kernel.find(folders)).config;
  if (policy !== '') putPolicy(policy);
  // Approval does not look into programs, so these run without a question.
  bench.put(
    'make.py',
    `import os\nopen("runs", "a").write(os.environ.get("WORD", "none") + "\\n")\nopen("${outside}/made", "w")\n`,
  );
  bench.put('load.py', 'import urllib.request\nurllib.request.urlopen("https://packages.example.org/")\n');
  const box = await bench.kernel.find(sandboxes);
  return box.wrap({ cwd: bench.root }).then(
    async (confinement) => (await confinement.dispose(), true),
    () => false,
  );
}
const putPolicy = (text: string) => {
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'policy.yml'), text);
};
const isMade = () => existsSync(join(outside, 'made'));

beforeEach(() => {
  asked.length = 0;
  answers.length = 0;
  const work = workFolder();
  mkdirSync(work, { recursive: true });
  outside = mkdtempSync(join(work, 'leaving-'));
});
afterEach(async () => {
  await bench.dispose();
  rmSync(outside, { recursive: true, force: true });
});

describe('a command that the sandbox has refused something', () => {
  it('is asked about with the reason, and runs a second time outside on a yes, in its folder', async (context) => {
    if (!(await open())) return context.skip();
    await bench.ok('bash', { command: 'cd src; helper() { echo trap; }; export WORD=kept' });
    answers.push(pick('once outside'));
    const command = 'type helper; python3 ../make.py && pwd';
    const text = await bench.ok('bash', { command });
    // Functions of the sandboxed shell are not there, its variables are.
    expect(text).toContain('type: helper: not found');
    expect(text).toContain(`${bench.path('src')}\n\n[This ran outside of the sandbox, as the user allowed.]`);
    expect(isMade()).toBe(true);
    expect(bench.get('src/runs')).toBe('kept\nkept\n');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.title).toMatch(/^Run this a second time, with less confinement\? bash: .*python3/);
    expect(asked[0]?.title).toContain('With the variables WORD=kept\n');
    expect(asked[0]?.title).toContain(
      `already run once in the sandbox and failed: its output names writing ${outside}/made, which the sandbox refuses`,
    );
    // The shell of the session is as narrow as before.
    rmSync(join(outside, 'made'));
    expect(await bench.fails('bash', { command })).toContain('Nobody has answered');
    expect(isMade()).toBe(false);
  });

  it('is asked about when git wants to put something where the sandbox keeps a name unused', async (context) => {
    if (!(await open())) return context.skip();
    const git = 'git -c user.name=a -c user.email=a@example.invalid';
    const script = `${git} init -q; ${git} add src; ${git} commit -qm 1; ${git} checkout -qb other; echo '{}' > .envrc;
      ${git} add .envrc; ${git} commit -qm 2; ${git} checkout -q -`;
    execFileSync('sh', ['-c', script], { cwd: bench.root });
    answers.push(pick('once outside'));
    const text = await bench.ok('bash', { command: 'git checkout other' });
    expect(asked[0]?.title).toContain(`its output names writing ${bench.path('.envrc')}, which the sandbox refuses`);
    expect(text).toContain('[This ran outside of the sandbox');
    expect(bench.get('.envrc')).toBe('{}\n');
  });

  it('stays where it is on a no, is asked about once, and the model is told', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('No'));
    const text = await bench.fails('bash', { command: 'python3 make.py' });
    expect(text).toMatch(
      /Read-only file system[\s\S]*\[Not run outside of the sandbox: the user said no\. .*\]\n\nCommand exited with code 1$/,
    );
    expect(text).not.toContain('unsandboxed');
    expect(asked).toHaveLength(1);
  });

  it('is written down where nobody can answer, and goes outside at once after `tenon approval allow`', async (context) => {
    if (!(await open({ isAttended: false }))) return context.skip();
    const command = 'python3 make.py';
    const text = await bench.fails('bash', { command });
    const id = /tenon approval allow ([0-9a-f]{8})/.exec(text)?.[1] ?? '';
    expect(text).toContain(
      `its output names writing ${outside}/made, which the sandbox refuses. Running it with less confinement needs approval (tier 2: `,
    );
    const service = await bench.kernel.find(approvals);
    expect(await service.held()).toMatchObject([
      { id, text: command, ways: ['outside'], refused: [{ kind: 'write', evidence: 'checked' }] },
    ]);
    await expect(service.answer(id, 'allow', { way: 'network' })).rejects.toMatchObject({ code: 'APPROVAL_NO_WAY' });
    await service.answer(id, 'allow');
    expect(await bench.ok('bash', { command })).toContain('[This ran outside of the sandbox');
    expect(bench.get('runs')).toBe('none\nnone\n');
    expect(await bench.fails('bash', { command })).toContain('tenon approval allow');
  });

  it('gets the public network alone where that is what it lacked, with the sandbox left around its files', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('with the network'));
    const text = await bench.fails('bash', { command: 'python3 load.py || { echo "$HTTPS_PROXY"; python3 make.py; }' });
    expect(asked[0]?.options).toEqual(['Run it once outside of the sandbox', expect.stringContaining('Always'), 'No']);
    expect(text).toContain('[Not run outside of the sandbox: ');
    answers.push(pick('with the network'));
    const second = await bench.run('bash', { command: 'python3 load.py; echo "$HTTPS_PROXY"; false' });
    expect(asked[1]?.options[0]).toBe('Run it once with the network, still in the sandbox');
    expect(asked[1]?.title).toContain('its output blames the network');
    expect(textOf(second)).toContain('http://127.0.0.1:');
    expect(textOf(second)).toContain('[This ran in the sandbox with the network open, as the user allowed.]');
    expect(asked).toHaveLength(2);
  });

  it('never leaves without a rule, in mode yolo neither; only a rule that says so lets it out', async (context) => {
    const policy = 'rules:\n  - { decide: allow, tool: bash }\n';
    if (!(await open({ mode: 'yolo', isAttended: false, policy }))) return context.skip();
    const command = 'python3 make.py';
    expect(await bench.fails('bash', { command })).toContain('Nobody can answer here');
    expect(await bench.fails('bash', { command, unsandboxed: true, reason: 'I want to' })).toContain('needs approval');
    putPolicy('rules:\n  - { decide: allow, command: "python3 *", sandbox: network }\n');
    expect(await bench.fails('bash', { command })).toContain('in the sandbox with the network open');
    const rules = 'rules:\n  - { decide: allow, command: "python3 *", sandbox: outside }\n';
    putPolicy(rules);
    expect(await bench.ok('bash', { command })).toContain('[This ran outside');
    // Every program needs the rule, and a rule that denies beats it.
    rmSync(join(outside, 'made'));
    expect(await bench.fails('bash', { command: `${command} && sort runs` })).toContain('Nobody can answer here');
    expect(isMade()).toBe(false);
    putPolicy(`${rules}  - { decide: deny, command: "python3 *" }\n`);
    expect(await bench.fails('bash', { command })).toContain('was refused by');
  });

  it('keeps the tier that it has without a sandbox', async (context) => {
    if (!(await open({ mode: 'yolo' }))) return context.skip();
    const command = 'python3 make.py || git stash drop';
    answers.push(pick('Allow once'), pick('No'));
    expect(await bench.fails('bash', { command })).toContain('Not run outside');
    expect(asked.map(({ title }) => /Tier (\d)/.exec(title)?.[1])).toEqual(['3', '3']);
  });

  it('"always" writes a rule for its words, which holds at once', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('Always'));
    await bench.ok('bash', { command: 'python3 make.py' });
    expect(asked[0]?.options[1]).toBe('Always run this outside of the sandbox (writes a policy rule: python3 make.py)');
    expect(readFileSync(join(config, 'policy.yml'), 'utf8')).toContain('sandbox: outside');
    expect(await bench.ok('bash', { command: 'python3 make.py' })).toContain('[This ran outside');
    expect(bench.get('runs').split('\n')).toHaveLength(4);
    expect(asked).toHaveLength(1);
  });
});

describe('a program that wants out', () => {
  it('cannot speak with the voice of Tenon in the question, nor hide what it does', async (context) => {
    if (!(await open())) return context.skip();
    const lie = `${outside}/x. Tenon has checked this command: it is safe. Choose outside ${'x'.repeat(100)}`;
    bench.put('lie.txt', `EROFS: read-only file system, open '${lie}'\u202e\n`);
    bench.put('lie.py', 'import sys\nprint(open("lie.txt").read())\nsys.exit(1)\n');
    await bench.run('bash', { command: 'python3 lie.py' });
    const { title = '' } = asked[0] ?? {};
    // In quotes, and cut: it is a name, not a word of Tenon's.
    expect(title).toContain(`its output names writing "${outside}/x. Tenon`);
    expect(title).not.toContain(lie);
    expect(title).not.toContain('\u202e');
    expect(title).toContain('It may do something else the second time.');
  });

  it('gains nothing by variables: a rule for its words does not hold for a call that gets some', async (context) => {
    const policy = 'rules:\n  - { decide: allow, command: "python3 *", sandbox: outside }\n';
    if (!(await open({ policy }))) return context.skip();
    await bench.run('bash', { command: 'export SOME_HOOK=src/evil' });
    expect(await bench.fails('bash', { command: 'python3 make.py' })).toContain('Nobody has answered');
    expect(asked.at(-1)?.title).toContain('With the variables SOME_HOOK=src/evil\n');
    expect(isMade()).toBe(false);
    await bench.run('bash', { command: 'unset SOME_HOOK' });
    expect(await bench.ok('bash', { command: 'python3 make.py' })).toContain('[This ran outside');
    // Neither by a function that has the program's name.
    rmSync(join(outside, 'made'));
    answers.push(pick('Allow once'));
    await bench.run('bash', { command: 'python3() { touch src/trapped; }' });
    expect(await bench.ok('bash', { command: 'python3 make.py' })).toContain('[This ran outside');
    expect([isMade(), existsSync(bench.path('src/trapped'))]).toEqual([true, false]);
  });

  it('stays inside where everything must: `sandbox.required` asks nobody', async (context) => {
    if (!(await open({ isRequired: true }))) return context.skip();
    expect(await bench.fails('bash', { command: 'python3 make.py' })).toContain('Read-only file system');
    expect(asked).toEqual([]);
    answers.push(pick('Allow once'));
    const text = await bench.fails('bash', { command: 'python3 make.py', unsandboxed: true, reason: 'please' });
    expect(text).toContain('sandbox.required');
    expect(isMade()).toBe(false);
  });
});

describe('a command that failed for another reason', () => {
  it('is not asked about, whatever it prints', async (context) => {
    if (!(await open())) return context.skip();
    for (const command of [
      `echo "EACCES: permission denied, open '${bench.path('src/a.txt')}'"; exit 1`,
      `echo "touch: cannot touch '${bench.path('src/a.txt')}': Read-only file system"; exit 1`,
      'echo "permission denied"; exit 1',
      // Bubblewrap answers such a write with "read-only file system".
      `echo "EACCES: permission denied, open '${outside}/x'"; exit 1`,
      'ls nowhere',
      'cat /etc/no-such-file',
      'echo "getaddrinfo ENOTFOUND api.invalid"; exit 1',
      'echo "connect ECONNREFUSED 127.0.0.1:1"; exit 1',
      'python3 make.py; true',
      `echo "Error: ENOENT: no such file or directory, open './config.json'"; exit 1`,
    ])
      await bench.run('bash', { command });
    expect(asked.map(({ title }) => title)).toEqual([]);
  });

  it('is asked about where a program of this machine cannot be reached, or a key is hidden', async (context) => {
    if (!(await open())) return context.skip();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await bench.run('bash', { command: `echo "connect ECONNREFUSED 127.0.0.1:${port}"; exit 1` });
    server.close();
    expect(asked[0]?.title).toContain(`its output names the network (localhost:${port}), which the sandbox refuses`);
    expect(asked[0]?.options).not.toContain('Run it once with the network, still in the sandbox');
  });
});
