import { json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.devin/rules/devin-rule.md': 'Always this.\n',
  'project/.devin/rules/devin-glob.md': '---\ntrigger: glob\nglobs: "*.py"\ndescription: Python\n---\nUse types.\n',
  'project/.devin/skills/devin-skill/SKILL.md': skill('devin-skill', 'Of Devin'),
  'project/.devin/hooks.v1.json': json({
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check-devin' }] }],
  }),
  'project/.devin/config.json': json({ mcpServers: { 'devin-mcp': { command: 'devin' } } }),
  'project/.devin/agents/devin-agent/AGENT.md': '---\ndescription: Agent of Devin\n---\nYou review.\n',
  'project/AGENTS.local.md': 'Only for me.\n',
  'home/.config/devin/skills/devin-home/SKILL.md': skill('devin-home', 'Of Devin, everywhere'),
};
