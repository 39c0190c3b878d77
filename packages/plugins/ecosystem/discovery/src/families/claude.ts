import { basename, join } from 'node:path';
import * as d from '../api.ts';

/** The settings files, those that win first. */
function settingsFiles<V>(search: d.Search<V>): readonly d.Origin[] {
  return search
    .places()
    .flatMap((place) => ['settings.local.json', 'settings.json'].map((name) => d.inside(place, name)));
}

/** Files of Claude Code: CLAUDE.md, `.claude`, MCP servers, installed plugins. */
export const family: d.Family = {
  id: 'claude',
  priority: 80,
  // `CLAUDE_CONFIG_DIR` moves the user's folder.
  roots: () => ({ user: process.env['CLAUDE_CONFIG_DIR'] || '.claude', project: '.claude' }),
  places: {
    claude: ['`~/.claude`, `~/.claude.json`', '`CLAUDE.md`, `CLAUDE.local.md`, `.claude`, `.mcp.json`'],
    'claude-plugins': ['`~/.claude/plugins/installed_plugins.json`', 'the same, installed for the project'],
  },
  protects: {
    private: ['~/.claude', '~/.claude.json'],
    runsCode: ['./.claude', './.mcp.json'],
    guarded: ['./.claude.json'],
  },
  looks: [
    d.reads(d.contextFiles, { project: ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'] }, d.readContextFile, {
      includes: true,
    }),
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.userPlaces())
        await d.readContextFile(search, d.inside(place, 'CLAUDE.md'), { includes: true });
    }),
    d.looksFor(d.skills, async (search) => {
      // With Claude Code the user's own skills win over those of a project.
      for (const place of search.places({ ...search.roots, userFirst: true }))
        await d.readSkills(search, d.inside(place, 'skills'));
    }),
    d.reads(d.rules, 'rules', d.readRules, {
      endings: ['.md'],
      deep: true,
      translate: (fields) => (fields.has('paths', 'globs') ? {} : { alwaysApply: true }),
    }),
    d.reads(d.commands, 'commands', d.readCommands),
    d.reads(d.prompts, 'output-styles', d.readCommands, { namespace: 'output-style', flat: true }),
    d.looksFor(d.externalHooks, async (search) => {
      for (const { file, record } of await search.records(settingsFiles(search), 'json')) {
        const isOff = record['disableAllHooks'] === true;
        d.addGroupedHooks(search, file, record['hooks'], {
          dialect: 'claude',
          timeoutUnit: 'seconds',
          ...(isOff && { ignored: `"disableAllHooks" is set in ${basename(file.path)}` }),
        });
      }
    }),
    d.reads(d.toolModules, 'tools', d.readTools),
    d.reads(d.agents, 'agents', d.readAgents, { deep: true }),
    d.looksFor(d.mcpServers, readServers),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const file of settingsFiles(search)) await d.readSettings(search, file);
    }),
    d.looksFor(
      d.bundles,
      async (search) => {
        const refuse = await disabledPlugins(search);
        for (const place of search.userPlaces())
          await d.readInstalledPlugins(search, d.inside(place, 'plugins', 'installed_plugins.json'), refuse);
      },
      { id: 'claude-plugins', priority: 70 },
    ),
  ],
};

async function readServers(search: d.Search<d.McpServerConfig>): Promise<void> {
  const options = { variableRules: ['braces'] as const };
  // `~/.claude.json`, which Claude Code writes itself.
  const moved = process.env['CLAUDE_CONFIG_DIR'];
  const path = join(moved ? search.fromHome(moved) : search.home, '.claude.json');
  const state: d.Origin = { path, level: 'user' };
  const record = await search.record(state, 'json', d.STATE_LIMIT);
  const { projects } = record ?? {};
  const ofProject = search.project.folders.flatMap((folder) => {
    const project = d.isRecord(projects) ? projects[folder] : undefined;
    return d.isRecord(project) ? [project] : [];
  });
  // Servers that the user added for this project alone; they are in the home folder, so they are the user's.
  for (const project of ofProject) d.addMcpServers(search, state, project['mcpServers'], options);
  const refuse = await disabledServers(search, ofProject);
  for (const place of search.places({ project: '.mcp.json' }))
    await d.readMcpFile(search, place, { ...options, refuse });
  d.addMcpServers(search, state, record?.['mcpServers'], options);
  for (const file of settingsFiles(search)) await d.readMcpFile(search, file, options);
}

/** Why a server of a project's `.mcp.json` is not used: a settings file refuses it, or Claude Code's own record of the project. */
async function disabledServers(
  search: d.Search<d.McpServerConfig>,
  ofProject: readonly Readonly<Record<string, unknown>>[],
): Promise<(name: string) => string | undefined> {
  const off = new Map<string, string>();
  const note = ({ disabledMcpjsonServers: names }: Readonly<Record<string, unknown>>, where: string) => {
    if (Array.isArray(names)) for (const name of names) off.set(String(name), where);
  };
  for (const { file, record } of await search.records(settingsFiles(search), 'json')) note(record, file.path);
  for (const project of ofProject) note(project, '~/.claude.json');
  return d.refusal('disabledMcpjsonServers', off);
}

/** Why an installed plugin is not used: the first settings file that says something about it decides. */
async function disabledPlugins(search: d.Search<d.Bundle>): Promise<(id: string) => string | undefined> {
  const off = new Map<string, string>();
  const decided = new Set<string>();
  for (const { file, record } of await search.records(settingsFiles(search), 'json')) {
    const { enabledPlugins: plugins = {} } = record;
    if (!d.isRecord(plugins)) search.wrong(file, '"enabledPlugins" must be an object by name');
    else
      for (const [id, enabled] of Object.entries(plugins)) {
        if (enabled === false && !decided.has(id)) off.set(id, file.path);
        decided.add(id);
      }
  }
  return d.refusal('enabledPlugins', off);
}
