import * as d from '../api.ts';

/** Files of GitHub Copilot: instructions, prompts, agents, skills and hooks in `.github`. */
export const family: d.Family = {
  id: 'copilot',
  priority: 30,
  roots: { user: '.copilot', project: '.github' },
  places: { copilot: ['`~/.copilot`', '`.github`'] },
  protects: { runsCode: ['./.github/mcp.json', './.github/hooks', '~/.copilot'] },
  looks: [
    d.reads(d.contextFiles, 'copilot-instructions.md', d.readContextFile),
    d.reads(d.skills, 'skills', d.readSkills),
    d.reads(d.prompts, 'prompts', d.readCommands, { ending: '.prompt.md' }),
    d.reads(d.externalHooks, 'hooks', async (search, folder) => {
      for (const { name, path } of await search.list(folder)) {
        if (!name.endsWith('.json')) continue;
        await d.readFlatHooks(
          search,
          { ...folder, path },
          {
            dialect: 'copilot',
            // Copilot reads the events of Claude Code as well, and speaks with such hooks as it does.
            dialectOf: (event) => (/^[A-Z]/.test(event) ? 'claude' : 'copilot'),
            timeoutUnit: 'seconds',
          },
        );
      }
    }),
    d.reads(d.instructions, 'instructions', d.readInstructions, '.instructions.md'),
    d.reads(d.agents, 'agents', async (search, folder) => {
      for (const { name, path } of await search.list(folder)) {
        if (!name.endsWith('.md')) continue;
        const file = { ...folder, path };
        const document = await search.markdown(file);
        const own = name.replace(/(?:\.agent)?\.md$/, '');
        if (document) d.addAgent(search, file, document.data, document.body, own);
      }
    }),
    d.reads(d.mcpServers, { user: '.copilot/mcp-config.json', project: '.github/mcp.json' }, d.readMcpFile, {
      variableRules: ['braces', 'vscode'],
      under: ['mcpServers', 'servers'],
    }),
  ],
};
