import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as d from '@tenon/discovery/api';
import { readPackages } from './packages.ts';

const { inside } = d;

/** Where the two keep their files; oh-my-pi, which is the younger one, comes first. */
function roots(): d.Roots {
  const chosen = process.env['PI_CODING_AGENT_DIR'];
  const own = chosen === undefined || chosen === '' ? [] : [resolve(chosen.replace(/^~(?=\/|$)/, homedir()))];
  return { user: [...own, '.omp/agent', '.pi/agent'], project: ['.omp', '.pi'] };
}

/** Extensions that a settings file names. */
async function readNamedExtensions(search: d.Search<d.ExtensionModule>, place: d.Place): Promise<void> {
  for (const [name, format] of SETTINGS) {
    const file = inside(place, name);
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

const SETTINGS: readonly (readonly [string, d.DataFormat])[] = [
  ['config.yml', 'yaml'],
  ['settings.json', 'json'],
];

/** Files of pi and oh-my-pi. */
export const family: d.Family = {
  id: 'pi',
  priority: 90,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.places(roots())) await d.readContextFile(search, inside(place, 'AGENTS.md'));
    }),
    d.looksFor(d.skills, async (search) => {
      for (const place of search.places(roots()))
        await d.readSkills(search, inside(place, 'skills'), { needsDescription: true, singleFiles: true });
    }),
    d.looksFor(d.rules, async (search) => {
      for (const place of search.places(roots())) await d.readRules(search, inside(place, 'rules'));
    }),
    d.looksFor(d.commands, async (search) => {
      for (const place of search.places(roots())) await d.readCommands(search, inside(place, 'commands'));
    }),
    d.looksFor(d.prompts, async (search) => {
      for (const place of search.places(roots()))
        await d.readCommands(search, inside(place, 'prompts'), { flat: true });
    }),
    d.looksFor(d.instructions, async (search) => {
      for (const place of search.places(roots())) await d.readInstructions(search, inside(place, 'instructions'));
    }),
    d.looksFor(d.hookModules, async (search) => {
      for (const place of search.places(roots())) await d.readHookModules(search, inside(place, 'hooks'));
    }),
    d.looksFor(d.toolModules, async (search) => {
      for (const place of search.places(roots())) await d.readTools(search, inside(place, 'tools'));
    }),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots())) await d.readAgents(search, inside(place, 'agents'));
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places(roots()))
        await d.readMcpFile(search, inside(place, 'mcp.json'), { variableRules: ['names'] });
    }),
    d.looksFor(d.lspServers, async (search) => {
      for (const place of search.places(roots())) {
        const file = inside(place, 'lsp.json');
        const record = await search.record(file, 'json');
        if (record) d.addLspServers(search, file, record['servers'] ?? record);
      }
    }),
    d.looksFor(d.extensionModules, async (search) => {
      for (const place of search.places(roots())) await d.readExtensions(search, inside(place, 'extensions'));
      for (const place of search.places(roots())) await readNamedExtensions(search, place);
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const place of search.places(roots()))
        for (const [name, format] of SETTINGS) await d.readSettings(search, inside(place, name), format);
    }),
    d.looksFor(d.themes, async (search) => {
      for (const place of search.places(roots())) await d.readThemes(search, inside(place, 'themes'));
    }),
    d.looksFor(d.bundles, (search) => readPackages(search, roots()), { id: 'pi-packages' }),
    d.looksFor(d.discoveryDenials, async (search) => {
      for (const place of search.places({ user: roots().user ?? [] }))
        await d.readDeniedServers(search, inside(place, 'mcp.json'));
    }),
  ],
};
