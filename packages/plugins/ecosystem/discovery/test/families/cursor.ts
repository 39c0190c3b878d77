import { agent, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.cursor/rules/cursor-user.mdc': '---\ndescription: Of the user\nalwaysApply: false\n---\nUser rule.\n',
  'home/.cursor/mcp.json': json({
    mcpServers: { 'cursor-mcp': { url: 'https://cursor.test/mcp', headers: { A: '${env:A}' } } },
  }),
  'project/.cursor/rules/cursor-rule.mdc':
    '---\ndescription: Styles\nglobs: *.css,*.scss\nalwaysApply: false\n---\nUse variables.\n',
  'project/.cursor/rules/deep/cursor-deep.mdc': '---\nalwaysApply: true\n---\nDeep rule.\n',
  'project/.cursor/commands/cursor-command.md': 'Run the checks.\n',
  'project/.cursor/hooks.json': json({ version: 1, hooks: { beforeShellExecution: [{ command: './check.sh' }] } }),
  'project/.cursorrules': 'Old rules.\n',
  'home/.cursor/skills/cursor-skill/SKILL.md': skill('cursor-skill', 'Of Cursor'),
  'project/.cursor/agents/cursor-agent.md': agent('cursor-agent', 'Agent of Cursor'),
};
