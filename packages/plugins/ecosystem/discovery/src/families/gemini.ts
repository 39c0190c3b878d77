import { isBelow } from '@tenon/host';
import * as d from '../api.ts';

const EXTENSIONS = '.gemini/extensions';

/** Every `settings.json` with what it says. */
function settings<V>(search: d.Search<V>) {
  return search.records(
    search.places().map((place) => d.inside(place, 'settings.json')),
    'json',
  );
}

/** A value at a path of keys. */
function at(record: Readonly<Record<string, unknown>>, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (d.isRecord(value) ? value[key] : undefined), record);
}

function texts(value: unknown): readonly string[] {
  return [value].flat().filter((text): text is string => typeof text === 'string');
}

/** Files of Gemini CLI: GEMINI.md, `.gemini`, its extensions. */
export const family: d.Family = {
  id: 'gemini',
  priority: 60,
  roots: { user: '.gemini', project: '.gemini' },
  places: {
    gemini: ['`~/.gemini`', '`GEMINI.md`, `.gemini`'],
    'gemini-extensions': ['`~/.gemini/extensions`', '`.gemini/extensions`'],
  },
  protects: { private: ['~/.gemini'], runsCode: ['./.gemini'] },
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      const names = new Set(['GEMINI.md']);
      for (const { record } of await settings(search))
        for (const name of [...texts(at(record, 'context', 'fileName')), ...texts(record['contextFileName'])])
          // AGENTS.md has a family of its own, and a path is no name.
          if (name !== 'AGENTS.md' && !/[/\\]/.test(name)) names.add(name);
      const ofUser = search.userPlaces().flatMap((place) => [...names].map((name) => d.inside(place, name)));
      for (const place of [...search.places({ project: [...names] }), ...ofUser])
        await d.readContextFile(search, place, { includes: true });
    }),
    d.looksFor(d.skills, async (search) => {
      const off = new Map<string, string>();
      for (const { file, record } of await settings(search))
        for (const name of texts(at(record, 'skills', 'disabled'))) off.set(name, file.path);
      const refuse = d.refusal('skills.disabled', off);
      for (const place of search.places()) await d.readSkills(search, d.inside(place, 'skills'), { refuse });
    }),
    d.reads(d.commands, 'commands', d.readGeminiCommands),
    d.looksFor(d.externalHooks, async (search) => {
      for (const { file, record } of await settings(search)) {
        const isOff = at(record, 'hooksConfig', 'enabled') === false || at(record, 'hooks', 'enabled') === false;
        d.addGroupedHooks(search, file, record['hooks'], {
          dialect: 'gemini',
          timeoutUnit: 'milliseconds',
          notEvents: ['enabled', 'disabled', 'notifications'],
          ...(isOff && { ignored: `hooks are switched off in ${file.path}` }),
        });
      }
    }),
    d.reads(d.agents, 'agents', d.readAgents),
    d.looksFor(d.mcpServers, async (search) => {
      const all = await settings(search);
      const named = (list: string) => new Set(all.flatMap(({ record }) => texts(at(record, 'mcp', list))));
      const [allowed, excluded] = [named('allowed'), named('excluded')];
      const refuse = (name: string) => {
        if (excluded.has(name)) return 'switched off by "mcp.excluded" in the settings of Gemini';
        return allowed.size > 0 && !allowed.has(name) ? 'not in "mcp.allowed" in the settings of Gemini' : undefined;
      };
      for (const { file, record } of all)
        d.addMcpServers(search, file, record['mcpServers'], { variableRules: ['braces'], urlMeans: 'sse', refuse });
    }),
    d.reads(d.foreignSettings, 'settings.json', d.readSettings),
    d.looksFor(d.bundles, readExtensions, { id: 'gemini-extensions' }),
  ],
};

/** Extensions: folders with a `gemini-extension.json`. The user's come first, as Gemini has it. */
async function readExtensions(search: d.Search<d.Bundle>): Promise<void> {
  const [user] = search.places({ user: EXTENSIONS });
  const overrides = user ? await search.record(d.inside(user, 'extension-enablement.json'), 'json') : undefined;
  for (const place of search.places({ user: EXTENSIONS, project: EXTENSIONS, userFirst: true })) {
    for (const { name, path } of await search.list(place)) {
      if (search.files.look(path).stamp?.type !== 'folder') continue;
      const isOff = !isEnabled(overrides?.[name], search.cwd);
      const ignored = isOff ? { ignored: 'switched off by extension-enablement.json of Gemini' } : {};
      await d.readBundle(search, { ...place, path }, { format: 'gemini', ...ignored });
    }
  }
}

/** The last rule that fits the folder decides: a path, `/*` at its end for all below, `!` in front to switch off. */
function isEnabled(rules: unknown, cwd: string): boolean {
  const overrides = d.isRecord(rules) && Array.isArray(rules['overrides']) ? (rules['overrides'] as unknown[]) : [];
  const fits = (rule: string) => {
    const path = rule.replace(/^!/, '').replace(/\/?\*?$/, '');
    return cwd === path || (rule.endsWith('*') && isBelow(cwd, path));
  };
  const deciding = overrides.filter((rule): rule is string => typeof rule === 'string' && fits(rule)).at(-1);
  return deciding === undefined || !deciding.startsWith('!');
}
