import * as d from '@tenon/discovery/api';

/** Files of Tenon itself. `user` is the folder of the user's settings. */
export function nativeFamily(user: string): d.Family {
  const roots: d.Roots = { user, project: '.tenon' };
  const { inside } = d;
  return {
    id: 'native',
    priority: 100,
    looks: [
      d.looksFor(d.contextFiles, async (search) => {
        for (const place of search.places(roots))
          await d.readContextFile(search, inside(place, 'AGENTS.md'), { includes: true });
      }),
      d.looksFor(d.skills, async (search) => {
        for (const place of search.places(roots))
          await d.readSkills(search, inside(place, 'skills'), { needsDescription: true });
      }),
      d.looksFor(d.rules, async (search) => {
        for (const place of search.places(roots)) await d.readRules(search, inside(place, 'rules'));
      }),
      d.looksFor(d.commands, async (search) => {
        for (const place of search.places(roots)) await d.readCommands(search, inside(place, 'commands'));
      }),
      d.looksFor(d.prompts, async (search) => {
        for (const place of search.places(roots)) await d.readCommands(search, inside(place, 'prompts'));
      }),
      d.looksFor(d.instructions, async (search) => {
        for (const place of search.places(roots)) await d.readInstructions(search, inside(place, 'instructions'));
      }),
      d.looksFor(d.externalHooks, async (search) => {
        for (const place of search.places(roots)) {
          const file = inside(place, 'hooks.json');
          const record = await search.record(file, 'json');
          if (record) d.addGroupedHooks(search, file, record['hooks'], { dialect: 'claude', timeoutUnit: 'seconds' });
        }
      }),
      d.looksFor(d.hookModules, async (search) => {
        for (const place of search.places(roots)) await d.readHookModules(search, inside(place, 'hooks'));
      }),
      d.looksFor(d.toolModules, async (search) => {
        for (const place of search.places(roots)) await d.readTools(search, inside(place, 'tools'));
      }),
      d.looksFor(d.agents, async (search) => {
        for (const place of search.places(roots)) await d.readAgents(search, inside(place, 'agents'));
      }),
      d.looksFor(d.mcpServers, async (search) => {
        for (const place of search.places(roots))
          await d.readMcpFile(search, inside(place, 'mcp.json'), { variableRules: ['names', 'braces'] });
      }),
      d.looksFor(d.lspServers, async (search) => {
        for (const place of search.places(roots)) {
          const file = inside(place, 'lsp.json');
          const record = await search.record(file, 'json');
          if (record) d.addLspServers(search, file, record['servers'] ?? record);
        }
      }),
      d.looksFor(d.extensionModules, async (search) => {
        for (const place of search.places(roots)) await d.readExtensions(search, inside(place, 'extensions'));
      }),
      d.looksFor(d.sshHosts, async (search) => {
        for (const place of search.places(roots)) await d.readSshFile(search, inside(place, 'ssh.json'));
      }),
      d.looksFor(d.themes, async (search) => {
        for (const place of search.places(roots)) await d.readThemes(search, inside(place, 'themes'));
      }),
      d.looksFor(d.bundles, async (search) => {
        for (const place of search.places(roots)) {
          const folder = inside(place, 'bundles');
          for (const { name, path } of await search.list(folder))
            if (!name.startsWith('.')) await d.readBundle(search, { ...folder, path });
        }
      }),
      d.looksFor(d.discoveryDenials, (search) =>
        d.readDeniedServers(search, inside({ path: user, level: 'user' }, 'mcp.json')),
      ),
    ],
  };
}
