import * as d from '@tenon/discovery/api';

const { inside } = d;
const roots: d.Roots = { user: '.copilot', project: '.github' };

/** Files of GitHub Copilot. */
export const family: d.Family = {
  id: 'copilot',
  priority: 30,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      for (const place of search.places(roots))
        await d.readContextFile(search, inside(place, 'copilot-instructions.md'));
    }),
    d.looksFor(d.skills, async (search) => {
      for (const place of search.places(roots)) await d.readSkills(search, inside(place, 'skills'));
    }),
    d.looksFor(d.prompts, async (search) => {
      for (const place of search.places(roots))
        await d.readCommands(search, inside(place, 'prompts'), { ending: '.prompt.md' });
    }),
    d.looksFor(d.instructions, async (search) => {
      for (const place of search.places(roots))
        await d.readInstructions(search, inside(place, 'instructions'), '.instructions.md');
    }),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots)) {
        const folder = inside(place, 'agents');
        for (const { name, path } of await search.list(folder)) {
          if (!name.endsWith('.md')) continue;
          const file = { ...folder, path };
          const document = await search.markdown(file);
          const own = name.replace(/(?:\.agent)?\.md$/, '');
          if (document) d.addAgent(search, file, document.data, document.body, own);
        }
      }
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places({ user: '.copilot/mcp-config.json', project: '.github/mcp.json' }))
        await d.readMcpFile(search, place, { variableRules: ['braces', 'vscode'], under: ['mcpServers', 'servers'] });
    }),
  ],
};
