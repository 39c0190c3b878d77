import { basename, join } from 'node:path';
import * as d from '@tenon/discovery/api';
import { enabledPlugins, mcpJsonRefusal } from './switches.ts';

const { inside } = d;

/** `CLAUDE_CONFIG_DIR` moves the user's folder. */
function userFolder(): string {
  return process.env['CLAUDE_CONFIG_DIR'] || '.claude';
}

function roots(): d.Roots {
  return { user: userFolder(), project: '.claude' };
}

const SETTINGS = ['settings.local.json', 'settings.json'];

/** The settings files, those that win first. */
function settingsPlaces<V>(search: d.Search<V>): readonly d.Place[] {
  return search.places(roots()).flatMap((place) => SETTINGS.map((name) => inside(place, name)));
}

/** Files of Claude Code. */
export const family: d.Family = {
  id: 'claude',
  priority: 80,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      const names = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
      for (const place of search.places({ project: names })) await d.readContextFile(search, place, { includes: true });
      for (const place of search.places({ user: userFolder() }))
        await d.readContextFile(search, inside(place, 'CLAUDE.md'), { includes: true });
    }),
    d.looksFor(d.skills, async (search) => {
      // With Claude Code the user's own skills win over those of a project.
      for (const place of search.places({ ...roots(), userFirst: true }))
        await d.readSkills(search, inside(place, 'skills'));
    }),
    d.looksFor(d.rules, async (search) => {
      for (const place of search.places(roots()))
        await d.readRules(search, inside(place, 'rules'), {
          endings: ['.md'],
          deep: true,
          translate: (fields) => (fields.has('paths', 'globs') ? {} : { alwaysApply: true }),
        });
    }),
    d.looksFor(d.commands, async (search) => {
      for (const place of search.places(roots())) await d.readCommands(search, inside(place, 'commands'));
    }),
    d.looksFor(d.prompts, async (search) => {
      for (const place of search.places(roots()))
        await d.readCommands(search, inside(place, 'output-styles'), { namespace: 'output-style', flat: true });
    }),
    d.looksFor(d.externalHooks, async (search) => {
      for (const file of settingsPlaces(search)) {
        const settings = await search.record(file, 'json');
        if (!settings) continue;
        const off =
          settings['disableAllHooks'] === true ? `"disableAllHooks" is set in ${basename(file.path)}` : undefined;
        d.addGroupedHooks(search, file, settings['hooks'], {
          dialect: 'claude',
          timeoutUnit: 'seconds',
          ...(off !== undefined && { ignored: off }),
        });
      }
    }),
    d.looksFor(d.toolModules, async (search) => {
      for (const place of search.places(roots())) await d.readTools(search, inside(place, 'tools'));
    }),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots())) await d.readAgents(search, inside(place, 'agents'), { deep: true });
    }),
    d.looksFor(d.mcpServers, async (search) => {
      const options = { variableRules: ['braces'] as const };
      const state = stateFile(search);
      const record = await search.record(state, 'json', d.STATE_LIMIT);
      const projects = record?.['projects'];
      for (const folder of search.project.folders) {
        const project = d.isRecord(projects) ? projects[folder] : undefined;
        // Servers that the user added for this project alone; they are in the home folder, so they are the user's.
        if (d.isRecord(project)) d.addMcpServers(search, state, project['mcpServers'], options);
      }
      const refuse = await mcpJsonRefusal(search, settingsPlaces(search), record);
      for (const place of search.places({ project: '.mcp.json' }))
        await d.readMcpFile(search, place, { ...options, refuse });
      d.addMcpServers(search, state, record?.['mcpServers'], options);
      for (const file of settingsPlaces(search)) await d.readMcpFile(search, file, options);
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const file of settingsPlaces(search)) await d.readSettings(search, file);
    }),
    d.looksFor(
      d.bundles,
      async (search) => {
        const isOn = await enabledPlugins(search, settingsPlaces(search));
        const [user] = search.places({ user: userFolder() });
        if (user) await d.readInstalledPlugins(search, inside(user, 'plugins', 'installed_plugins.json'), isOn);
      },
      { id: 'claude-plugins', priority: 70 },
    ),
  ],
};

/** `~/.claude.json`, which Claude Code writes itself. */
function stateFile(search: d.Search<d.McpServerConfig>): d.Place {
  const moved = process.env['CLAUDE_CONFIG_DIR'];
  return {
    path: moved ? join(search.fromHome(moved), '.claude.json') : join(search.home, '.claude.json'),
    level: 'user',
  };
}
