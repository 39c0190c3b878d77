import { relative, sep } from 'node:path';
import * as d from '@tenon/discovery/api';

const { inside } = d;
const roots: d.Roots = { user: '.agents', project: '.agents' };
/** Files without an owner come after those of every tool. */
const STANDALONE_MCP = 5;

/** Files that no tool owns. */
export const family: d.Family = {
  id: 'agents',
  priority: 70,
  looks: [
    d.looksFor(d.contextFiles, async (search) => {
      const { root } = search.project;
      for (const place of search.places({ project: 'AGENTS.md' })) {
        // What lies in hidden folders is not about the project.
        const isHidden = relative(root, place.path)
          .split(sep)
          .some((part) => part.startsWith('.'));
        if (!isHidden) await d.readContextFile(search, place, { includes: true });
      }
      for (const place of search.places(roots)) await d.readContextFile(search, inside(place, 'AGENTS.md'));
    }),
    d.looksFor(d.skills, async (search) => {
      for (const place of search.places(roots)) await d.readSkills(search, inside(place, 'skills'));
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
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots)) await d.readAgents(search, inside(place, 'agents'));
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places(roots))
        await d.readMcpFile(search, inside(place, 'mcp.json'), { variableRules: ['braces', 'names'] });
      for (const place of search.places({ project: ['mcp.json', '.mcp.json'] }))
        await d.readMcpFile(search, place, { variableRules: ['braces', 'names'], priority: STANDALONE_MCP });
    }),
  ],
};
