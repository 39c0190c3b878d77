import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentFactory, liveAgents } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { folders } from '@tenon/host';
import { discovery } from '@tenon/discovery/api';
import { pluginContract, provideServices } from '@tenon/kernel/testing';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { slashCommands } from '@tenon/slash-commands/api';
import { programFolders } from '@tenon/sandbox/api';
import { urlRouter } from '@tenon/urls/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';
import { type Script } from '@tenon/test-kit/scripted-models';
import { tool } from '@tenon/test-kit/kernel';
import { skillBook } from '../src/api.ts';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { isTriggered } from '../src/triggers.ts';
import { validateSkill } from '../src/validate.ts';

let home: string;
let remove: (() => Promise<void>) | undefined;
beforeEach(() => void (home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-skills-')))));
afterEach(async () => {
  await remove?.();
  remove = undefined;
  rmSync(home, { recursive: true, force: true });
});

/** Writes a file below the folder of skills. */
function put(path: string, content: string | Uint8Array): string {
  const file = join(home, 'my-skills', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const skill = (name: string, fields = '', body = `How to ${name}.`) =>
  put(`${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}\n${fields}---\n${body}\n`);

/** An agent with the real discovery over skills on disk. */
async function start(
  settings: Readonly<Record<string, unknown>> = {},
  tools = ['read'],
  script: Script = [{ text: 'Done.' }],
) {
  const allowed: string[] = [];
  const opened: { url?: () => Promise<unknown> } = {};
  const world = await createWorld({
    home,
    script,
    settings: { skills: settings, discovery: { skills: { folders: [join(home, 'my-skills')] } } },
    services: [
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
    plugins: ['discovery', 'slash-commands', 'skills'],
    tools: Object.fromEntries(
      tools.map((name) => [name, tool(async () => (await opened.url?.(), allowed.push('read'), { content: [] }))]),
    ),
  });
  remove = world.remove;
  const store = await world.kernel.find(sessionStore);
  const open = async (session: Session) =>
    (await (await world.kernel.find(agentFactory)).create({ session, cwd: home, tools })).agent;
  const session = await store.create({ cwd: home });
  const agent = await open(session);
  const router = await world.kernel.find(urlRouter);
  const read = (url: string) =>
    router.read(url, { signal: new AbortController().signal, scope: { session: session.id, cwd: home } });
  const prompt = () => world.requests.at(-1)?.systemPrompt ?? '';
  const sent = () => JSON.stringify(world.requests.at(-1)?.messages);
  return { ...world, agent, session, store, open, router, read, prompt, sent, allowed, opened };
}

describe('skills', () => {
  it('keep the plugin contract', async () => {
    const { kernel } = await start();
    await pluginContract({
      source,
      plugin,
      others: [
        provideServices([
          [folders, await kernel.find(folders)],
          [discovery, await kernel.find(discovery)],
          [liveAgents, { get: () => undefined, list: () => [] }],
        ]),
      ],
    });
  });

  it('are listed in the system prompt by priority, without those that the model must not call', async () => {
    skill('alpha');
    skill('beta', 'priority: 10\n');
    skill('hidden', 'disable-model-invocation: true\n');
    const { agent, prompt } = await start();
    await agent.prompt('go');
    expect(prompt()).toContain('- beta: About beta\n- alpha: About alpha');
    expect(prompt()).not.toContain('hidden');
  });

  it('of the user open their folders to programs, and those of a project open nothing', async () => {
    skill('alpha');
    const project = join(home, 'project');
    const theirs = join(project, '.claude', 'skills', 'theirs', 'SKILL.md');
    mkdirSync(dirname(theirs), { recursive: true });
    writeFileSync(theirs, '---\nname: theirs\ndescription: Of the project\n---\nx\n');
    mkdirSync(join(project, '.git'));
    const { kernel } = await start();
    const all = await (await kernel.find(skillBook)).list(project);
    expect(all.map(({ name, level }) => `${name} ${level}`).sort()).toEqual(['alpha user', 'theirs project']);
    const source = await kernel.read(programFolders).resolve('skills');
    expect(await source.folders(project)).toEqual([join(home, 'my-skills', 'alpha')]);
  });

  it('are not listed for a model that cannot read them', async () => {
    skill('alpha');
    const { agent, prompt } = await start({}, ['other']);
    await agent.prompt('go');
    expect(prompt()).not.toContain('alpha');
  });

  it('keep to their budget: descriptions are shortened first, then skills are left out with a note', async () => {
    for (let index = 0; index < 60; index++) skill(`skill-${index}`, '', 'x');
    put('long/SKILL.md', `---\nname: long\ndescription: ${'word '.repeat(180)}\npriority: 1\n---\nx`);
    const { agent, prompt } = await start({ listTokens: 200 });
    await agent.prompt('go');
    const section = prompt().slice(prompt().indexOf('# Skills'));
    expect(section.length / 4).toBeLessThan(260);
    expect(section).toMatch(/- long: (?:word )+word…/);
    expect(section).toMatch(/- and \d+ more: read `skill:\/\/` for the list\./);
  });

  it('come with a prompt that holds a trigger, once, as long as there is room', async () => {
    const file = skill('deploy', 'triggers: ["ship it", "release"]\n', 'Deploy well. Run {baseDir}/deploy.sh.');
    skill('huge', 'triggers: release\n', 'x'.repeat(5000));
    const { agent, sent, session, open, store } = await start();
    await agent.prompt('prereleases are fun');
    expect(sent()).not.toContain('Deploy well.');
    await agent.prompt('Please RELEASE this');
    expect(sent()).toContain(`Deploy well. Run ${dirname(file)}/deploy.sh.`);
    expect(sent()).toContain('Read `skill://huge`: About huge');
    await agent.prompt('ship  it again');
    expect(sent().split('Deploy well.')).toHaveLength(2);
    await agent.dispose();
    await (await open(await store.open(session.id))).prompt('release');
    expect(sent().split('Deploy well.')).toHaveLength(2);
  });

  it('are read as addresses, never outside of their folder', async () => {
    const file = skill('pdf');
    put('pdf/references/a table.md', '# Table');
    put('pdf/run.sh', 'echo hi');
    put('pdf/logo.bin', Buffer.from([0, 1, 2]));
    writeFileSync(join(home, 'secret.txt'), 'SECRET');
    symlinkSync(join(home, 'secret.txt'), join(home, 'my-skills/pdf/link.txt'));
    symlinkSync('run.sh', join(home, 'my-skills/pdf/inner.sh'));
    const { read, router } = await start();
    expect(await read('skill://pdf')).toMatchObject({
      contentType: 'text/markdown',
      file,
      content: expect.stringContaining('name: pdf') as string,
    });
    expect(await read('skill://pdf/references/a%20table.md')).toMatchObject({
      content: '# Table',
      contentType: 'text/markdown',
    });
    expect(await read('skill://pdf/run.sh')).toMatchObject({ content: 'echo hi', contentType: 'text/plain' });
    expect((await read('skill://pdf/inner.sh')).content).toBe('echo hi');
    expect((await read('skill://pdf/logo.bin')).bytes).toEqual(Buffer.from([0, 1, 2]));
    expect((await read('skill://pdf/references')).content).toBe('skill://pdf/references/a table.md');
    expect((await read('skill://')).content).toBe('skill://pdf  About pdf');
    expect(await router.locate('skill://pdf/run.sh', { signal: new AbortController().signal })).toBe(
      join(home, 'my-skills/pdf/run.sh'),
    );
    await expect(read('skill://pdf/link.txt')).rejects.toThrow('leads out of the folder');
    await expect(read('skill://pdf/missing.md')).rejects.toThrow('File not found');
    for (const url of [
      'skill://pdf/../../secret.txt',
      'skill://pdf/%2e%2e/secret.txt',
      'skill:///etc/passwd',
      'skill://pdf/..%2f..%2fsecret.txt',
    ])
      await expect(read(url)).rejects.toThrow('not a valid address');
    await expect(read('skill://pdff')).rejects.toThrow('Did you mean "pdf"');
  });

  it('say which file is too large or no text', async () => {
    skill('big');
    put('big/huge.txt', 'x'.repeat(1024 * 1024 + 1));
    const { read } = await start();
    await expect(read('skill://big/huge.txt')).rejects.toThrow('at most 1048576 are read');
  });

  it('are called by name, and become a message of their own', async () => {
    const file = skill('pdf', 'triggers: form\n', 'Use {baseDir}/fill.py on $ARGUMENTS. Mind each form.');
    skill('quiet', 'user-invocable: false\n');
    const { agent, session, sent, kernel } = await start();
    await agent.prompt('/skill:pdf fill "a b"');
    const folder = dirname(file);
    const [message, ...rest] = session.context().messages;
    expect(message).toMatchObject({
      role: 'custom',
      customType: 'skill-prompt',
      display: true,
      attribution: 'user',
      details: { name: 'pdf', path: file, args: 'fill "a b"', lines: 1 },
    });
    expect(message).toMatchObject({
      content: `<skill name="pdf">\nUse ${folder}/fill.py on fill "a b". Mind each form.\n</skill>\n\nSkill: ${file}\nUser: fill "a b"`,
    });
    // The skill's own text does not trigger it a second time.
    expect(rest.map(({ role }) => role)).toEqual(['assistant']);
    expect(sent()).toContain('fill.py');
    await expect(agent.prompt('/skill:pdff')).rejects.toThrow('Did you mean "pdf"');
    await expect(agent.prompt('/skill:quiet')).rejects.toThrow('There is no skill "quiet"');
    const service = await kernel.find(slashCommands);
    const listed = (await service.list(home)).filter(({ kind }) => kind !== 'built-in');
    expect(listed).toMatchObject([{ name: 'skill:pdf', kind: 'skill', description: 'About pdf' }]);
    expect(await service.expand('/skills', { cwd: home })).toMatchObject({
      kind: 'handled',
      text: expect.stringContaining('/skill:pdf: About pdf') as string,
    });
    expect(await service.expand('/skill:pdf', { cwd: home })).toMatchObject({ kind: 'prompt' });
  });

  it('let their tools through from when they come in until the run ends', async () => {
    skill('git', 'allowed-tools: Bash(git add:*) Read\ntriggers: commit\n');
    const script = [{ calls: [{ name: 'read' }] }, { text: 'Done.' }];
    const { kernel, agent, allowed, opened, read } = await start({}, ['read'], script);
    opened.url = () => read('skill://git');
    await agent.prompt('go');
    expect(allowed.splice(0)).toEqual(['+Bash(git add:*),Read', 'read', '-']);
    await agent.prompt('please commit');
    expect(allowed.splice(0)).toEqual(['+Bash(git add:*),Read', '-']);
    await agent.prompt('/skill:git now');
    expect(allowed.splice(0)).toEqual(['+Bash(git add:*),Read', '-']);
    await read('skill://git');
    expect(allowed).toEqual([]);
    const outcome = await (await kernel.find(slashCommands)).expand('/skill:git', { cwd: home });
    expect(outcome).toMatchObject({ allowedTools: ['Bash(git add:*)', 'Read'] });
  });

  it('do nothing when they are switched off', async () => {
    skill('alpha', 'triggers: go\n');
    const { agent, prompt, sent } = await start({ enabled: false });
    await agent.prompt('go');
    expect([prompt().includes('alpha'), sent().includes('alpha')]).toEqual([false, false]);
  });

  it('that are not quite right are used and reported once', async () => {
    put('Wrong_Name/SKILL.md', '---\nname: Wrong_Name\ndescription: d\n---\nx');
    const { agent, kernel, prompt } = await start();
    await agent.prompt('one');
    await agent.prompt('two');
    expect(prompt()).toContain('Wrong_Name');
    const reports = kernel.diagnostics().filter(({ error }) => error.code === 'SKILLS_INVALID');
    expect(reports.map(({ error }) => error.message)).toEqual([
      expect.stringContaining('may only have lower-case letters'),
    ]);
  });
});

describe('tenon skills', () => {
  it('lists and shows', async () => {
    skill('pdf', 'triggers: [form]\npriority: 3\n');
    put('pdf/a.txt', 'a');
    const { kernel } = await start();
    expect((await runCommand(kernel, 'skills list', { cwd: home })).out).toBe(
      'pdf  About pdf (custom, user, priority 3, triggers: form)\n',
    );
    const json = JSON.parse(
      (await runCommand(kernel, 'skills list', { cwd: home, flags: { json: true } })).out,
    ) as object;
    expect(json).toMatchObject({ skills: [{ name: 'pdf', forModel: true, forUser: true, family: 'custom' }] });
    const shown = await runCommand(kernel, 'skills show', { cwd: home, args: { name: 'pdf' } });
    expect(shown.out).toContain('How to pdf.');
    expect(shown.out).toContain('  skill://pdf/a.txt');
  });

  it('validates what is installed, a folder and a file', async () => {
    skill('good');
    const file = put('bad/SKILL.md', '---\nname: Other--Name\nlicense: 3\n---\n');
    const { kernel } = await start();
    const all = await runCommand(kernel, 'skills validate', { cwd: home });
    expect([all.code, all.out]).toEqual([0, 'good: ok\n']);
    for (const target of ['my-skills/bad', file]) {
      const { code, out } = await runCommand(kernel, 'skills validate', {
        cwd: home,
        args: { skill: target },
        flags: { json: true },
      });
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ valid: false, skills: [{ name: 'Other--Name', file }] });
    }
    const human = await runCommand(kernel, 'skills validate', { cwd: home, args: { skill: 'my-skills/bad' } });
    for (const text of [
      'single hyphens',
      'that of its folder, "bad"',
      '`description` is missing',
      '`license` must be text',
      'warning: there is no text',
    ])
      expect(human.out).toContain(text);
  });
});

describe('the format', () => {
  const check = (data: Record<string, unknown>, body = 'text') =>
    validateSkill({ folder: 'a', data, body }).map(({ text }) => text);

  it('is met by a skill with a name and a description', () => {
    expect(
      check({
        name: 'a',
        description: 'd',
        license: 'MIT',
        compatibility: 'x',
        metadata: { author: 'me' },
        'allowed-tools': 'Read',
      }),
    ).toEqual([]);
  });

  it.each([
    [{ name: 'a', description: 'x'.repeat(1025) }, '1025 characters; at most 1024'],
    [{ name: '-a', description: 'd' }, 'single hyphens'],
    [{ name: 'a'.repeat(65), description: 'd' }, '65 characters; at most 64'],
    [{ name: 3, description: 'd' }, '`name` must be text'],
    [{ name: 'a', description: '  ' }, '`description` is empty'],
    [{ name: 'a', description: 'd', compatibility: 'x'.repeat(501) }, 'at most 500'],
    [{ name: 'a', description: 'd', metadata: ['x'] }, '`metadata` must hold'],
    [{ name: 'a', description: 'd', metadata: { version: 1 } }, 'put it in quotes'],
    [{ name: 'a', description: 'd', 'allowed-tools': 3 }, '`allowed-tools` must be'],
    [{ name: 'a', description: 'd', priority: 'high' }, '`priority` must be'],
    [{ name: 'a', description: 'd', colour: 'red' }, '`colour` is not a field'],
  ])('is not met by %j', (data, text) => {
    expect(check(data).join('\n')).toContain(text);
  });
});

describe('triggers', () => {
  it.each([
    [['pdf'], 'read the PDF, please', true],
    [['pdf'], 'pdfs', false],
    [['c++'], 'in C++ or so', true],
    [['.env'], 'my.env file', true],
    [['pull request'], 'open a pull\n request', true],
    [['größe'], 'Die Größe zählt', true],
    [['ize'], 'größize', false],
    [['a.b'], 'axb', false],
    [[''], 'anything', false],
  ])('%j in "%s": %s', (triggers, prompt, expected) => {
    expect(isTriggered(triggers, prompt)).toBe(expected);
  });
});
