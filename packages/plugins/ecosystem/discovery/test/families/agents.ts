import { agent, command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/AGENTS.md': '# Agents\n\nAGENTS: the project.\n',
  'project/packages/app/AGENTS.md': 'AGENTS: the app.\n',
  'home/.agents/skills/agents-skill/SKILL.md': skill('agents-skill', 'Of everybody'),
  'project/.agents/skills/agents-project-skill/SKILL.md': skill('agents-project-skill', 'Of everybody here'),
  'project/.agents/commands/agents-command.md': command('Of everybody'),
  'project/mcp.json': json({ mcpServers: { 'standalone-mcp': { command: 'alone' }, 'denied-too': { command: 'x' } } }),
  'project/.agents/rules/agents-rule.md': 'Rule of everybody.\n',
  'project/.agents/prompts/agents-prompt.md': command('A prompt of everybody'),
  'project/.agents/agents/agents-agent.md': agent('agents-agent', 'Agent of everybody'),
};
