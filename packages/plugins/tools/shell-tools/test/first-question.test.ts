import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, modeControl, SILENT, type UserInterface } from '@tenon/host';
import { inlineCandidate } from '@tenon/kernel/testing';
import { sandboxes } from '@tenon/sandbox/api';
import { standIn } from '@tenon/test-kit/kernel';
import { until } from '@tenon/test-kit/waiting';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import { workFolder } from '@tenon/test-kit/work-folder';
import { type PermissionAnswer, type PermissionQuestion, toolPermission } from '@tenon/tools/api';
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

async function open({
  isAttended = true,
  policy = '',
  isRequired = false,
  hosts = [] as string[],
  backgroundAfterSeconds = 0,
} = {}): Promise<boolean> {
  bench = await openShellBench({
    files: { 'src/a.txt': 'x' },
    settings: {
      sandbox: { profile: 'workspace-write', required: isRequired, network: { allow: hosts } },
      'shell-tools': { backgroundAfterSeconds },
    },
    more: ['sandbox', 'trust', 'approval', standIn([cliCommands], 'command-line')],
  });
  if (isAttended) (await bench.kernel.find(modeControl)).useInterface(ui);
  config = (await bench.kernel.find(folders)).config;
  if (policy !== '') {
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'policy.yml'), policy);
  }
  const box = await bench.kernel.find(sandboxes);
  return box.wrap({ cwd: bench.root }).then(
    async (confinement) => (await confinement.dispose(), true),
    () => false,
  );
}

/** Nothing answers there; the variable says whether the network is open, and the file whether there is a sandbox. */
const FETCH = 'curl -s https://packages.invalid/x; echo "proxy:$HTTPS_PROXY"';
const hasNetwork = (text: string) => /proxy:http:\/\/127/.test(text);

beforeEach(() => {
  asked.length = 0;
  answers.length = 0;
  const work = workFolder();
  mkdirSync(work, { recursive: true });
  outside = mkdtempSync(join(work, 'first-'));
});
afterEach(async () => {
  await bench.dispose();
  rmSync(outside, { recursive: true, force: true });
});

describe('a command that asks, and that the sandbox would stop', () => {
  it('is asked about once: the question says what the sandbox would stop, and a yes with the network runs it so at once', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('once, with the network'));
    const text = await bench.ok('bash', { command: FETCH });
    expect(hasNetwork(text)).toBe(true);
    expect(text).toContain('[This ran in the sandbox with the network open, as the user allowed.]');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.title).toMatch(/^Allow this\? bash: ⟦curl/);
    expect(asked[0]?.title).toContain(
      'The sandbox would stop it: `curl -s https://packages.invalid/x` needs the network (packages.invalid). What you allow holds for the whole command, not for this part alone.',
    );
    expect(asked[0]?.options).toEqual([
      'Allow once, with the network',
      'Allow once, outside of the sandbox',
      'Allow once, in the sandbox as it is',
      'Allow for this session, with the network (exactly this call)',
      'Always allow, with the network (writes a policy rule: exactly this call)',
      'Deny',
    ]);
  });

  it.each(['npm install left-pad', 'git push', 'pip install x', 'curl https://a.example.org/'])(
    'offers the network for %s',
    async (command) => {
      if (!(await open())) return;
      const text = await bench.fails('bash', { command });
      expect(asked[0]?.options[0]).toBe('Allow once, with the network');
      expect(asked[0]?.title).toContain('The sandbox would stop it: it needs the network');
      expect(text).toContain('--network` (with the network, still in the sandbox)');
      expect(asked).toHaveLength(1);
    },
  );

  it('offers to write outside of the sandbox, where the network would not help', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('once, outside'));
    expect(await bench.ok('bash', { command: `echo x > ${outside}/made` })).toContain('[This ran outside');
    expect(readFileSync(join(outside, 'made'), 'utf8')).toBe('x\n');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.title).toContain(`The sandbox would stop it: it needs writing ${outside}/made.`);
    expect(asked[0]?.options.some((option) => option.includes('network'))).toBe(false);
  });

  it('stays in the sandbox where that is chosen, and is not asked about again when it fails there', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('in the sandbox as it is'));
    const text = await bench.fails('bash', { command: `echo x > ${outside}/made` });
    expect(text).toContain('Read-only file system');
    expect(text).toContain('[It ran in the sandbox as it is, as the user chose.]');
    expect(asked).toHaveLength(1);
    expect(existsSync(join(outside, 'made'))).toBe(false);
  });

  it('"always" and "for this session" let the same words use the network from then on, and nothing else', async (context) => {
    if (!(await open())) return context.skip();
    // Both fail before they use the network.
    answers.push(pick('for this session'));
    await bench.run('bash', { command: 'npm install --offline nothing-of-that-name' });
    expect(textOf(await bench.run('bash', { command: 'npm install --offline another-name' }))).toContain(
      'with the network open',
    );
    expect(asked).toHaveLength(1);
    await bench.run('bash', { command: 'npm install --offline another-name && git push' });
    expect(asked).toHaveLength(2);
    answers.push(pick('Always'));
    await bench.run('bash', { command: 'git push' });
    expect(asked[2]?.options.find((option) => option.startsWith('Always'))).toBe(
      'Always allow, with the network (writes a policy rule: git push *)',
    );
    expect(readFileSync(join(config, 'policy.yml'), 'utf8')).toMatch(/sandbox: network/);
    expect(textOf(await bench.run('bash', { command: 'git push' }))).toContain('with the network open');
    expect(asked).toHaveLength(3);
  });

  it('runs as a background job with the network, too', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('once, with the network'));
    await bench.ok('bash', { command: `{ ${FETCH}; } > out.txt`, async: true });
    await until(() => existsSync(bench.path('out.txt')) && bench.get('out.txt').includes('proxy:'));
    expect(hasNetwork(bench.get('out.txt'))).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it('is asked about again only when the network alone was not enough', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('once, with the network'), pick('once outside'));
    bench.put('make.py', `open("${outside}/made", "w")\n`);
    const text = await bench.ok('bash', { command: 'curl -s https://packages.invalid/x; python3 make.py' });
    expect(asked.map(({ title }) => title.slice(0, 12))).toEqual(['Allow this? ', 'Run this a s']);
    expect(asked[1]?.options[0]).toBe('Run it once outside of the sandbox');
    expect(text).toContain('[This ran outside');
    expect(existsSync(join(outside, 'made'))).toBe(true);
  });

  it('has caches of its own with the network alone: package managers give up without', async (context) => {
    if (!(await open())) return context.skip();
    answers.push(pick('once, with the network'));
    const text = await bench.ok('bash', {
      command: `${FETCH}; echo "$npm_config_cache"; mkdir -p "$npm_config_cache"`,
    });
    expect(text).toMatch(/\n\/\S*tenon-caches\/npm\n/);
    // It is gone with its shell, and the session has what it had.
    expect(await bench.ok('bash', { command: 'echo "$npm_config_cache"' })).not.toMatch(/tenon-caches|running/);
  });

  it('is not offered what the settings give already, nor where nothing may leave', async (context) => {
    if (!(await open({ hosts: ['packages.example.org'] }))) return context.skip();
    await bench.run('bash', { command: 'curl https://packages.example.org/' });
    expect(asked[0]?.title).not.toContain('The sandbox would stop it');
    await bench.run('bash', { command: 'curl https://other.example.org/' });
    expect(asked[1]?.title).toContain('it needs the network (other.example.org)');
    await bench.dispose();
    await open({ isRequired: true });
    await bench.run('bash', { command: FETCH });
    expect(asked[2]?.options).toEqual(expect.arrayContaining(['Allow once', 'Deny']));
  });
});

describe('where nobody can answer', () => {
  it('the refusal names the commands to type, and each does what it says once', async (context) => {
    if (!(await open({ isAttended: false }))) return context.skip();
    const service = await bench.kernel.find(approvals);
    const idOf = (text: string) => /`tenon approval allow ([0-9a-f]{8}) --network`/.exec(text)?.[1] ?? '';
    const text = await bench.fails('bash', { command: FETCH });
    const id = idOf(text);
    expect(text).toContain(`The sandbox would stop it: it needs the network (packages.invalid).`);
    expect(text).toContain(
      `A person can allow it with \`tenon approval allow ${id} --network\` (with the network, still in the sandbox), or \`tenon approval allow ${id} --outside\` (outside of the sandbox), or \`tenon approval allow ${id}\` (in the sandbox as it is).`,
    );
    await service.answer(id, 'allow', { way: 'network' });
    expect(hasNetwork(await bench.ok('bash', { command: FETCH }))).toBe(true);
    const again = idOf(await bench.fails('bash', { command: FETCH }));
    await service.answer(again, 'allow');
    expect(hasNetwork(await bench.ok('bash', { command: FETCH }))).toBe(false);
  });

  it('a rule without `sandbox` runs it confined, and the result says how to allow it for good', async (context) => {
    const policy = 'rules:\n  - { decide: allow, command: "curl *" }\n';
    if (!(await open({ isAttended: false, policy }))) return context.skip();
    const text = await bench.fails('bash', { command: 'curl -sS https://packages.example.org/' });
    expect(text).toMatch(/`tenon approval allow [0-9a-f]{8} --network`/);
    expect(text).toContain('With --always it is asked about no more.');
  });
});

describe('a job that the sandbox has stopped', () => {
  it.each([{ async: true }, {}])('says what a person can do, who then lets the same call out (%j)', async (how) => {
    if (!(await open({ backgroundAfterSeconds: 1 }))) return;
    bench.put('make.py', `import time\ntime.sleep(2)\nopen("${outside}/made", "w")\n`);
    const service = await bench.kernel.find(approvals);
    const input = { command: 'python3 make.py', ...how };
    const job = /Background job (\S+) started/.exec(await bench.ok('bash', input))?.[1] ?? '';
    const text = await bench.ok('job', { poll: [job] });
    const id = /`tenon approval allow ([0-9a-f]{8}) --outside`/.exec(text)?.[1] ?? '';
    expect(text).toContain(
      `[The sandbox stopped it: its output names writing ${outside}/made, which the sandbox refuses. Running it with less confinement needs approval (tier 2: it runs outside of the sandbox). It ran in the background, so nobody was asked. A person can allow it with`,
    );
    expect(asked).toEqual([]);
    await service.answer(id, 'allow', { way: 'outside' });
    await bench.run('bash', input);
    await until(() => existsSync(join(outside, 'made')));
    expect(await service.held()).toEqual([]);
  });
});

describe('a yes', () => {
  it('is for the variables that were shown: what an earlier command exports afterwards is asked about', async (context) => {
    if (!(await open({ isAttended: false }))) return context.skip();
    const service = await bench.kernel.find(approvals);
    await bench.fails('bash', { command: FETCH });
    const [held] = await service.held();
    await service.answer(held?.id ?? '', 'allow', { way: 'outside' });
    await bench.ok('bash', { command: 'export CURL_HOME=$PWD/src' });
    expect(await bench.fails('bash', { command: FETCH })).toContain('needs approval');
    expect((await service.held()).at(-1)?.variables).toMatchObject({ CURL_HOME: bench.path('src') });
    // For another command neither.
    await bench.ok('bash', { command: 'unset CURL_HOME' });
    expect(await bench.fails('bash', { command: `${FETCH}; touch src/b` })).toContain('needs approval');
    expect(await bench.fails('bash', { command: FETCH, cwd: 'src' })).toContain('needs approval');
    expect(await bench.ok('bash', { command: FETCH })).toContain('[This ran outside');
  });

  it('of a plugin does not leave the sandbox unless it says so, and only in a way that was offered', async (context) => {
    if (!(await open())) return context.skip();
    const given: Partial<PermissionAnswer>[] = [{}, { way: 'network' }, { way: 'network' }];
    const ways: PermissionQuestion['ways'][] = [];
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'decider',
          activate: (ctx) =>
            void ctx.on(toolPermission, (question) => {
              ways.push(question.ways);
              return { allow: true, by: 'decider', ...given.shift() };
            }),
        },
        { handles: ['tool.permission'] },
      ),
    );
    expect(hasNetwork(await bench.ok('bash', { command: FETCH }))).toBe(false);
    expect(hasNetwork(await bench.ok('bash', { command: FETCH }))).toBe(true);
    await bench.fails('bash', { command: `echo x > ${outside}/made` });
    expect(existsSync(join(outside, 'made'))).toBe(false);
    expect(ways).toEqual([['network', 'outside'], ['network', 'outside'], ['outside']]);
    expect(asked).toEqual([]);
  });

  it('cannot be had by pretending: the question shows the part that never runs, and what else would leave', async (context) => {
    if (!(await open())) return context.skip();
    bench.put('evil.py', `open("${outside}/made", "w")\n`);
    await bench.fails('bash', { command: 'frobnicate --all; python3 evil.py; false && curl https://a.example.org/' });
    const { title = '' } = asked[0] ?? {};
    expect(title).toContain('`curl https://a.example.org/` needs the network');
    expect(title).toContain('What you allow holds for the whole command');
    // Confined, nobody would have to know what this is; outside it counts.
    expect(title).toContain('frobnicate');
    expect(existsSync(join(outside, 'made'))).toBe(false);
  });
});

describe('functions of earlier commands', () => {
  it('are known to the gate as they are defined, until they are defined anew', async (context) => {
    if (!(await open())) return context.skip();
    await bench.ok('bash', { command: 'show() { ls "$@"; }' });
    expect(await bench.ok('bash', { command: 'show src' })).toBe('a.txt');
    expect(asked).toEqual([]);
    await bench.ok('bash', { command: 'show() { git "$@"; }' });
    expect(asked).toEqual([]);
    // Nobody answers, so nothing runs.
    await bench.fails('bash', { command: 'show push origin' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.title).toContain('git push');
  });
});
