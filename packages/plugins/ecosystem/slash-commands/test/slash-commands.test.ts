import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentFactory, type AgentEvent } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { folders } from '@tenon/host';
import { type CommandFile, commands, discovery, prompts } from '@tenon/discovery/api';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { toolCall } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';
import { tool } from '@tenon/test-kit/kernel';
import source from '../package.json' with { type: 'json' };
import { slashCommandProviders, slashCommands } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let home: string;
let remove: (() => Promise<void>) | undefined;
beforeEach(() => void (home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-slash-')))));
afterEach(async () => {
  await remove?.();
  remove = undefined;
  rmSync(home, { recursive: true, force: true });
});

type Given = Partial<CommandFile> & { name: string; level?: 'user' | 'project' };

interface Setup {
  readonly commands?: readonly Given[];
  readonly prompts?: readonly Given[];
  readonly trusted?: boolean;
  readonly deny?: boolean;
}

const itemsOf = (list: readonly Given[]) =>
  list.map(({ level = 'user', ...command }) => {
    const path = `/commands/${command.name}.md`;
    return { key: command.name, value: { path, body: '', syntax: 'markdown' as const, ...command }, file: path, level };
  });

/** An agent with commands that a family finds, and a `bash` that notes what it is given. */
async function start(setup: Setup = {}) {
  const ran: string[] = [];
  const asked: string[] = [];
  const allowed: string[] = [];
  const world = await createWorld({
    home,
    script: [{ text: 'Done.' }],
    services: [
      [
        workspaceTrust,
        {
          stateOf: async () => (setup.trusted === true ? 'trusted' : 'unknown'),
          ensure: async (_: string, what: string) => (asked.push(what), setup.trusted === true),
        },
      ],
      [
        approvals,
        {
          preApprove: (_: string, list: readonly string[]) => (
            allowed.push(`+${list.join()}`),
            () => allowed.push('-')
          ),
        },
      ],
    ],
    plugins: [
      'discovery',
      'slash-commands',
      inlineCandidate(
        {
          id: 'discovery-test',
          activate(ctx) {
            ctx.source(commands, { id: 'test', load: async () => ({ items: itemsOf(setup.commands ?? []) }) });
            ctx.source(prompts, { id: 'test', load: async () => ({ items: itemsOf(setup.prompts ?? []) }) });
          },
        },
        { sources: ['commands', 'prompts'] },
      ),
      inlineCandidate(
        {
          id: 'extension',
          activate: (ctx) =>
            void ctx.contribute(slashCommandProviders, 'extension', {
              list: async () => [{ name: 'greet', kind: 'extension', description: 'Says hello' }],
              run: async (name, args) => {
                if (name === 'boom') throw new Error('it went off');
                return name === 'greet' ? { kind: 'handled', text: `Hello ${args}!` } : undefined;
              },
            }),
        },
        { contributes: { 'slash-command-providers': { extension: {} } } },
      ),
      ...(setup.deny === true
        ? [
            inlineCandidate(
              { id: 'gate', activate: (ctx) => void ctx.on(toolCall, () => ({ deny: 'not today' })) },
              { handles: ['tool.call'] },
            ),
          ]
        : []),
    ],
    tools: {
      bash: tool(async ({ command }, { scope }) => {
        ran.push(String(command));
        const isFailure = command === 'false';
        return {
          content: [
            { type: 'text', text: isFailure ? '(exit code 1)' : `<${String(command)} in ${scope?.cwd === home}>` },
          ],
          details: { exitCode: isFailure ? 1 : 0 },
          ...(isFailure && { isError: true }),
        };
      }),
    },
  });
  remove = world.remove;
  const store = await world.kernel.find(sessionStore);
  const session = await store.create({ cwd: home });
  const { agent } = await (await world.kernel.find(agentFactory)).create({ session, cwd: home, tools: ['bash'] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  /** What the model was sent for a prompt. */
  const sent = async (text: string) => {
    await agent.prompt(text);
    const message = world.requests.at(-1)?.messages.findLast(({ role }) => role === 'user');
    return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);
  };
  return {
    ...world,
    agent,
    session,
    events,
    sent,
    ran,
    asked,
    allowed,
    service: await world.kernel.find(slashCommands),
  };
}

describe('slash-commands', () => {
  it('keeps the plugin contract', async () => {
    const { kernel } = await start();
    await pluginContract({
      source,
      plugin,
      others: [
        provideServices([
          [folders, await kernel.find(folders)],
          [discovery, await kernel.find(discovery)],
        ]),
      ],
    });
  });

  it('puts a command with its arguments in place of what was typed', async () => {
    const { sent } = await start({
      commands: [
        { name: 'review', body: 'Review $1 for $2.' },
        { name: 'git:commit', body: 'Commit.' },
      ],
    });
    expect(await sent('/review a.ts "bad names"')).toBe('Review a.ts for bad names.');
    expect(await sent('/git:commit now')).toBe('Commit.\n\nARGUMENTS: now');
  });

  it('uses prompt templates, but a command of the same name first', async () => {
    const { sent } = await start({
      commands: [{ name: 'a', body: 'command' }],
      prompts: [
        { name: 'a', body: 'prompt' },
        { name: 'b', body: 'template' },
      ],
    });
    expect([await sent('/a'), await sent('/b')]).toEqual(['command', 'template']);
  });

  it('leaves paths and ordinary text alone', async () => {
    const { sent } = await start();
    for (const text of ['/usr/bin/env is odd', '/tmp is full', '/ what', '//x', 'no /review', '/* comment */'])
      expect(await sent(text)).toBe(text);
  });

  it('refuses a name that nobody knows, and offers the nearest', async () => {
    const { agent, requests } = await start({ commands: [{ name: 'review', body: 'x' }] });
    await expect(agent.prompt('/reveiw x')).rejects.toMatchObject({
      message: 'There is no command "/reveiw". Did you mean "/review"?',
      next: '/help lists the commands (in a shell: `tenon commands list`). In a prompt, put a space before the slash to send it as ordinary text.',
    });
    expect(requests).toHaveLength(0);
  });

  it('runs shell lines through the tool, with arguments that cannot escape', async () => {
    const { sent, ran } = await start({
      commands: [
        { name: 'log', body: 'Log:\n!`git log $1`\nEnd.' },
        { name: 'fails', body: '!`false`' },
      ],
    });
    expect(await sent(`/log '; rm x'`)).toBe(`Log:\n<git log '; rm x' in true>\nEnd.`);
    expect(ran).toEqual([`git log '; rm x'`]);
    expect(await sent('/fails')).toBe('(exit code 1)');
  });

  it('sends nothing when the gate refuses a shell line', async () => {
    const { agent, ran, requests } = await start({ commands: [{ name: 'log', body: '!`git log`' }], deny: true });
    await expect(agent.prompt('/log')).rejects.toThrow(/could not run `git log`: .*not today/s);
    expect([ran, requests]).toEqual([[], []]);
  });

  it('runs nothing of a project that is not trusted', async () => {
    writeFileSync(join(home, 'a.txt'), 'secret');
    const setup = {
      commands: [
        { name: 'log', level: 'project' as const, body: '!`git log`' },
        { name: 'file', level: 'project' as const, body: 'See @a.txt' },
      ],
    };
    const { agent, sent, ran, asked } = await start(setup);
    await expect(agent.prompt('/log')).rejects.toThrow(`runs \`git log\`, and ${home} is not trusted`);
    expect(asked).toEqual(['run `git log` for the command /log']);
    expect(await sent('/file')).toBe('See @a.txt');
    expect(ran).toEqual([]);
  });

  it('runs what a trusted project brings', async () => {
    const { sent, ran } = await start({
      commands: [{ name: 'log', level: 'project', body: '!`git log`' }],
      trusted: true,
    });
    expect(await sent('/log')).toContain('<git log in true>');
    expect(ran).toEqual(['git log']);
  });

  it('puts in files of the project and of the bundle, and no others', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-outside-')));
    writeFileSync(join(outside, 'o.txt'), 'OUTSIDE');
    mkdirSync(join(home, 'src'));
    writeFileSync(join(home, 'src', 'a.txt'), 'INSIDE');
    writeFileSync(join(home, 'src', 'bin'), Buffer.from([0, 1, 2]));
    symlinkSync(join(outside, 'o.txt'), join(home, 'link.txt'));
    const { sent } = await start({
      commands: [
        { name: 'look', body: 'See @$1.' },
        { name: 'bundle', body: 'See @${CLAUDE_PLUGIN_ROOT}/o.txt', variables: { CLAUDE_PLUGIN_ROOT: outside } },
        { name: 'gem', body: 'A @{src/a.txt} B {{args}} !{echo {{args}}}', syntax: 'gemini' },
      ],
    });
    expect(await sent('/look src/a.txt')).toBe('See @src/a.txt.\n\n<file path="src/a.txt">\nINSIDE\n</file>');
    expect(await sent('/look src')).toContain('<file path="src/">\na.txt\nbin\n</file>');
    for (const path of [`${outside}/o.txt`, 'link.txt', 'missing', 'src/bin'])
      expect(await sent(`/look ${path}`)).toBe(`See @${path}.`);
    expect(await sent('/bundle')).toContain('OUTSIDE');
    expect(await sent('/gem x y')).toBe(`A <file path="src/a.txt">\nINSIDE\n</file> B x y <echo 'x y' in true>`);
    rmSync(outside, { recursive: true });
  });

  it('uses the model of a command for its prompt, and the old one after it', async () => {
    const { sent, requests, agent, events } = await start({
      commands: [
        { name: 'see', body: 'Look.', model: 'seeing' },
        { name: 'odd', body: 'x', model: 'nowhere' },
      ],
    });
    await sent('/see');
    expect(requests.at(-1)?.model.id).toBe('seeing');
    await sent('plain');
    expect(requests.at(-1)?.model.id).toBe('m');
    await sent('/odd');
    expect(requests.at(-1)?.model.id).toBe('m');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('"nowhere"') as string }),
    );
    expect(agent.state.model.id).toBe('m');
  });

  it('lets the tools of a command through while its prompt is worked on, if the one who wrote it is trusted', async () => {
    const allowedTools = ['Bash(git:*)', 'Read'];
    const { sent, allowed, requests } = await start({
      commands: [
        { name: 'own', body: 'x', allowedTools },
        { name: 'theirs', body: 'x', allowedTools, level: 'project' },
      ],
    });
    await sent('/theirs');
    expect(allowed).toEqual([]);
    await sent('/own');
    expect(allowed).toEqual(['+Bash(git:*),Read', '-']);
    expect(requests).toHaveLength(2);
  });

  it('lets the tools of a command through also for what it runs to make its prompt, and only then', async () => {
    const allowedTools = ['Bash(git:*)'];
    const body = 'Now: !`git status`';
    const given = {
      commands: [
        { name: 'own', body, allowedTools },
        { name: 'bare', body },
      ],
    };
    const own = await start(given);
    await own.sent('/own');
    expect(own.ran).toEqual(['git status']);
    expect(own.allowed).toEqual(['+Bash(git:*)', '-', '+Bash(git:*)', '-']);
    await own.sent('/bare');
    expect(own.allowed).toHaveLength(4);
  });

  it.each([
    [true, ['+Bash(git:*)', '-', '+Bash(git:*)', '-']],
    [false, []],
  ])('believes what a project says about its own powers only where it is trusted: %s', async (trusted, allowed) => {
    const theirs = { name: 'theirs', body: '!`git status`', allowedTools: ['Bash(git:*)'], level: 'project' as const };
    const world = await start({ commands: [theirs], trusted });
    await world.sent('/theirs').catch(() => undefined);
    expect(world.allowed).toEqual(allowed);
    expect(world.ran).toEqual(trusted ? ['git status'] : []);
  });

  it('lets other plugins bring commands, which may need no model', async () => {
    const { agent, requests, events } = await start();
    await agent.prompt('/greet you');
    expect(requests).toHaveLength(0);
    expect(events.map(({ type }) => type)).toEqual(['notice', 'agent_start', 'agent_end']);
    expect(events[0]).toMatchObject({ level: 'info', text: 'Hello you!' });
    await expect(agent.prompt('/boom')).rejects.toThrow('it went off');
  });

  it('expands what is typed while the agent works', async () => {
    const { agent, requests } = await start({ commands: [{ name: 'more', body: 'Also $1.' }] });
    const running = agent.prompt('go');
    agent.followUp('/more this');
    await running;
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('Also this.');
  });

  it('lists commands for people and programs', async () => {
    const { kernel, service } = await start({
      commands: [{ name: 'review', body: 'Review it.\nWell.', argumentHint: '[file]' }],
    });
    const { out } = await runCommand(kernel, 'commands list', { cwd: home });
    expect(out).toMatch(/\/review \[file\] +Review it\. \(command, test, user, in place of the built-in one\)/);
    expect(out).toContain('Says hello (extension)');
    const all = await service.list(home);
    expect(all.slice(0, 2)).toMatchObject([
      { name: 'review', kind: 'command', family: 'test', shadows: 'built-in' },
      { name: 'greet' },
    ]);
    expect(all.slice(2).every(({ kind }) => kind === 'built-in')).toBe(true);
    expect((await runCommand(kernel, 'commands show', { cwd: home, args: { name: '/review' } })).out).toContain(
      'Review it.\nWell.',
    );
    const shown = await runCommand(kernel, 'commands show', {
      cwd: home,
      args: { name: 'review' },
      flags: { json: true },
    });
    expect(JSON.parse(shown.out)).toMatchObject({ name: 'review', family: 'test', body: 'Review it.\nWell.' });
    await expect(runCommand(kernel, 'commands show', { cwd: home, args: { name: 'reviw' } })).rejects.toThrow(
      'Did you mean "/review"',
    );
  });
});
