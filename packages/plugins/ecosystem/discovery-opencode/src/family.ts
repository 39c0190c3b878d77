import { dirname, relative, resolve } from 'node:path';
import * as d from '@tenon/discovery/api';

const { inside } = d;

/** `XDG_CONFIG_HOME` moves the user's folder. */
function userFolder(): string {
  const config = process.env['XDG_CONFIG_HOME'];
  return config ? `${config}/opencode` : '.config/opencode';
}

function roots(): d.Roots {
  return { user: userFolder(), project: '.opencode' };
}

/** The settings files, those that win first. */
function configPlaces<V>(search: d.Search<V>): readonly d.Place[] {
  const names = ['opencode.jsonc', 'opencode.json'];
  const project = names.flatMap((name) => [name, `.opencode/${name}`]);
  return search.places({ project, user: names.map((name) => `${userFolder()}/${name}`) });
}

async function eachConfig<V>(
  search: d.Search<V>,
  use: (config: Readonly<Record<string, unknown>>, file: d.Place) => void | Promise<void>,
): Promise<void> {
  for (const file of configPlaces(search)) {
    const config = await search.record(file, 'json');
    if (config) await use(config, file);
  }
}

/** A folder by the names that it has had. */
async function each<V>(
  search: d.Search<V>,
  names: readonly string[],
  use: (place: d.Place) => Promise<void>,
): Promise<void> {
  for (const place of search.places(roots())) for (const name of names) await use(inside(place, name));
}

/** Files that `instructions` names: paths, or a folder with `*.md`. Addresses are not fetched. */
async function readNamedInstructions(search: d.Search<d.ContextFile>, file: d.Place, given: unknown): Promise<void> {
  if (given === undefined) return;
  const names = new d.Fields({ instructions: given }, (what) => search.wrong(file, what)).list('instructions') ?? [];
  const base = file.level === 'project' ? dirname(file.path.replace(/\/\.opencode\/[^/]+$/, '/x')) : search.home;
  for (const name of names) {
    if (/^https?:/.test(name)) {
      search.wrong(file, `"${name}" in "instructions" is an address; those are not fetched`);
      continue;
    }
    const path = name.startsWith('~/') ? search.fromHome(name) : resolve(base, name);
    if (file.level === 'project' && relative(search.project.root, path).startsWith('..')) {
      search.wrong(file, `"${name}" in "instructions" leads out of the project`);
      continue;
    }
    if (!path.includes('*')) {
      await d.readContextFile(search, { ...file, path });
      continue;
    }
    const [, folder, deep, pattern] = /^([^*]+)\/(\*\*\/)?([^/]*\*[^/]*)$/.exec(path) ?? [];
    if (folder === undefined || pattern === undefined) {
      search.wrong(file, `"${name}" in "instructions" is not understood`);
      continue;
    }
    for (const found of await search.tree({ ...file, path: folder }, ['']))
      if ((deep !== undefined || found.parts.length === 1) && d.matchesName(pattern, found.parts.at(-1) ?? ''))
        await d.readContextFile(search, found.place);
  }
}

/** Files of OpenCode. */
export const family: d.Family = {
  id: 'opencode',
  priority: 55,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.places({ user: userFolder() }))
        await d.readContextFile(search, inside(place, 'AGENTS.md'));
      await eachConfig(search, (config, file) => readNamedInstructions(search, file, config['instructions']));
    }),
    d.looksFor(d.skills, (search) => each(search, ['skill', 'skills'], (place) => d.readSkills(search, place))),
    d.looksFor(d.commands, async (search) => {
      await each(search, ['command', 'commands'], (place) => d.readCommands(search, place));
      await eachConfig(search, (config, file) => addInline(search, file, config['command'], 'template', addCommand));
    }),
    d.looksFor(d.agents, async (search) => {
      await each(search, ['agent', 'agents'], (place) => d.readAgents(search, place, { deep: true }));
      await eachConfig(search, (config, file) =>
        addInline(search, file, config['agent'], 'prompt', (name, data, prompt) =>
          d.addAgent(search, file, data, prompt, name, name),
        ),
      );
    }),
    d.looksFor(d.mcpServers, (search) =>
      eachConfig(search, (config, file) => {
        const mcp = config['mcp'];
        const servers = d.isRecord(mcp) && d.isRecord(mcp['servers']) ? mcp['servers'] : mcp;
        d.addMcpServers(search, file, onlyServers(servers), { variableRules: ['opencode'] });
      }),
    ),
    d.looksFor(d.lspServers, (search) =>
      eachConfig(search, (config, file) => {
        if (typeof config['lsp'] !== 'boolean') d.addLspServers(search, file, config['lsp']);
      }),
    ),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const file of configPlaces(search)) await d.readSettings(search, file);
    }),
    d.looksFor(d.themes, (search) => each(search, ['themes'], (place) => d.readThemes(search, place))),
  ],
};

function addCommand(
  name: string,
  data: Readonly<Record<string, unknown>>,
  body: string,
  search: d.Search<d.CommandFile>,
  file: d.Place,
): void {
  const fields = new d.Fields(data, (what) => search.wrong(file, `command "${name}": ${what}`));
  const optional = d.present({ description: fields.text('description'), model: fields.text('model') });
  search.add({
    key: name,
    value: { name, path: file.path, body, syntax: 'markdown', ...optional },
    place: file,
    part: name,
  });
}

/** Commands and agents that stand in the settings file itself. Those without a text only change something built in. */
function addInline<V>(
  search: d.Search<V>,
  file: d.Place,
  given: unknown,
  textField: string,
  add: (
    name: string,
    data: Readonly<Record<string, unknown>>,
    text: string,
    search: d.Search<V>,
    file: d.Place,
  ) => void,
): void {
  if (given === undefined) return;
  if (!d.isRecord(given)) return search.wrong(file, 'commands and agents must be objects by name');
  for (const [name, one] of Object.entries(given)) {
    const { [textField]: text, ...data } = d.isRecord(one) ? one : {};
    if (typeof text === 'string') add(name, data, text, search, file);
  }
}

/** `{ "enabled": false }` alone switches a server of another file; it is no server. */
function onlyServers(servers: unknown): unknown {
  if (!d.isRecord(servers)) return servers;
  const isServer = (one: unknown) => !d.isRecord(one) || one['type'] !== undefined || one['command'] !== undefined;
  return Object.fromEntries(Object.entries(servers).filter(([, one]) => isServer(one)));
}
