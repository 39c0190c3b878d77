import { join, resolve } from 'node:path';
import * as d from '../api.ts';

const FILTERED = ['extensions', 'skills', 'prompts', 'themes'] as const;
const SETTINGS: readonly (readonly [string, d.DataFormat])[] = [
  ['config.yml', 'yaml'],
  ['settings.json', 'json'],
];

/** Where the two keep their files; oh-my-pi, which is the younger one, comes first. */
function roots(): d.Roots {
  const chosen = process.env['PI_CODING_AGENT_DIR'];
  // A relative path starts in the home folder: one of the project must not count as the user's.
  return { user: [...(chosen ? [chosen] : []), '.omp/agent', '.pi/agent'], project: ['.omp', '.pi'] };
}

/** Files of pi and oh-my-pi: `.omp`, `.pi`, their extensions, tools, hooks and packages. */
export const family: d.Family = {
  id: 'pi',
  priority: 90,
  roots,
  places: {
    pi: ['`~/.omp/agent`, `~/.pi/agent`', '`.omp`, `.pi`'],
    'pi-packages': ['`~/.omp/plugins`, packages of `~/.pi/agent/settings.json`', 'packages of `.pi/settings.json`'],
  },
  protects: { private: ['~/.omp', '~/.pi'], runsCode: ['./.omp', './.pi'] },
  looks: [
    d.reads(d.contextFiles, 'AGENTS.md', d.readContextFile),
    d.reads(d.contextFiles, 'SYSTEM.md', d.readContextFile, { role: 'system' }),
    d.reads(d.contextFiles, 'APPEND_SYSTEM.md', d.readContextFile, { role: 'append' }),
    d.looksFor(d.skills, async (search) => {
      const refuse = await disabledSkills(search);
      for (const place of search.places())
        await d.readSkills(search, d.inside(place, 'skills'), {
          needsDescription: true,
          singleFiles: true,
          refuse: refuse(place.level),
        });
    }),
    d.reads(d.rules, 'rules', d.readRules),
    d.reads(d.commands, 'commands', d.readCommands),
    d.reads(d.prompts, 'prompts', d.readCommands, { flat: true }),
    d.reads(d.instructions, 'instructions', d.readInstructions),
    d.reads(d.hookModules, 'hooks', d.readHookModules),
    d.reads(d.toolModules, 'tools', d.readTools),
    d.reads(d.agents, 'agents', d.readAgents),
    d.reads(d.mcpServers, 'mcp.json', d.readMcpFile, { variableRules: ['names'] }),
    d.reads(d.lspServers, 'lsp.json', d.readLspFile),
    d.reads(d.extensionModules, 'extensions', d.readExtensions),
    d.looksFor(d.extensionModules, async (search) => {
      for (const place of search.places()) await readNamedExtensions(search, place);
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const place of search.places())
        for (const [name, format] of SETTINGS) await d.readSettings(search, d.inside(place, name), format);
    }),
    d.reads(d.themes, 'themes', d.readThemes),
    d.looksFor(d.bundles, readPackages, { id: 'pi-packages' }),
    d.reads(d.discoveryDenials, 'mcp.json', d.readDeniedServers),
  ],
};

/** Skills that `disabledExtensions` names (`skill:NAME`). A project switches off what is its own. */
async function disabledSkills(search: d.Search<d.Skill>): Promise<(level: d.Origin['level']) => Refuse> {
  const off = { user: new Map<string, string>(), project: new Map<string, string>() };
  for (const place of search.places())
    for (const [name, format] of SETTINGS) {
      const file = d.inside(place, name);
      const listed = (await search.record(file, format))?.['disabledExtensions'];
      for (const entry of Array.isArray(listed) ? (listed as unknown[]) : [])
        if (typeof entry === 'string' && entry.startsWith('skill:')) off[place.level].set(entry.slice(6), file.path);
    }
  const [ofUser, ofProject] = [off.user, new Map([...off.project, ...off.user])];
  return (level) => d.refusal('disabledExtensions', level === 'user' ? ofUser : ofProject);
}

type Refuse = (name: string) => string | undefined;

/** Extensions that a settings file names. */
async function readNamedExtensions(search: d.Search<d.ExtensionModule>, place: d.Origin): Promise<void> {
  for (const [name, format] of SETTINGS) {
    const file = d.inside(place, name);
    const record = await search.record(file, format);
    if (!record) continue;
    const base = place.level === 'project' ? join(place.path, '..') : search.cwd;
    for (const path of new d.Fields(record, (what) => search.wrong(file, what)).list('extensions') ?? []) {
      // A `-` in front switches off one that a package brings.
      if (path.startsWith('-') || path.startsWith('!')) continue;
      const absolute = path.startsWith('~/') ? search.fromHome(path) : resolve(base, path);
      await d.readExtension(search, { ...place, path: absolute });
    }
  }
}

/** Packages where their installers put them: plugins of oh-my-pi, its npm folder, and what pi's settings name. They are never installed from here. */
async function readPackages(search: d.Search<d.Bundle>): Promise<void> {
  for (const place of search.places({ user: '.omp/plugins', project: '.omp/plugins' })) {
    await d.readInstalledPlugins(search, d.inside(place, 'installed_plugins.json'), () => undefined);
    await readNodeModules(search, d.inside(place, 'node_modules'));
  }
  for (const place of search.places()) {
    const file = d.inside(place, 'settings.json');
    const packages = (await search.record(file, 'json'))?.['packages'];
    if (packages === undefined) continue;
    if (Array.isArray(packages)) for (const entry of packages as unknown[]) await readNamed(search, file, place, entry);
    else search.wrong(file, '"packages" must be a list');
  }
}

async function readNodeModules(search: d.Search<d.Bundle>, folder: d.Origin): Promise<void> {
  for (const { name, path } of await search.list(folder)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) await readNodeModules(search, { ...folder, path });
    else await d.readBundle(search, { ...folder, path }, { format: 'pi' });
  }
}

async function readNamed(search: d.Search<d.Bundle>, file: d.Origin, place: d.Origin, entry: unknown): Promise<void> {
  const source = d.isRecord(entry) ? entry['source'] : entry;
  if (typeof source !== 'string' || source.length > 500)
    return search.wrong(file, 'a package must be a text or have a "source"');
  const path = folderOf(search, place, source);
  if (path === undefined) return search.wrong(file, `the package "${source}" cannot be understood`);
  const filter = d.isRecord(entry)
    ? Object.fromEntries(FILTERED.flatMap((field) => (Array.isArray(entry[field]) ? [[field, entry[field]]] : [])))
    : {};
  const more = Object.keys(filter).length > 0 ? { more: { filter } } : {};
  const isThere = await d.readBundle(search, { ...place, path }, { format: 'pi', fallback: 'pi', ...more });
  if (!isThere) search.wrong(file, `the package "${source}" is not installed (${path} is not there)`);
}

/** Where pi installs a package of this kind. */
function folderOf(search: d.Search<d.Bundle>, place: d.Origin, source: string): string | undefined {
  if (source.startsWith('npm:')) {
    const name = /^npm:((?:@[\w.-]+\/)?[\w.-]+)(?:@.+)?$/.exec(source)?.[1];
    return name === undefined || name.startsWith('.') ? undefined : join(place.path, 'npm', 'node_modules', name);
  }
  const git =
    /^(?:git:)?(?:(?:https?|ssh|git):\/\/)?(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)[/:]([\w./-]+?)(?:\.git)?(?:@.+)?$/;
  if (source.startsWith('git:') || source.includes('://')) {
    const [, host, path] = git.exec(source) ?? [];
    return host === undefined || path === undefined || path.includes('..')
      ? undefined
      : join(place.path, 'git', host, path);
  }
  return source.startsWith('~/') ? search.fromHome(source) : resolve(place.path, source);
}
