import { command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.opencode/plugin/notify.ts': 'export const Notify = async () => ({});\n',
  'project/.opencode/tools/roll.ts': 'export default {};\n',
  'home/.config/opencode/AGENTS.md': 'OpenCode: the user.\n',
  'home/.config/opencode/opencode.jsonc':
    '{\n  // comments are fine\n  "mcp": { "opencode-mcp": { "type": "local", "command": ["bun", "x"], "environment": { "A": "{env:A}" } }, "other": { "enabled": false }, },\n}\n',
  'project/opencode.json': json({
    instructions: ['docs/opencode-*.md', 'docs/guidelines.md', 'https://example.test/rules.md'],
    command: { 'opencode-inline': { template: 'Inline $ARGUMENTS', description: 'Inline' } },
    agent: {
      'opencode-inline-agent': {
        description: 'Inline agent',
        prompt: 'You are inline.',
        tools: { write: false, read: true },
      },
    },
    plugin: ['opencode-package@1.0.0', ['./extra/plugin.ts', { level: 2 }], 7],
    lsp: { 'opencode-lsp': { command: ['lua-ls'], extensions: ['.lua'] } },
  }),
  'project/docs/guidelines.md': 'Guidelines of OpenCode.\n',
  'project/.opencode/command/opencode-command.md': command('Of OpenCode'),
  'project/.opencode/agent/opencode-agent.md':
    '---\ndescription: Agent of OpenCode\nmode: subagent\n---\nYou are it.\n',
  'project/.opencode/skill/opencode-skill/SKILL.md': skill('opencode-skill', 'Of OpenCode'),
  'project/.opencode/themes/opencode-theme.json': json({}),
};
