import * as d from '../api.ts';

/** Files of Cursor: its rules, commands, hooks and MCP servers. */
export const family: d.Family = {
  id: 'cursor',
  priority: 50,
  // With Cursor the user's files come first.
  roots: { user: '.cursor', project: '.cursor', userFirst: true },
  places: { cursor: ['`~/.cursor`', '`.cursor`, `.cursorrules`'] },
  protects: { private: ['~/.cursor'], runsCode: ['./.cursor'] },
  looks: [
    d.reads(d.skills, 'skills', d.readSkills),
    d.reads(d.rules, 'rules', d.readRules, { endings: ['.mdc', '.md'], deep: true }),
    d.reads(d.rules, { project: '.cursorrules' }, d.readRule, { name: 'cursorrules', translate: d.alwaysApplies }),
    d.reads(d.commands, 'commands', d.readCommands),
    d.reads(d.externalHooks, 'hooks.json', d.readFlatHooks, { dialect: 'cursor', timeoutUnit: 'seconds' }),
    d.reads(d.agents, 'agents', d.readAgents),
    d.reads(d.mcpServers, { user: '.cursor/mcp.json', project: '.cursor/mcp.json' }, d.readMcpFile, {
      variableRules: ['vscode'],
    }),
  ],
};
