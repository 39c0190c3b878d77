import { relative, sep } from 'node:path';
import * as d from '../api.ts';

/** Files without an owner come after those of every tool. */
const STANDALONE_MCP = 5;
const variableRules = ['braces', 'names'] as const;

/** Files that no tool owns: AGENTS.md, `mcp.json`, `.agents`. */
export const family: d.Family = {
  id: 'agents',
  priority: 70,
  roots: { user: '.agents', project: '.agents' },
  places: { agents: ['`~/.agents`', '`AGENTS.md`, `.agents`, `mcp.json`, `.mcp.json` (these two at 5)'] },
  protects: { runsCode: ['./.agents', './.mcp.json', './mcp.json', '~/.agents'] },
  looks: [
    d.reads(d.contextFiles, { project: 'AGENTS.md' }, async (search, place) => {
      // What lies in hidden folders is not about the project.
      const parts = relative(search.project.root, place.path).split(sep);
      if (!parts.some((part) => part.startsWith('.'))) await d.readContextFile(search, place, { includes: true });
    }),
    d.reads(d.contextFiles, 'AGENTS.md', d.readContextFile),
    d.reads(d.skills, 'skills', d.readSkills),
    d.reads(d.rules, 'rules', d.readRules),
    d.reads(d.commands, 'commands', d.readCommands),
    d.reads(d.prompts, 'prompts', d.readCommands),
    d.reads(d.agents, 'agents', d.readAgents),
    d.reads(d.mcpServers, 'mcp.json', d.readMcpFile, { variableRules }),
    d.reads(d.mcpServers, { project: ['mcp.json', '.mcp.json'] }, d.readMcpFile, {
      variableRules,
      priority: STANDALONE_MCP,
    }),
  ],
};
