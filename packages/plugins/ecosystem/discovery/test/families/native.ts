import { agent, claudeHooks, command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.tenon/SYSTEM.md': 'You are terse.\n',
  'project/.tenon/APPEND_SYSTEM.md': 'Say please.\n',
  'home/.config/tenon/AGENTS.md': 'Native: the user.\n',
  'home/.config/tenon/skills/native-user/SKILL.md': skill('native-user', 'A skill of the user'),
  'home/.config/tenon/mcp.json': json({
    mcpServers: { 'native-user-mcp': { command: 'server', env: { TOKEN: '!pass token' } } },
    disabledServers: ['denied'],
  }),
  'home/.config/tenon/themes/night.json': json({ name: 'night' }),
  'project/.tenon/AGENTS.md': 'Native: the project.\n',
  'project/.tenon/skills/native-skill/SKILL.md': skill(
    'native-skill',
    'A skill of the project',
    'allowed-tools: Read, Bash(git add:*)\ntriggers: [deploy, ship]\npriority: 7\nlicense: MIT\n',
  ),
  'project/.tenon/skills/nameless/SKILL.md': '---\nname: nameless\n---\nNo description.\n',
  'project/.tenon/rules/no-todo.md':
    '---\ndescription: No TODO\ncondition: "TODO:"\nscope: text\ninterruptMode: prose-only\n---\nFinish it.\n',
  'project/.tenon/rules/typed.md': '---\ncondition: "*.ts"\n---\nUse types.\n',
  'project/.tenon/commands/git/commit.md': command('Commit', 'Commit with $1 and $@.'),
  'project/.tenon/prompts/explain.md': command('Explain'),
  'project/.tenon/instructions/tests.md': '---\napplyTo: "**/*.test.ts"\n---\nOne behaviour a test.\n',
  'project/.tenon/hooks.json': json(claudeHooks('PreToolUse', 'native-hook')),
  'project/.tenon/hooks/pre/guard.ts': 'throw new Error("a hook module was run");\n',
  'project/.tenon/tools/native-tool.ts': 'throw new Error("a tool was run");\n',
  'project/.tenon/agents/native-agent.md': agent('native-agent', 'Native agent', 'tools: read, find\nspawns: "*"\n'),
  'project/.tenon/mcp.json': json({ mcpServers: { shared: { type: 'http', url: 'https://native.test/mcp' } } }),
  'project/.tenon/lsp.json': json({
    servers: { ts: { command: 'tsls', args: ['--stdio'], extensionToLanguage: { '.ts': 'typescript' } } },
  }),
  'project/.tenon/extensions/native-ext.ts': 'throw new Error("an extension was run");\n',
  'project/.tenon/ssh.json': json({
    hosts: { build: { host: 'build.test', username: 'ci', port: 2222, description: 'Builds' } },
  }),
  'project/.tenon/bundles/native-kit/.claude-plugin/plugin.json': json({ name: 'native-kit' }),
};
