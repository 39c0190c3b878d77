import { basename } from 'node:path';
import * as d from '../api.ts';

const HOOKS = { dialect: 'codex', timeoutUnit: 'seconds' } as const;

/** Every `config.toml` with what it says. */
function configs<V>(search: d.Search<V>) {
  return search.records(
    search.places().map((place) => d.inside(place, 'config.toml')),
    'toml',
  );
}

/** Files of Codex: its instructions, prompts, skills, hooks, MCP servers and plugins. */
export const family: d.Family = {
  id: 'codex',
  priority: 70,
  // `CODEX_HOME` moves the user's folder.
  roots: () => ({ user: process.env['CODEX_HOME'] || '.codex', project: '.codex' }),
  places: { codex: ['`~/.codex`', '`.codex`, `AGENTS.override.md`'], 'codex-plugins': ['`~/.codex/plugins/cache`'] },
  protects: { private: ['~/.codex'], runsCode: ['./.codex'] },
  looks: [
    d.reads(d.contextFiles, { project: 'AGENTS.override.md' }, d.readContextFile),
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.userPlaces())
        for (const name of ['AGENTS.override.md', 'AGENTS.md']) await d.readContextFile(search, d.inside(place, name));
    }),
    d.looksFor(d.skills, async (search) => {
      const refuse = await disabledSkills(search);
      for (const place of search.places()) await d.readSkills(search, d.inside(place, 'skills'), { refuse });
    }),
    d.reads(d.prompts, 'prompts', d.readCommands, { flat: true }),
    d.reads(d.externalHooks, 'hooks.json', d.readGroupedHooks, HOOKS),
    d.looksFor(d.externalHooks, async (search) => {
      for (const { file, record } of await configs(search)) {
        d.addGroupedHooks(search, file, record['hooks'], { ...HOOKS, notEvents: ['state'] });
        addNotify(search, file, record['notify']);
      }
    }),
    d.reads(d.toolModules, 'tools', d.readTools),
    d.reads(d.agents, 'agents', async (search, folder) => {
      for (const { name, path } of await search.list(folder)) {
        if (!name.endsWith('.toml')) continue;
        const file = { ...folder, path };
        const { developer_instructions: prompt, ...data } = (await search.record(file, 'toml')) ?? {};
        if (typeof prompt === 'string') d.addAgent(search, file, data, prompt, basename(name, '.toml'));
        else if (Object.keys(data).length > 0) search.wrong(file, '"developer_instructions" must be text');
      }
    }),
    d.looksFor(d.mcpServers, async (search) => {
      const options = { variableRules: ['braces'], translate: translateServer } as const;
      for (const { file, record } of await configs(search))
        d.addMcpServers(search, file, record['mcp_servers'], options);
    }),
    d.reads(d.foreignSettings, 'config.toml', d.readSettings, 'toml'),
    d.looksFor(d.bundles, readPlugins, { id: 'codex-plugins' }),
  ],
};

/** Skills that `[[skills.config]]` switches off, by path or name. */
async function disabledSkills(search: d.Search<d.Skill>): Promise<(name: string, file: string) => string | undefined> {
  const off = new Map<string, string>();
  for (const { file, record } of await configs(search)) {
    const list = d.isRecord(record['skills']) ? record['skills']['config'] : undefined;
    for (const skill of Array.isArray(list) ? (list as unknown[]) : []) {
      if (!d.isRecord(skill) || skill['enabled'] !== false) continue;
      for (const key of [skill['path'], skill['name']])
        if (typeof key === 'string') off.set(key.startsWith('~') ? search.fromHome(key) : key, file.path);
    }
  }
  const refuse = d.refusal('skills.config', off);
  return (name, file) => refuse(file) ?? refuse(file.replace(/\/SKILL\.md$/, '')) ?? refuse(name);
}

/** `notify` is an argument list; one JSON argument is added when it is run. */
function addNotify(search: d.Search<d.ExternalHook>, file: d.Origin, notify: unknown): void {
  if (notify === undefined) return;
  if (!Array.isArray(notify) || notify.length === 0 || notify.some((word) => typeof word !== 'string'))
    return search.wrong(file, '"notify" must be a list of texts');
  const argv = notify as string[];
  search.add({
    key: `${file.path}#notify`,
    value: { dialect: 'codex', event: 'agent-turn-complete', type: 'notify', argv, path: file.path },
    place: file,
    part: 'notify',
  });
}

/** What only Codex says about an MCP server. Variables become `${NAME}`, which whoever starts the server fills in. */
function translateServer(fields: d.Fields): Partial<d.McpServerConfig> {
  const literal = fields.textRecord('http_headers') ?? {};
  const fromVariables = Object.entries(fields.textRecord('env_http_headers') ?? {});
  const bearer = fields.text('bearer_token_env_var');
  const headers = {
    ...literal,
    ...Object.fromEntries(fromVariables.map(([name, variable]) => [name, `\${${variable}}`])),
    ...(bearer !== undefined && { Authorization: `Bearer \${${bearer}}` }),
  };
  const passed = (fields.list('env_vars') ?? []).map((name) => [name, `\${${name}}`]);
  const env = { ...Object.fromEntries(passed), ...fields.textRecord('env') };
  const seconds = fields.number('startup_timeout_sec');
  const milliseconds = fields.number('startup_timeout_ms');
  return d.present({
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    env: Object.keys(env).length > 0 ? env : undefined,
    timeoutMs: milliseconds ?? (seconds === undefined ? undefined : seconds * 1000),
  });
}

/** Installed plugins: `plugins/cache/<marketplace>/<plugin>/<version>`; `[plugins."name@marketplace"]` switches them. */
async function readPlugins(search: d.Search<d.Bundle>): Promise<void> {
  const off = new Map<string, string>();
  for (const { file, record } of await configs(search)) {
    const plugins = d.isRecord(record['plugins']) ? record['plugins'] : {};
    for (const [id, plugin] of Object.entries(plugins))
      if (d.isRecord(plugin) && plugin['enabled'] === false) off.set(id, file.path);
  }
  const refuse = d.refusal('plugins', off);
  for (const place of search.userPlaces()) {
    const cache = d.inside(place, 'plugins', 'cache');
    for (const marketplace of await search.list(cache)) {
      for (const { name, path } of await search.list({ ...cache, path: marketplace.path })) {
        const versions = await search.list({ ...cache, path });
        const newest = [...versions].sort((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }))[0];
        if (!newest) continue;
        const ignored = refuse(`${name}@${marketplace.name}`);
        const hints = { fallback: 'codex', name, ...(ignored !== undefined && { ignored }) } as const;
        await d.readBundle(search, { ...cache, path: newest.path }, hints);
      }
    }
  }
}
