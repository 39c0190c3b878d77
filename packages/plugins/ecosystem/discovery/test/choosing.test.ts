import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bundles, commands, contextFiles, mcpServers, rules, skills } from '../src/api.ts';
import { projectFolders } from '../src/project-folders.ts';
import { matches } from '../src/switches.ts';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';

const skill = (name: string) => `---\nname: ${name}\ndescription: It is ${name}\n---\nBody\n`;
const FILES = {
  'home/.claude/skills/one/SKILL.md': skill('one'),
  'project/.claude/skills/two/SKILL.md': skill('two'),
  'home/.codex/skills/three/SKILL.md': skill('three'),
  'project/.claude/commands/go.md': 'Go.\n',
  'home/more/extra/SKILL.md': skill('extra'),
  'project/.mcp.json': '{"mcpServers":{"alpha":{"command":"a"},"beta":{"command":"b"}}}',
};

let fixture: Fixture;
afterEach(() => fixture.dispose());

async function skillNames(settings: Readonly<Record<string, unknown>>) {
  fixture = await makeFixture(FILES, settings);
  const { items, ignored } = await fixture.discovery.load(skills, fixture.project);
  return {
    used: items.map(({ key }) => key).sort(),
    why: Object.fromEntries(ignored.map((one) => [one.key, one.reason])),
  };
}

describe('{ "enabled": false } for an MCP server', () => {
  const server = (fields: object) => JSON.stringify({ mcpServers: { alpha: fields } });
  const load = async (files: Readonly<Record<string, string>>) => {
    fixture = await makeFixture({ 'project/.git/HEAD': 'ref: refs/heads/main\n', ...files });
    return fixture.discovery.load(mcpServers, fixture.project);
  };

  test.each(['project/.tenon/mcp.json', 'project/.mcp.json', 'project/.cursor/mcp.json'])(
    'in %s switches off the server of that name, whoever brings it',
    async (file) => {
      for (const own of ['home/.config/tenon/mcp.json', 'home/.cursor/mcp.json', 'home/.codex/config.toml']) {
        const text = own.endsWith('.toml') ? '[mcp_servers.alpha]\ncommand = "a"\n' : server({ command: 'a' });
        const { items, ignored, problems } = await load({ [own]: text, [file]: server({ enabled: false }) });
        expect(
          items.map(({ value }) => value),
          own,
        ).toEqual([
          expect.objectContaining({ name: 'alpha', enabled: false, path: join(fixture.project, '..', file) }),
        ]);
        const ofUser = ignored.filter(({ level }) => level === 'user').map(({ reason }) => reason);
        expect(ofUser.every((reason) => reason.includes('"enabled": false') || reason.includes('shadowed'))).toBe(true);
        expect(ofUser.length).toBeGreaterThan(0);
        expect(problems).toEqual([]);
        await fixture.dispose();
      }
    },
  );

  test('leaves others alone, and a server that is only off in its own entry is listed as off', async () => {
    const { items } = await load({
      'home/.cursor/mcp.json': JSON.stringify({ mcpServers: { alpha: { command: 'a' }, beta: { command: 'b' } } }),
      'project/.mcp.json': server({ disabled: true }),
    });
    expect(items.map(({ key, value }) => [key, value.enabled])).toEqual(
      expect.arrayContaining([
        ['alpha', false],
        ['beta', undefined],
      ]),
    );
  });
});

describe('switches', () => {
  test('a family can be switched off, and the listing says by what', async () => {
    const { used, why } = await skillNames({ families: { codex: { enabled: false } } });
    expect(used).toEqual(['one', 'two']);
    expect(why).toEqual({ three: 'switched off by the setting discovery.families.codex.enabled' });
  });

  test('a level or a kind of a family can be switched off alone', async () => {
    expect((await skillNames({ families: { claude: { user: false } } })).used).toEqual(['three', 'two']);
    expect((await fixture.discovery.load(commands, fixture.project)).items).toHaveLength(1);
    await fixture.dispose();
    expect((await skillNames({ families: { claude: { kinds: { commands: false } } } })).used).toHaveLength(3);
    const { items, ignored } = await fixture.discovery.load(commands, fixture.project);
    expect(items).toEqual([]);
    expect(ignored[0]?.reason).toContain('discovery.families.claude.kinds.commands');
  });

  test('single things can be switched off by kind and name, with a star for any letters', async () => {
    const { used, why } = await skillNames({ disabled: ['skill:t*', 'mcp:alpha'] });
    expect(used).toEqual(['one']);
    expect(why['two']).toBe('switched off by "skill:t*" in the setting discovery.disabled');
    const servers = await fixture.discovery.load(mcpServers, fixture.project);
    expect(servers.items.map(({ key }) => key)).toEqual(['beta']);
  });

  test('a skill that oh-my-pi has disabled is left out; a project disables its own only', async () => {
    fixture = await makeFixture({
      'home/.omp/agent/config.yml': 'disabledExtensions:\n  - skill:one\n  - skill:shared\n',
      'home/.omp/agent/skills/one/SKILL.md': skill('one'),
      'home/.omp/agent/skills/two/SKILL.md': skill('two'),
      'project/.omp/settings.json': '{"disabledExtensions": ["skill:two", "skill:three"]}',
      'project/.omp/skills/three/SKILL.md': skill('three'),
      'project/.omp/skills/shared/SKILL.md': skill('shared'),
      'project/.omp/skills/four/SKILL.md': skill('four'),
    });
    const { items, ignored } = await fixture.discovery.load(skills, fixture.project);
    expect(items.map(({ key }) => key).sort()).toEqual(['four', 'two']);
    expect(ignored.map(({ key }) => key).sort()).toEqual(['one', 'shared', 'three']);
    expect(ignored[0]?.reason).toContain('switched off by "disabledExtensions" in ');
  });

  test('skills can be chosen, left out, and come from more folders', async () => {
    const settings = { skills: { include: ['t*', 'extra'], ignore: ['three'], folders: ['more'] } };
    const { used, why } = await skillNames(settings);
    expect(used).toEqual(['extra', 'two']);
    expect(why['three']).toContain('discovery.skills.ignore');
    expect(why['one']).toContain('discovery.skills.include');
  });

  test('what is switched off shadows nothing', async () => {
    fixture = await makeFixture(
      { 'project/.tenon/skills/same/SKILL.md': skill('same'), 'project/.claude/skills/same/SKILL.md': skill('same') },
      { families: { native: { enabled: false } } },
    );
    const { items } = await fixture.discovery.load(skills, fixture.project);
    expect(items.map(({ family }) => family)).toEqual(['claude']);
  });

  test('nothing of a bundle that is switched off is read', async () => {
    fixture = await makeFixture(
      {
        'home/.gemini/extensions/ext/gemini-extension.json': '{"name":"ext"}',
        'home/.gemini/extensions/ext/skills/s/SKILL.md': '---\nname: [\n---\n',
      },
      { disabled: ['bundle:ext'] },
    );
    expect((await fixture.discovery.load(bundles, fixture.project)).ignored).toHaveLength(1);
    const found = await fixture.discovery.load(skills, fixture.project);
    expect([found.items, found.ignored, found.problems]).toEqual([[], [], []]);
  });

  test.each([
    ['skill:*', 'skill:a', true],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'acb', false],
    ['*x', 'x', true],
    ['ab*ba', 'aba', false],
  ])('%s fits %s: %s', (pattern, name, fits) => {
    fixture = { dispose: () => Promise.resolve() } as Fixture;
    expect(matches(pattern, name)).toBe(fits);
  });
});

describe('where a project ends', () => {
  test('folders are walked up to the root of the repository, the nearest first', async () => {
    fixture = await makeFixture({
      'project/.claude/skills/outer/SKILL.md': skill('outer'),
      'project/a/.claude/skills/outer/SKILL.md': skill('outer'),
      'project/a/b/.claude/skills/inner/SKILL.md': skill('inner'),
      '.claude/skills/above/SKILL.md': skill('above'),
    });
    const { items } = await fixture.discovery.load(skills, join(fixture.project, 'a/b'));
    expect(items.map(({ key, file }) => [key, file.slice(fixture.project.length)])).toEqual([
      ['inner', '/a/b/.claude/skills/inner/SKILL.md'],
      ['outer', '/a/.claude/skills/outer/SKILL.md'],
    ]);
  });

  test('each thing of a project names the folder that must be trusted: its own, also above the working folder', async () => {
    fixture = await makeFixture({
      'home/.claude/skills/mine/SKILL.md': skill('mine'),
      'project/.claude/skills/outer/SKILL.md': skill('outer'),
      'project/a/.claude/skills/inner/SKILL.md': skill('inner'),
    });
    const { items } = await fixture.discovery.load(skills, join(fixture.project, 'a'));
    expect(Object.fromEntries(items.map(({ key, project }) => [key, project]))).toEqual({
      mine: undefined,
      inner: join(fixture.project, 'a'),
      outer: fixture.project,
    });
  });

  test('the home folder is never a project, also when it is a repository', async () => {
    fixture = await makeFixture({
      'home/.claude/skills/mine/SKILL.md': skill('mine'),
      'home/.git/HEAD': '',
      'home/work/x': '',
    });
    for (const cwd of ['', 'work'].map((folder) => join(fixture.home, folder))) {
      const { items } = await fixture.discovery.load(skills, cwd);
      expect(items.map(({ key, level }) => [key, level])).toEqual([['mine', 'user']]);
    }
    expect(projectFolders(join(fixture.home, 'work'), fixture.home).folders).toEqual([join(fixture.home, 'work')]);
  });

  test('a home folder that is reached by a link is the home folder', async () => {
    fixture = await makeFixture({ 'home/work/x': '' });
    await symlink(fixture.home, join(fixture.root, 'link'));
    const cwd = join(fixture.home, 'work');
    expect(projectFolders(cwd, join(fixture.root, 'link')).folders).toEqual([cwd]);
  });

  test('outside of the home folder and of a repository only the working folder counts', async () => {
    fixture = await makeFixture({ 'open/.claude/commands/evil.md': 'Evil.\n', 'open/here/x': '' });
    const { items } = await fixture.discovery.load(commands, join(fixture.root, 'open/here'));
    expect(items).toEqual([]);
  });
});

describe('context files', () => {
  test('one that says what another of the same folder says is left out, in one line or in most', async () => {
    const text = Array.from({ length: 10 }, (_, at) => `Rule ${at}.`);
    fixture = await makeFixture({
      'project/CLAUDE.md': text.join('\n'),
      'project/AGENTS.md': [...text.slice(0, 9), 'Another.'].join('\n'),
      'project/GEMINI.md': 'Something else.\n',
    });
    const { items, ignored } = await fixture.discovery.load(contextFiles, fixture.project);
    expect(items.map(({ family }) => family)).toEqual(['claude', 'gemini']);
    expect(ignored[0]?.reason).toBe(`it says what ${join(fixture.project, 'CLAUDE.md')} says`);
  });

  test('the setting "first" keeps one a folder, beside personal ones', async () => {
    const files = {
      'project/CLAUDE.md': 'A',
      'project/AGENTS.md': 'B',
      'project/CLAUDE.local.md': 'C',
      'project/x/AGENTS.md': 'D',
    };
    fixture = await makeFixture(files, { contextFiles: 'first' });
    const { items } = await fixture.discovery.load(contextFiles, join(fixture.project, 'x'));
    expect(items.map(({ value }) => value.content)).toEqual(['A', 'C', 'D']);
  });

  test('a link to the same file counts once', async () => {
    fixture = await makeFixture({ 'project/AGENTS.md': 'The same.\n' });
    await symlink('AGENTS.md', join(fixture.project, 'CLAUDE.md'));
    const { items, ignored } = await fixture.discovery.load(contextFiles, fixture.project);
    expect(items).toHaveLength(1);
    expect(ignored).toHaveLength(1);
  });

  test('files are included where a line names them, never from outside, never twice, never in circles', async () => {
    fixture = await makeFixture({
      'project/CLAUDE.md':
        'Top\n\n@a.md\n@a.md\n@../secret.md\n@~/secret.md\n@link.md\n@gone.md\n@someone\n```\n@code.md\n```\nuse @types/node and `@b.md`\n',
      'project/a.md': 'A\n@b.md\n@CLAUDE.md\n',
      'project/b.md': 'B\n@a.md\n',
      'project/code.md': 'CODE\n',
      'home/secret.md': 'SECRET\n',
      'secret.md': 'SECRET\n',
    });
    await symlink(join(fixture.root, 'secret.md'), join(fixture.project, 'link.md'));
    const { items, problems } = await fixture.discovery.load(contextFiles, fixture.project);
    const content = items[0]?.value.content ?? '';
    expect(content).not.toContain('SECRET');
    expect(content).not.toContain('CODE');
    expect(content.match(/^A$/gm)).toHaveLength(1);
    expect(content.match(/^B$/gm)).toHaveLength(1);
    expect(problems.map(({ details }) => `${String(details['target'])} ${String(details['reason'])}`)).toEqual([
      '@../secret.md which is outside of what it may include',
      '@~/secret.md which is outside of what it may include',
      '@link.md which is outside of what it may include',
      '@gone.md which is not there',
    ]);
  });
});

describe('the service', () => {
  test('shows a change after the time that the setting says, and at once after invalidate()', async () => {
    fixture = await makeFixture({ 'project/.claude/commands/a.md': 'A.\n' }, { recheckMs: 60_000 });
    const names = async () => (await fixture.discovery.load(commands, fixture.project)).items.map(({ key }) => key);
    expect(await names()).toEqual(['a']);
    await fixture.write('project/.claude/commands/b.md', 'B.\n');
    expect(await names()).toEqual(['a']);
    fixture.discovery.invalidate();
    expect(await names()).toEqual(['a', 'b']);
  });

  test('one who gives up does not spoil it for the others', async () => {
    fixture = await makeFixture({ 'project/.claude/commands/a.md': 'A.\n' });
    const giveUp = new AbortController();
    const first = fixture.discovery.load(commands, fixture.project, giveUp.signal);
    const second = fixture.discovery.load(commands, fixture.project);
    giveUp.abort(new Error('no patience'));
    await expect(first).rejects.toThrow('no patience');
    expect((await second).items).toHaveLength(1);
    await expect(fixture.discovery.load(commands, fixture.project, giveUp.signal)).rejects.toThrow('no patience');
  });

  test('in a folder that is not there nothing is found and nothing fails', async () => {
    fixture = await makeFixture({});
    expect(await fixture.discovery.load(rules, join(fixture.root, 'gone'))).toEqual({
      items: [],
      ignored: [],
      problems: [],
    });
  });
});
