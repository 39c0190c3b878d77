import * as d from '@tenon/discovery/api';

const { inside } = d;
/** Where VS Code keeps the user's files on Linux and macOS. */
const USER = ['.config/Code/User', 'Library/Application Support/Code/User'];
const roots: d.Roots = { user: USER, project: '.vscode' };

/** Files of VS Code. */
export const family: d.Family = {
  id: 'vscode',
  priority: 20,
  looks: [
    d.looksFor(d.prompts, async (search) => {
      for (const place of search.places({ user: USER }))
        await d.readCommands(search, inside(place, 'prompts'), { ending: '.prompt.md', flat: true });
    }),
    d.looksFor(d.instructions, async (search) => {
      for (const place of search.places({ user: USER }))
        await d.readInstructions(search, inside(place, 'prompts'), '.instructions.md');
    }),
    d.looksFor(d.mcpServers, async (search) => {
      const options = { variableRules: ['vscode'] as const };
      for (const place of search.places(roots)) {
        await d.readMcpFile(search, inside(place, 'mcp.json'), { ...options, under: ['servers', 'mcpServers'] });
        const file = inside(place, 'settings.json');
        const settings = await search.record(file, 'json');
        const mcp = settings?.['mcp'];
        d.addMcpServers(
          search,
          file,
          settings?.['mcp.servers'] ?? (d.isRecord(mcp) ? mcp['servers'] : undefined),
          options,
        );
      }
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const place of search.places(roots)) await d.readSettings(search, inside(place, 'settings.json'));
    }),
  ],
};
