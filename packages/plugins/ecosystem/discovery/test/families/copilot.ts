import { command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.github/copilot-instructions.md': 'Copilot: the project.\n',
  'project/.github/instructions/python.instructions.md':
    '---\napplyTo: "**/*.py"\ndescription: Python files\n---\nUse black.\n',
  'project/.github/prompts/copilot-prompt.prompt.md': command('A prompt of Copilot'),
  'project/.github/agents/copilot-agent.agent.md':
    '---\ndescription: Agent of Copilot\ntools: ["read", "search"]\n---\nYou review.\n',
  'project/.github/skills/copilot-skill/SKILL.md': skill('copilot-skill', 'Of Copilot'),
  'project/.github/hooks/policy.json': json({
    version: 1,
    hooks: {
      preToolUse: [{ type: 'command', bash: './check.sh', powershell: 'check.ps1', cwd: 'scripts', timeoutSec: 15 }],
      PostToolUse: [{ type: 'command', command: 'after' }],
    },
  }),
  'home/.copilot/mcp-config.json': json({
    mcpServers: { 'copilot-mcp': { type: 'local', command: 'copilot', tools: ['*'] } },
  }),
};
