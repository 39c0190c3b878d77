import * as d from '@tenon/discovery/api';
import { readExtensions } from './extensions.ts';

const { inside } = d;
const roots: d.Roots = { user: '.gemini', project: '.gemini' };

async function eachSettings<V>(
  search: d.Search<V>,
  use: (settings: Readonly<Record<string, unknown>>, file: d.Place) => void,
): Promise<void> {
  for (const place of search.places(roots)) {
    const file = inside(place, 'settings.json');
    const settings = await search.record(file, 'json');
    if (settings) use(settings, file);
  }
}

/** A value at a path of keys. */
function at(settings: Readonly<Record<string, unknown>>, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (d.isRecord(value) ? value[key] : undefined), settings);
}

function texts(value: unknown): readonly string[] {
  return [value].flat().filter((one): one is string => typeof one === 'string');
}

/** Files of Gemini CLI. */
export const family: d.Family = {
  id: 'gemini',
  priority: 60,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      const names = new Set(['GEMINI.md']);
      await eachSettings(search, (settings) => {
        for (const name of [...texts(at(settings, 'context', 'fileName')), ...texts(settings['contextFileName'])])
          // AGENTS.md has a family of its own, and a path is no name.
          if (name !== 'AGENTS.md' && !/[/\\]/.test(name)) names.add(name);
      });
      for (const place of search.places({ project: [...names] }))
        await d.readContextFile(search, place, { includes: true });
      for (const place of search.places({ user: roots.user ?? [] }))
        for (const name of names) await d.readContextFile(search, inside(place, name), { includes: true });
    }),
    d.looksFor(d.skills, async (search) => {
      const off = new Map<string, string>();
      await eachSettings(search, (settings, file) => {
        for (const name of texts(at(settings, 'skills', 'disabled'))) off.set(name, file.path);
      });
      const refuse = (name: string) => {
        const where = off.get(name);
        return where === undefined ? undefined : `switched off by "skills.disabled" in ${where}`;
      };
      for (const place of search.places(roots)) await d.readSkills(search, inside(place, 'skills'), { refuse });
    }),
    d.looksFor(d.commands, async (search) => {
      for (const place of search.places(roots)) await d.readGeminiCommands(search, inside(place, 'commands'));
    }),
    d.looksFor(d.externalHooks, (search) =>
      eachSettings(search, (settings, file) => {
        const isOff = at(settings, 'hooksConfig', 'enabled') === false || at(settings, 'hooks', 'enabled') === false;
        d.addGroupedHooks(search, file, settings['hooks'], {
          dialect: 'gemini',
          timeoutUnit: 'milliseconds',
          notEvents: ['enabled', 'disabled', 'notifications'],
          ...(isOff && { ignored: `hooks are switched off in ${file.path}` }),
        });
      }),
    ),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots)) await d.readAgents(search, inside(place, 'agents'));
    }),
    d.looksFor(d.mcpServers, async (search) => {
      const allowed = new Set<string>();
      const excluded = new Set<string>();
      await eachSettings(search, (settings) => {
        for (const name of texts(at(settings, 'mcp', 'allowed'))) allowed.add(name);
        for (const name of texts(at(settings, 'mcp', 'excluded'))) excluded.add(name);
      });
      const refuse = (name: string) => {
        if (excluded.has(name)) return 'switched off by "mcp.excluded" in the settings of Gemini';
        return allowed.size > 0 && !allowed.has(name) ? 'not in "mcp.allowed" in the settings of Gemini' : undefined;
      };
      await eachSettings(search, (settings, file) =>
        d.addMcpServers(search, file, settings['mcpServers'], { variableRules: ['braces'], urlMeans: 'sse', refuse }),
      );
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const place of search.places(roots)) await d.readSettings(search, inside(place, 'settings.json'));
    }),
    d.looksFor(d.bundles, (search) => readExtensions(search), { id: 'gemini-extensions' }),
  ],
};
