/** What Claude Code and Codex plugins hold. */
import { readAgent, readAgents } from '../readers/agent-definitions.ts';
import { readCommand, readCommands } from '../readers/command-files.ts';
import { addGroupedHooks } from '../readers/external-hooks.ts';
import { addLspServers } from '../readers/lsp-servers.ts';
import { addMcpServers } from '../readers/mcp-servers.ts';
import { readTools } from '../readers/modules.ts';
import { readSkill, readSkills } from '../readers/skills.ts';
import { inside, isRecord, type Origin, type Search } from '../search.ts';
import type { BundleReaders } from './bundle-readers.ts';
import { declaredPaths, declaredRecords } from './declared-paths.ts';

/** Folders are read whole, Markdown files one by one. */
async function eachPath<V>(
  search: Search<V>,
  places: readonly Origin[],
  readFolder: (place: Origin) => Promise<void>,
  readFile: (place: Origin) => Promise<void>,
): Promise<void> {
  for (const place of places) {
    const { stamp, problem } = search.files.look(place.path);
    search.report(problem);
    if (stamp?.type === 'folder' && !place.path.endsWith('.md')) await readFolder(place);
    else if (stamp) await readFile(place);
  }
}

/** Readers for plugins with a `plugin.json`; `dialect` is who understands their hooks. */
export function pluginReaders(dialect: 'claude' | 'codex', manifestPath: string): BundleReaders {
  const manifestFile = (place: Origin) => inside(place, manifestPath);
  return {
    async skills(search, place, bundle) {
      const places = declaredPaths(search, place, manifestFile(place), bundle.manifest['skills'], 'skills');
      const single = inside(place, 'SKILL.md');
      if (!search.isThere(inside(place, 'skills')) && bundle.manifest['skills'] === undefined)
        await readSkill(search, single);
      for (const folder of places) {
        const own = inside(folder, 'SKILL.md');
        if (search.isThere(own)) await readSkill(search, own);
        else await readSkills(search, folder);
      }
    },
    async commands(search, place, bundle) {
      const declaration = bundle.manifest['commands'];
      const options = { namespace: bundle.name };
      const named = isRecord(declaration) ? Object.entries(declaration) : [];
      const places = declaredPaths(search, place, manifestFile(place), declaration, 'commands');
      await eachPath(
        search,
        places,
        (folder) => readCommands(search, folder, options),
        (file) => readCommand(search, file, options),
      );
      for (const [name, command] of named) {
        const source = isRecord(command) ? command['source'] : undefined;
        for (const file of declaredPaths(search, place, manifestFile(place), source))
          await readCommand(search, file, { ...options, name });
      }
    },
    async agents(search, place, bundle) {
      const places = declaredPaths(search, place, manifestFile(place), bundle.manifest['agents'], 'agents');
      await eachPath(
        search,
        places,
        (folder) => readAgents(search, folder),
        (file) => readAgent(search, file),
      );
    },
    async externalHooks(search, place, bundle) {
      const declaration = bundle.manifest['hooks'];
      for (const source of await declaredRecords(search, place, manifestFile(place), declaration, 'hooks/hooks.json')) {
        const events = isRecord(source.record['hooks']) ? source.record['hooks'] : source.record;
        addGroupedHooks(search, source.place, events, {
          dialect,
          timeoutUnit: 'seconds',
          notEvents: ['description', '$schema'],
        });
      }
    },
    async mcpServers(search, place, bundle) {
      const declaration = bundle.manifest['mcpServers'];
      const usual = dialect === 'codex' ? ['.mcp.json', 'mcp.json'] : ['.mcp.json'];
      for (const source of await declaredRecords(search, place, manifestFile(place), declaration, ...usual)) {
        const servers = source.record['mcpServers'] ?? source.record['mcp_servers'] ?? source.record;
        addMcpServers(search, source.place, withoutSchema(servers), { variableRules: ['braces'] });
      }
    },
    async lspServers(search, place, bundle) {
      const declaration = bundle.manifest['lspServers'];
      for (const source of await declaredRecords(search, place, manifestFile(place), declaration, '.lsp.json'))
        addLspServers(search, source.place, withoutSchema(source.record['lspServers'] ?? source.record));
    },
    toolModules: (search, place) => readTools(search, inside(place, 'tools')),
  };
}

function withoutSchema(servers: unknown): unknown {
  if (!isRecord(servers) || !('$schema' in servers)) return servers;
  const { $schema: _schema, ...rest } = servers;
  return rest;
}
