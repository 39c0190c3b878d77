import { join, relative } from 'node:path';
import { inProject, placeTest, protectedPlacesOf } from '@tenon/sandbox/api';
import type { Manifest } from '@tenon/kernel';
import { afterEach, describe, expect, test } from 'vitest';
import source from '../package.json' with { type: 'json' };
import type { Discovered } from '../src/api.ts';
import { families } from '../src/families/index.ts';
import { discoveryDenials } from '../src/denials.ts';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';
import { filesByFamily } from './fixture-files.ts';

let fixture: Fixture | undefined;
afterEach(() => fixture?.dispose());

/** What a home and a project with nothing but one family's files give, by kind. */
async function findings(id: string, settings: Readonly<Record<string, unknown>> = {}) {
  fixture = await makeFixture(filesByFamily[id] ?? {}, settings);
  const found = { used: {} as Record<string, Discovered<unknown>[]>, refused: {} as Record<string, string[]> };
  const looks = families.find((family) => family.id === id)?.looks ?? [];
  for (const { slot } of looks) {
    if (slot.id === discoveryDenials.id) continue;
    const { items, ignored } = await fixture.discovery.load(slot, fixture.project);
    const own = looks.flatMap((look) => (look.slot === slot ? [look.id ?? id] : []));
    found.used[slot.id] = items.filter(({ family }) => own.includes(family));
    found.refused[slot.id] = ignored.filter(({ family }) => own.includes(family)).map(({ reason }) => reason);
  }
  return found;
}

test('every file of the folder is a family of that name, and every family has a fixture', () => {
  expect(families.map(({ id }) => id)).toEqual(Object.keys(filesByFamily).sort());
});

describe.each(families)('the family $id', ({ id, looks, places = {} }) => {
  const ids = [...new Set([id, ...looks.flatMap((look) => look.id ?? [])])];

  test('tells the guide where it looks', () => {
    expect(Object.keys(places)).toEqual(ids);
  });

  test('finds something of every kind that it looks for', async () => {
    const { used } = await findings(id);
    expect(Object.keys(used).filter((kind) => used[kind]?.length === 0)).toEqual([]);
  });

  test('is switched off by its setting, whatever it looks for', async () => {
    const off = Object.fromEntries(ids.map((name) => [name, { enabled: false }]));
    const { used, refused } = await findings(id, { families: off });
    expect(Object.values(used).flat()).toEqual([]);
    expect(Object.values(refused).flat().length).toBeGreaterThan(0);
  });
});

describe('protected places', () => {
  const RUN =
    'external-hooks hook-modules tool-modules extension-modules opencode-modules mcp-servers lsp-servers bundles'.split(
      ' ',
    );
  /** Modules that a settings file names can lie anywhere; the settings file is what is protected. */
  const NAMED = ['project/tools/omp-extra.ts', 'home/my-exts/named.ts'];
  const manifest = source.tenon as unknown as Manifest;

  test('hold everything that makes something run, wherever a family finds it', async () => {
    const { contributes } = manifest;
    for (const { id } of families) {
      const { used } = await findings(id);
      const { runsCode = [], private: hidden = [] } = (contributes?.['protected-places']?.[id] ?? {}) as {
        runsCode?: string[];
        private?: string[];
      };
      const ofHome = [...runsCode, ...hidden].filter((place) => place.startsWith('~/'));
      const inHome = placeTest(ofHome.map((place) => place.slice(2)));
      const ofProject = placeTest(inProject(runsCode));
      const { root = '', home = '', project = '' } = fixture ?? {};
      // The folder of Tenon's settings is wherever the user has it; sandboxes and approval know it as their own.
      const config = join(home, '.config/tenon');
      const open = RUN.flatMap((kind) => used[kind] ?? [])
        .map(({ file }) => file)
        .filter((file) => !NAMED.includes(relative(root, file)) && !file.startsWith(config))
        .filter((file) => !inHome.test(relative(home, file)) && !ofProject.test(relative(project, file)));
      expect(open, id).toEqual([]);
      await fixture?.dispose();
    }
  });

  test('are at least those that sandboxes, trust and approval listed by hand', () => {
    const places = protectedPlacesOf([manifest]);
    const words = (text: string) => text.trim().split(/\s+/);
    const triggers = words(`
      .tenon .agents .claude .codex .gemini .cursor .windsurf .opencode .omp .pi .cline .mcp.json mcp.json opencode.json opencode.jsonc
      .github/mcp.json .vscode .idea .zed .devcontainer .envrc`);
    expect(inProject(places.runsCode)).toEqual(expect.arrayContaining(triggers));
    const hidden = words(`
      ~/.claude ~/.claude.json ~/.codex ~/.gemini ~/.cursor ~/.omp ~/.pi ~/.config/github-copilot ~/.config/opencode
      ~/.local/share/opencode`);
    expect(places.private).toEqual(expect.arrayContaining(hidden));
    const names = words(`
      .git .hg .svn .jj .tenon .claude .codex .gemini .qwen .cursor .opencode .continue .windsurf .codeium .roo .kiro .amp .omp .pi
      .agents .aider* .goosehints .clinerules .mcp.json mcp.json opencode.json opencode.jsonc .cline .claude.json .envrc .ssh .gnupg`);
    expect(inProject([...places.runsCode, ...places.guarded])).toEqual(expect.arrayContaining(names));
  });
});
