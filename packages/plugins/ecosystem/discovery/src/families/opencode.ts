import { dirname, isAbsolute, resolve } from 'node:path';
import { isInside } from '@tenon/host';
import * as d from '../api.ts';

type Data = Readonly<Record<string, unknown>>;

/** `XDG_CONFIG_HOME` moves the user's folder. */
function userFolder(): string {
  const config = process.env['XDG_CONFIG_HOME'];
  return config && isAbsolute(config) ? `${config}/opencode` : '.config/opencode';
}

/** The settings files, those that win first. */
function configFiles<V>(search: d.Search<V>): readonly d.Origin[] {
  const names = ['opencode.jsonc', 'opencode.json'];
  const project = names.flatMap((name) => [name, `.opencode/${name}`]);
  return search.places({ project, user: names.map((name) => `${userFolder()}/${name}`) });
}

/** Every settings file with what it says. */
function configs<V>(search: d.Search<V>) {
  return search.records(configFiles(search), 'json');
}

/** Files of OpenCode: `opencode.json`, `.opencode`. Folders go by the names that they have had. */
export const family: d.Family = {
  id: 'opencode',
  priority: 55,
  roots: () => ({ user: userFolder(), project: '.opencode' }),
  places: { opencode: ['`~/.config/opencode`', '`opencode.json`, `opencode.jsonc`, `.opencode`'] },
  protects: {
    private: ['~/.config/opencode', '~/.local/share/opencode'],
    runsCode: ['./.opencode', './opencode.json', './opencode.jsonc'],
  },
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.userPlaces()) await d.readContextFile(search, d.inside(place, 'AGENTS.md'));
      for (const { file, record } of await configs(search))
        await readNamedInstructions(search, file, record['instructions']);
    }),
    d.reads(d.skills, ['skill', 'skills'], d.readSkills),
    d.reads(d.commands, ['command', 'commands'], d.readCommands),
    d.looksFor(d.commands, async (search) => {
      for (const { file, record } of await configs(search))
        addInline(search, file, record['command'], 'template', addCommand);
    }),
    d.reads(d.agents, ['agent', 'agents'], d.readAgents, { deep: true }),
    d.looksFor(d.agents, async (search) => {
      for (const { file, record } of await configs(search))
        addInline(search, file, record['agent'], 'prompt', (_search, _file, name, data, prompt) =>
          d.addAgent(search, file, data, prompt, name, name),
        );
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const { file, record } of await configs(search)) {
        const { mcp } = record;
        const servers = d.isRecord(mcp) && d.isRecord(mcp['servers']) ? mcp['servers'] : mcp;
        d.addMcpServers(search, file, onlyServers(servers), { variableRules: ['opencode'] });
      }
    }),
    d.looksFor(d.lspServers, async (search) => {
      for (const { file, record } of await configs(search))
        if (typeof record['lsp'] !== 'boolean') d.addLspServers(search, file, record['lsp']);
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const file of configFiles(search)) await d.readSettings(search, file);
    }),
    d.reads(d.themes, 'themes', d.readThemes),
    d.reads(d.opencodeModules, ['plugin', 'plugins'], listModules, 'plugin'),
    d.reads(d.opencodeModules, ['tool', 'tools'], listModules, 'tool'),
    d.looksFor(d.opencodeModules, async (search) => {
      for (const { file, record } of await configs(search)) addPackages(search, file, record['plugin']);
    }),
  ],
};

/** Files with code. A tool and a plugin may have the same name. */
async function listModules(
  search: d.Search<d.OpencodeModule>,
  folder: d.Origin,
  kind: d.OpencodeModule['kind'],
): Promise<void> {
  for (const { name: fileName, path } of await search.list(folder)) {
    if (!/\.[cm]?[jt]s$/.test(fileName) || fileName.endsWith('.d.ts')) continue;
    const name = fileName.replace(/\.[cm]?[jt]s$/, '');
    search.add({ key: `${kind}:${name}`, value: { name, path, kind }, place: { ...folder, path } });
  }
}

/** `plugin` in the settings: names of packages, paths and file: addresses, each alone or in a list with its options. */
function addPackages(search: d.Search<d.OpencodeModule>, file: d.Origin, listed: unknown): void {
  if (listed === undefined) return;
  if (!Array.isArray(listed)) return search.wrong(file, '"plugin" must be a list');
  for (const entry of listed as readonly unknown[]) {
    const [named, options] = (Array.isArray(entry) ? entry : [entry]) as readonly unknown[];
    if (typeof named !== 'string' || named === '') {
      search.wrong(file, 'an entry of "plugin" is neither the name of a package nor a path');
      continue;
    }
    const value = { name: named, path: file.path, kind: 'plugin' as const, package: named };
    search.add({
      key: `package:${named}`,
      value: { ...value, ...(d.isRecord(options) && { options }) },
      place: file,
      part: named,
    });
  }
}

/** Files that `instructions` names: paths, or a folder with `*.md`. Addresses are not fetched. */
async function readNamedInstructions(search: d.Search<d.ContextFile>, file: d.Origin, listed: unknown): Promise<void> {
  if (listed === undefined) return;
  const names = new d.Fields({ instructions: listed }, (what) => search.wrong(file, what)).list('instructions') ?? [];
  const base = file.level === 'project' ? dirname(file.path.replace(/\/\.opencode\/[^/]+$/, '/x')) : search.home;
  for (const name of names) {
    const problem = await readInstruction(search, file, name, base);
    if (problem !== undefined) search.wrong(file, `"${name}" in "instructions" ${problem}`);
  }
}

/** Reads one of them, or says what is wrong with it. */
async function readInstruction(
  search: d.Search<d.ContextFile>,
  file: d.Origin,
  name: string,
  base: string,
): Promise<string | undefined> {
  if (/^https?:/.test(name)) return 'is an address; those are not fetched';
  const path = name.startsWith('~/') ? search.fromHome(name) : resolve(base, name);
  if (file.level === 'project' && !isInside(path, search.project.root)) return 'leads out of the project';
  if (!path.includes('*')) return void (await d.readContextFile(search, { ...file, path }));
  const [, folder, deep, pattern] = /^([^*]+)\/(\*\*\/)?([^/]*\*[^/]*)$/.exec(path) ?? [];
  if (folder === undefined || pattern === undefined) return 'is not understood';
  for (const { place, parts } of await search.tree({ ...file, path: folder }, ['']))
    if ((deep !== undefined || parts.length === 1) && d.matchesName(pattern, parts.at(-1) ?? ''))
      await d.readContextFile(search, place);
  return undefined;
}

type AddInline<V> = (search: d.Search<V>, file: d.Origin, name: string, data: Data, text: string) => void;

const addCommand: AddInline<d.CommandFile> = (search, file, name, data, body) => {
  const fields = new d.Fields(data, (what) => search.wrong(file, `command "${name}": ${what}`));
  const optional = d.present({ description: fields.text('description'), model: fields.text('model') });
  search.add({
    key: name,
    value: { name, path: file.path, body, syntax: 'markdown', ...optional },
    place: file,
    part: name,
  });
};

/** Commands and agents that stand in the settings file itself. Those without a text only change something built in. */
function addInline<V>(
  search: d.Search<V>,
  file: d.Origin,
  section: unknown,
  textField: string,
  add: AddInline<V>,
): void {
  if (section === undefined) return;
  if (!d.isRecord(section)) return search.wrong(file, 'commands and agents must be objects by name');
  for (const [name, entry] of Object.entries(section)) {
    const { [textField]: text, ...data } = d.isRecord(entry) ? entry : {};
    if (typeof text === 'string') add(search, file, name, data, text);
  }
}

/** `{ "enabled": false }` alone switches a server of another file; it is no server. */
function onlyServers(servers: unknown): unknown {
  if (!d.isRecord(servers)) return servers;
  const isServer = (entry: unknown) =>
    !d.isRecord(entry) || entry['type'] !== undefined || entry['command'] !== undefined;
  return Object.fromEntries(Object.entries(servers).filter(([, entry]) => isServer(entry)));
}
