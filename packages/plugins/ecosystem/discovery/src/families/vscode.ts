import * as d from '../api.ts';

/** Where VS Code keeps the user's files on Linux and macOS. */
const USER = ['.config/Code/User', 'Library/Application Support/Code/User'];
const PROMPTS: d.Roots = { user: USER.map((folder) => `${folder}/prompts`) };
const variableRules = ['vscode'] as const;

/** Files of VS Code: MCP servers, settings, prompts of the user. */
export const family: d.Family = {
  id: 'vscode',
  priority: 20,
  roots: { user: USER, project: '.vscode' },
  places: { vscode: ["VS Code's user folder", '`.vscode`'] },
  protects: { runsCode: ['./.vscode', ...USER.map((folder) => `~/${folder}`)] },
  looks: [
    d.reads(d.prompts, PROMPTS, d.readCommands, { ending: '.prompt.md', flat: true }),
    d.reads(d.instructions, PROMPTS, d.readInstructions, '.instructions.md'),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places()) {
        await d.readMcpFile(search, d.inside(place, 'mcp.json'), { variableRules, under: ['servers', 'mcpServers'] });
        const file = d.inside(place, 'settings.json');
        const settings = await search.record(file, 'json');
        const mcp = settings?.['mcp'];
        const servers = settings?.['mcp.servers'] ?? (d.isRecord(mcp) ? mcp['servers'] : undefined);
        d.addMcpServers(search, file, servers, { variableRules });
      }
    }),
    d.reads(d.foreignSettings, 'settings.json', d.readSettings),
  ],
};
