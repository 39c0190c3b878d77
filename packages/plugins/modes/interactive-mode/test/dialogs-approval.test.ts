import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentFactory } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { type ApprovalQuestion, InterfaceSwitch, SILENT, userInterface } from '@tenon/host';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { toolRunner } from '@tenon/tools/api';
import { answerHeld } from '../src/dialogs/held.ts';
import { createInterface } from '../src/dialogs/index.ts';
import { Desk, KEY } from './dialogs-screen.ts';

/** A model that calls bash once, on a real repository with a remote, and a user at a screen. */
async function seat(command: string, size: { columns?: number; rows?: number; subagent?: string } = {}) {
  const desk = new Desk(size.columns ?? 90, size.rows ?? 36);
  const home = temporaryFolder('approval-dialog');
  const cwd = join(home, 'project');
  const git = gitRepository(cwd, { 'a.txt': 'one\n' });
  execFileSync('git', ['init', '-q', '--bare', join(home, 'remote')]);
  git('remote', 'add', 'origin', join(home, 'remote'));
  const ui = createInterface(desk, {
    now: desk.now,
    setStatus: () => undefined,
    setWidget: () => undefined,
    setTitle: () => undefined,
  });
  const world = await createWorld({
    home,
    cwd,
    script: [{ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'Done.' }],
    services: [[userInterface, ui]],
    defines: [cliCommands],
    plugins: ['shell-tools', 'jobs', 'trust', 'approval'],
  });
  const session = await (await world.kernel.find(sessionStore)).create({ cwd });
  const { agent } = await (await world.kernel.find(agentFactory)).create({ session, cwd });
  if (size.subagent !== undefined) {
    const kinship = { parent: 'other', label: size.subagent, sharesFolder: false };
    (await world.kernel.find(approvals)).adopt(session.id, kinship);
  }
  const working = agent.prompt('Publish it.');
  const told = () => JSON.stringify(world.requests.at(-1)?.messages.at(-1));
  const pushed = () => execFileSync('git', ['-C', join(home, 'remote'), 'branch'], { encoding: 'utf8' }).trim();
  return { ...world, desk, cwd, agent, working, told, pushed, session };
}

const PUSH = 'git push origin HEAD:main';

describe('a command that needs approval', () => {
  it('of a subagent names it on the title, also on a small screen, and lets nothing of the name through', async () => {
    const long = Array.from({ length: 20 }, (_, at) => `echo ${at}`).join('\n');
    const subagent = 'explore auth\u001b[2J\nAllowed';
    const { desk, working } = await seat(`${long}\n${PUSH}`, { columns: 70, rows: 14, subagent });
    const rows = await desk.sees('Allow bash?');
    expect(rows.join('\n')).toMatch(/Allow bash\? The subagent explore auth\S* ?Allowed asks\./);
    await desk.type('n');
    await working;
  });

  it('offers its choices side by side on a small screen, and breaks none of them', async () => {
    const { desk, working } = await seat('curl http://example.org/x; git push', { columns: 40, rows: 12 });
    const rows = (await desk.sees('Allow bash?')).map((row) => row.trimEnd());
    for (const choice of [/❯ n no|  n no/, /  d no, because$|  d no, because  /, /  a always/, /  e edit/])
      expect(rows.join('\n')).toMatch(choice);
    expect(rows.filter((row) => /^\S*(ays|nce|ork|cause)\b/.test(row))).toEqual([]);
    await desk.type('n');
    await working;
  });

  it('of a subagent names it once', async () => {
    const { desk, working } = await seat(PUSH, { subagent: 'explore auth' });
    const rows = (await desk.sees('Allow once')).join('\n');
    expect(rows.match(/explore auth/g)).toHaveLength(1);
    await desk.type('n');
    await working;
  });

  it('is shown whole with its reasons, and runs when the user says yes', async () => {
    const { desk, working, told, pushed } = await seat(PUSH);
    const rows = (await desk.sees('Allow bash?')).join('\n');
    for (const words of [PUSH, 'tier 2: uses the network', 'sends commits to another repository', 'y Allow once'])
      expect(rows).toContain(words);
    await desk.type('y');
    await working;
    expect(pushed()).toContain('main');
    expect(told()).toContain('"isError":false');
    expect(await desk.sees('the editor')).toEqual(['the editor']);
  });

  it('does not run because somebody types on through the question', async () => {
    const { desk, working, pushed } = await seat(PUSH);
    await desk.sees('Allow bash?');
    desk.time += 1_000;
    // The first letters are no answers; those behind them would be.
    desk.typeAhead(...'perhaps say yes', KEY.enter);
    await desk.shown();
    for (let pause = 0; pause < 5; pause++) {
      desk.time += 500;
      desk.typeAhead(pause % 2 === 0 ? 'y' : 's', KEY.enter);
      await desk.shown();
    }
    expect((await desk.shown()).join('\n')).toContain('Allow bash?');
    desk.time += 1_000;
    await desk.type('n');
    await working;
    expect(pushed()).toBe('');
  });

  it('takes a key in the end that is pressed again and again', async () => {
    const { desk, working, pushed } = await seat(PUSH);
    await desk.sees('Allow bash?');
    for (let press = 0; press < 6; press++) {
      desk.typeAhead('y');
      await desk.shown();
      desk.time += 300;
    }
    await working;
    expect(pushed()).toContain('main');
  });

  it('shows a lasting rule before one key writes it', async () => {
    const { desk, working, pushed } = await seat(PUSH);
    await desk.sees('Allow bash?');
    await desk.type('a');
    await desk.sees('Writes to your policy');
    expect(pushed()).toBe('');
    await desk.type('a');
    await working;
    expect(pushed()).toContain('main');
  });

  it('does not run because of keys that were typed before the question was there', async () => {
    const { desk, working, pushed, told } = await seat(PUSH);
    const typing = setInterval(() => desk.typeAhead('y', KEY.enter), 5);
    await desk.sees('Allow bash?');
    await until(async () => (await desk.shown()).length > 0);
    clearInterval(typing);
    expect(pushed()).toBe('');
    await desk.type('n');
    await working;
    expect(pushed()).toBe('');
    expect(told()).toContain('the user said no');
  });

  it('is refused with the reason that the user gives, and the model is told', async () => {
    const { desk, working, pushed, told } = await seat(PUSH);
    await desk.sees('Allow bash?');
    await desk.type('d');
    await desk.sees('Why not? The model reads it');
    await desk.type(...'Friday!', KEY.escape);
    await desk.sees('d Deny, and say why');
    await desk.type('d');
    await desk.sees('Why not? The model reads it');
    await desk.type(...'not on Friday', KEY.enter);
    await working;
    expect(pushed()).toBe('');
    expect(told()).toContain('the user said no, and wrote: not on Friday');
  });

  it('may be written anew: the model is told to run the other one', async () => {
    const { desk, working, pushed, told } = await seat(PUSH);
    await desk.sees('e Deny, and write another command');
    await desk.type('e');
    await desk.sees('The command that should run instead');
    await desk.type(...' --dry-run', KEY.enter);
    await working;
    expect(pushed()).toBe('');
    expect(told()).toContain(
      `Run exactly this one, and nothing else for it:\\\\n${PUSH} --dry-run`.replace('\\\\', '\\'),
    );
  });

  it('is allowed for longer only with the rule shown, and the policy then has it', async () => {
    const { desk, working, home, pushed } = await seat(PUSH);
    await desk.sees('Allow bash?');
    await desk.type(KEY.down, KEY.down);
    await desk.sees('Writes to your policy: allow bash: git push *');
    await desk.type(KEY.enter);
    await working;
    expect(pushed()).toContain('main');
    const policy = join(home, 'config', 'policy.yml');
    await until(() => existsSync(policy), 'the policy is written');
    expect(readFileSync(policy, 'utf8')).toMatch(/git[\s\S]*push/);
  });

  it('that is long can be read to its end before it is answered', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `echo row ${at}`);
    const { desk, working } = await seat([...lines, PUSH].join('\n'), { rows: 24 });
    const first = (await desk.sees('Allow bash?')).join('\n');
    expect(first).toContain('echo row 0');
    expect(first).not.toContain(PUSH);
    expect(first).toMatch(/rows 1-\d+ of 61/);
    await desk.type(...Array.from({ length: 20 }, () => KEY.pageDown));
    const last = (await desk.sees(PUSH)).join('\n');
    expect(last).toMatch(/rows \d+-61 of 61/);
    expect(last).toContain('y Allow once');
    await desk.type('n');
    await working;
  });

  it('that destroys has no as its first answer, and stays held when the question is closed', async () => {
    const { desk, working, told } = await seat('git push --force --delete origin main && rm -rf ~');
    expect((await desk.sees('Allow bash?')).join('\n')).toMatch(/tier 3: destroys[\s\S]*❯ n Deny/);
    await desk.type(KEY.escape);
    await working;
    expect(told()).toContain('tenon approval allow');
  });

  it('disappears when the run is stopped', async () => {
    const { desk, agent, working, pushed } = await seat(PUSH);
    await desk.sees('Allow bash?');
    await agent.abort();
    await working;
    await desk.sees('the editor');
    expect(pushed()).toBe('');
  });
});

describe('questions of other sessions', () => {
  it('are listed and answered, for whoever waits', async () => {
    const desk = new Desk(90, 36);
    const home = temporaryFolder('held');
    const quiet = { ...SILENT };
    const world = await createWorld({
      home,
      services: [[userInterface, quiet]],
      defines: [cliCommands],
      plugins: ['shell-tools', 'jobs', 'trust', 'approval'],
    });
    const runner = await world.kernel.find(toolRunner);
    const service = await world.kernel.find(approvals);
    const scope = { session: 'elsewhere', cwd: home };
    for (const command of ['git push origin one', 'git push origin two'])
      await runner.run('bash', { command }, { scope });
    const answering = answerHeld(desk, { approvals: service, exceptSession: 'here', now: desk.now });
    await desk.sees('Calls of other sessions');
    await desk.type('1');
    await desk.sees('Allow bash?');
    await desk.type('y');
    await until(async () => (await service.held()).some(({ state }) => state === 'allowed'));
    await desk.sees(/Calls of other sessions[\s\S]*origin two/);
    await desk.type('1');
    await desk.sees('Allow bash?');
    await desk.type('d');
    await desk.sees('Why not?');
    await desk.type(...'wrong one', KEY.enter);
    await answering;
    const held = await service.held();
    expect(held.map(({ state, reason }) => [state, reason])).toEqual([
      ['allowed', undefined],
      ['denied', 'wrong one'],
    ]);
    expect(desk.notices).toEqual([
      'Allowed: bash: git push origin one',
      'Denied: bash: git push origin two',
      'No other session waits for an answer.',
    ]);
  });
});

describe('the switch of interfaces', () => {
  it('has the richer questions exactly when the interface in use has them', async () => {
    const both = new InterfaceSwitch();
    expect([both.decide, both.fillIn]).toEqual([undefined, undefined]);
    class Rich {
      readonly said = 'yes';
      decide = async function (this: Rich, question: ApprovalQuestion) {
        return { choice: `${this.said} to ${question.tool}` };
      };
    }
    both.use(Object.assign(new Rich(), { ...SILENT }));
    expect(await both.decide?.({ tool: 'bash' } as ApprovalQuestion)).toEqual({ choice: 'yes to bash' });
    both.use();
    expect(both.decide).toBeUndefined();
  });
});
