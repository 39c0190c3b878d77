import { basename } from 'node:path';
import * as d from '@tenon/discovery/api';
import { translateServer } from './server-fields.ts';

const { inside } = d;

/** `CODEX_HOME` moves the user's folder. */
function roots(): d.Roots {
  return { user: process.env['CODEX_HOME'] || '.codex', project: '.codex' };
}

async function eachConfig<V>(
  search: d.Search<V>,
  use: (config: Readonly<Record<string, unknown>>, file: d.Place) => void,
): Promise<void> {
  for (const place of search.places(roots())) {
    const file = inside(place, 'config.toml');
    const config = await search.record(file, 'toml');
    if (config) use(config, file);
  }
}

/** Skills that `[[skills.config]]` switches off, by path or name. */
async function refusedSkills(search: d.Search<d.Skill>): Promise<(name: string, file: string) => string | undefined> {
  const off = new Map<string, string>();
  await eachConfig(search, (config, file) => {
    const list = d.isRecord(config['skills']) ? config['skills']['config'] : undefined;
    for (const one of Array.isArray(list) ? (list as unknown[]) : []) {
      if (!d.isRecord(one) || one['enabled'] !== false) continue;
      for (const key of [one['path'], one['name']])
        if (typeof key === 'string') off.set(key.startsWith('~') ? search.fromHome(key) : key, file.path);
    }
  });
  return (name, file) => {
    const where = off.get(file) ?? off.get(file.replace(/\/SKILL\.md$/, '')) ?? off.get(name);
    return where === undefined ? undefined : `switched off by "skills.config" in ${where}`;
  };
}

/** Files of Codex. */
export const family: d.Family = {
  id: 'codex',
  priority: 70,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.places({ project: 'AGENTS.override.md' })) await d.readContextFile(search, place);
      for (const place of search.places({ user: roots().user ?? [] }))
        for (const name of ['AGENTS.override.md', 'AGENTS.md']) await d.readContextFile(search, inside(place, name));
    }),
    d.looksFor(d.skills, async (search) => {
      const refuse = await refusedSkills(search);
      for (const place of search.places(roots())) await d.readSkills(search, inside(place, 'skills'), { refuse });
    }),
    d.looksFor(d.prompts, async (search) => {
      for (const place of search.places(roots()))
        await d.readCommands(search, inside(place, 'prompts'), { flat: true });
    }),
    d.looksFor(d.externalHooks, async (search) => {
      const options = { dialect: 'codex', timeoutUnit: 'seconds' } as const;
      for (const place of search.places(roots())) {
        const file = inside(place, 'hooks.json');
        const record = await search.record(file, 'json');
        if (record) d.addGroupedHooks(search, file, record['hooks'], options);
      }
      await eachConfig(search, (config, file) => {
        d.addGroupedHooks(search, file, config['hooks'], { ...options, notEvents: ['state'] });
        addNotify(search, file, config['notify']);
      });
    }),
    d.looksFor(d.toolModules, async (search) => {
      for (const place of search.places(roots())) await d.readTools(search, inside(place, 'tools'));
    }),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots())) {
        for (const { name, path } of await search.list(inside(place, 'agents'))) {
          if (!name.endsWith('.toml')) continue;
          const file = { ...place, path };
          const { developer_instructions: prompt, ...data } = (await search.record(file, 'toml')) ?? {};
          if (typeof prompt === 'string') d.addAgent(search, file, data, prompt, basename(name, '.toml'));
          else if (Object.keys(data).length > 0) search.wrong(file, '"developer_instructions" must be text');
        }
      }
    }),
    d.looksFor(d.mcpServers, (search) =>
      eachConfig(search, (config, file) =>
        d.addMcpServers(search, file, config['mcp_servers'], { variableRules: ['braces'], translate: translateServer }),
      ),
    ),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const place of search.places(roots())) await d.readSettings(search, inside(place, 'config.toml'), 'toml');
    }),
    d.looksFor(d.bundles, readPlugins, { id: 'codex-plugins' }),
  ],
};

/** `notify` is an argument list; one JSON argument is added when it is run. */
function addNotify(search: d.Search<d.ExternalHook>, file: d.Place, notify: unknown): void {
  if (notify === undefined) return;
  if (!Array.isArray(notify) || notify.length === 0 || notify.some((word) => typeof word !== 'string'))
    return search.wrong(file, '"notify" must be a list of texts');
  search.add({
    key: `${file.path}#notify`,
    value: {
      dialect: 'codex',
      event: 'agent-turn-complete',
      type: 'notify',
      argv: notify as string[],
      path: file.path,
    },
    place: file,
    part: 'notify',
  });
}

/** Installed plugins: `plugins/cache/<marketplace>/<plugin>/<version>`; `[plugins."name@marketplace"]` switches them. */
async function readPlugins(search: d.Search<d.Bundle>): Promise<void> {
  const off = new Map<string, string>();
  await eachConfig(search, (config, file) => {
    const plugins = d.isRecord(config['plugins']) ? config['plugins'] : {};
    for (const [id, plugin] of Object.entries(plugins))
      if (d.isRecord(plugin) && plugin['enabled'] === false) off.set(id, file.path);
  });
  for (const place of search.places({ user: roots().user ?? [] })) {
    const cache = inside(place, 'plugins', 'cache');
    for (const marketplace of await search.list(cache)) {
      for (const plugin of await search.list({ ...cache, path: marketplace.path })) {
        const versions = await search.list({ ...cache, path: plugin.path });
        const newest = [...versions].sort((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }))[0];
        if (!newest) continue;
        const where = off.get(`${plugin.name}@${marketplace.name}`);
        const ignored = where === undefined ? {} : { ignored: `switched off by "plugins" in ${where}` };
        await d.readBundle(
          search,
          { ...cache, path: newest.path },
          { fallback: 'codex', name: plugin.name, ...ignored },
        );
      }
    }
  }
}
