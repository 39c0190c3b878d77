/** Where links of a project lead: nowhere outside before the user trusts it, and never to keys and processes. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideServices } from '@tenon/kernel/testing';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, describe, expect, test } from 'vitest';
import { contextFiles, instructions, rules, skills, commands } from '../src/api.ts';

let fixture: Fixture;
afterEach(() => fixture?.dispose());

const KINDS = [contextFiles, instructions, rules, skills, commands] as const;

async function start(isTrusted: boolean): Promise<void> {
  fixture = await makeFixture({
    'home/.ssh/id_rsa': '---\nname: key\ndescription: SECRET KEY\n---\nSECRET KEY',
    'home/.config/tenon/keys.md': 'SECRET KEY',
    'outside/text.md': '---\nname: text\ndescription: OUTSIDE TEXT\n---\nOUTSIDE TEXT',
    'outside/folder/SKILL.md': '---\nname: folder\ndescription: OUTSIDE TEXT\n---\nOUTSIDE TEXT',
    'project/docs/inner.md': 'INNER TEXT',
  });
  const state = isTrusted ? ('trusted' as const) : ('unknown' as const);
  fixture.kernel.install(provideServices([[workspaceTrust, { stateOf: async () => state }]]));
}

/** Puts a link into the project. */
function link(name: string, target: string): void {
  mkdirSync(join(fixture.project, name, '..'), { recursive: true });
  symlinkSync(target, join(fixture.project, name));
}

/** All that loaders say, and what they complain about. */
async function loaded(): Promise<{ text: string; codes: string[] }> {
  const findings = await Promise.all(KINDS.map((kind) => fixture.discovery.load<unknown>(kind, fixture.project)));
  return {
    text: JSON.stringify(findings.map(({ items, ignored }) => [items, ignored])),
    codes: [...new Set(findings.flatMap(({ problems }) => problems.map(({ code }) => code)))],
  };
}

const PLACES = [
  'CLAUDE.md',
  'AGENTS.md',
  '.claude/CLAUDE.md',
  '.tenon/AGENTS.md',
  '.claude/rules/a.md',
  '.cursor/rules/a.mdc',
  '.claude/commands/a.md',
  '.github/copilot-instructions.md',
  '.github/instructions/a.instructions.md',
  '.claude/skills/a/SKILL.md',
  '.tenon/rules/a.md',
  '.tenon/commands/a.md',
  'GEMINI.md',
];

describe.each(PLACES)('%s', (name) => {
  test('is not followed to a key, trusted or not', async () => {
    for (const isTrusted of [false, true]) {
      await start(isTrusted);
      link(name, join(fixture.home, '.ssh/id_rsa'));
      const { text, codes } = await loaded();
      expect(text).not.toContain('SECRET');
      expect(codes).toContain('DISCOVERY_LINK_FORBIDDEN');
      await fixture.dispose();
    }
  });

  test('is followed out of the project only where that is trusted', async () => {
    await start(false);
    link(name, join(fixture.root, 'outside/text.md'));
    expect(await loaded()).toEqual({ text: expect.not.stringContaining('OUTSIDE'), codes: ['DISCOVERY_LINK_OUTSIDE'] });
    await fixture.dispose();
    await start(true);
    link(name, join(fixture.root, 'outside/text.md'));
    expect((await loaded()).codes).not.toContain('DISCOVERY_LINK_OUTSIDE');
  });
});

describe('a link', () => {
  test('inside of the project is followed, and one to one that leads out is not', async () => {
    await start(false);
    link('CLAUDE.md', 'docs/inner.md');
    expect((await loaded()).text).toContain('INNER TEXT');
    fixture.discovery.invalidate();
    link('AGENTS.md', 'docs/hop.md');
    link('docs/hop.md', '../../outside/text.md');
    expect(await loaded()).toEqual({ text: expect.not.stringContaining('OUTSIDE'), codes: ['DISCOVERY_LINK_OUTSIDE'] });
  });

  test.each(['.claude', '.claude/skills', '.claude/commands', '.tenon'])(
    'in place of the folder %s leads nowhere',
    async (name) => {
      await start(false);
      for (const kind of ['skills/a', 'commands', 'rules']) {
        const folder = join(fixture.root, 'outside/all', kind);
        mkdirSync(folder, { recursive: true });
        for (const file of ['SKILL.md', 'a.md'])
          writeFileSync(join(folder, file), '---\nname: a\ndescription: OUTSIDE TEXT\n---\nOUTSIDE TEXT');
      }
      const depth = name.split('/').slice(1);
      link(name, join(fixture.root, 'outside/all', ...depth));
      expect(await loaded()).toEqual({
        text: expect.not.stringContaining('OUTSIDE'),
        codes: ['DISCOVERY_LINK_OUTSIDE'],
      });
    },
  );

  test.each(['/proc/self/environ', '/dev/zero', '/dev/stdin', '/proc/self/fd/0', '/etc/shadow', '/root/.ssh'])(
    'to %s is neither read nor waited for',
    async (target) => {
      await start(true);
      link('CLAUDE.md', target);
      const { text } = await loaded();
      expect(text).not.toMatch(/PATH=|root:/);
      expect(text).not.toContain(join(fixture.project, 'CLAUDE.md'));
    },
  );

  test('of a file that a context file includes counts, too', async () => {
    await start(false);
    writeFileSync(
      join(fixture.project, 'CLAUDE.md'),
      '@docs/key.md\n@~/.ssh/id_rsa\n@../outside/text.md\n@docs/inner.md',
    );
    link('docs/key.md', join(fixture.home, '.ssh/id_rsa'));
    const { text } = await loaded();
    expect(text).not.toMatch(/SECRET|OUTSIDE/);
    expect(text).toContain('INNER TEXT');
  });
});
