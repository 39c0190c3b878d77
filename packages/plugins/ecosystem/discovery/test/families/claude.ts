import { agent, claudeHooks, command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.claude/CLAUDE.md': 'Claude: the user.\n',
  'home/.claude/settings.json': json({
    ...claudeHooks('PostToolUse', 'claude-user-hook'),
    enabledPlugins: { 'off-plugin@market': false },
    model: 'opus',
  }),
  'home/.claude/skills/claude-skill/SKILL.md': skill('claude-skill', 'The skill of the user wins'),
  'home/.claude.json': json({
    mcpServers: { 'claude-user-mcp': { type: 'stdio', command: 'npx', args: ['-y', 'thing'] } },
    projects: {
      '{root}/project': { mcpServers: { 'claude-local-mcp': { type: 'sse', url: 'https://local.test/sse' } } },
    },
  }),
  'home/.claude/plugins/installed_plugins.json': json({
    version: 2,
    plugins: {
      'tool-kit@market': [{ scope: 'user', installPath: '{root}/home/.claude/plugins/cache/market/tool-kit/1.0.0' }],
      'off-plugin@market': [
        { scope: 'user', installPath: '{root}/home/.claude/plugins/cache/market/off-plugin/1.0.0' },
      ],
      'other-project@market': [
        {
          scope: 'project',
          projectPath: '{root}/other',
          installPath: '{root}/home/.claude/plugins/cache/market/off-plugin/1.0.0',
        },
      ],
    },
  }),
  'home/.claude/plugins/cache/market/off-plugin/1.0.0/commands/hidden.md': command('Must not be read'),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/.claude-plugin/plugin.json': json({
    name: 'tool-kit',
    version: '1.0.0',
    description: 'A plugin with everything',
    agents: './more/reviewer.md',
    mcpServers: { 'kit-inline': { command: '${CLAUDE_PLUGIN_ROOT}/server' } },
    commands: ['../escape.md'],
  }),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/commands/deploy.md': command('Deploy', '!`echo hi`'),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/more/reviewer.md': agent('kit-reviewer', 'Reviews'),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/skills/kit-skill/SKILL.md': skill('kit-skill', 'Of a plugin'),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/hooks/hooks.json': json({
    description: 'Hooks of the kit',
    ...claudeHooks('Stop', '${CLAUDE_PLUGIN_ROOT}/stop.sh'),
  }),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/.mcp.json': json({ 'kit-mcp': { command: 'kit' } }),
  'home/.claude/plugins/cache/market/tool-kit/1.0.0/.lsp.json': json({
    go: { command: 'gopls', args: ['serve'], extensionToLanguage: { '.go': 'go' } },
  }),
  'project/CLAUDE.md':
    '# Claude\n\nClaude: the project.\n\n@docs/style.md\n\nSee @docs/more.md for more, and mail me@docs.test or `@docs/never.md`.\n',
  'project/docs/style.md': 'Style: two blanks.\n',
  'project/docs/more.md': 'More: be kind.\n',
  'project/docs/never.md': 'Never included.\n',
  'project/CLAUDE.local.md': 'Claude: only me here.\n',
  'project/.claude/settings.json': json({
    ...claudeHooks('UserPromptSubmit', 'claude-project-hook'),
    disabledMcpjsonServers: ['refused'],
  }),
  'project/.claude/settings.local.json': json({
    hooks: { SessionStart: [{ hooks: [{ type: 'prompt', prompt: 'Is it fine?' }] }] },
  }),
  'project/.claude/skills/claude-skill/SKILL.md': skill('claude-skill', 'Shadowed by that of the user'),
  'project/.claude/skills/native-skill/SKILL.md': skill('native-skill', 'Shadowed by the native one'),
  'project/.claude/commands/review.md':
    '---\ndescription: Review\nargument-hint: [file] [lines]\nallowed-tools: Bash(git diff:*), Read\nmodel: haiku\n---\nReview $1.\n',
  'project/.claude/commands/db/migrate.md': command('Migrate'),
  'project/.claude/agents/claude-agent.md': agent(
    'claude-agent',
    'Agent of Claude',
    'tools: Read, Grep\nmodel: sonnet\ncolor: blue\n',
  ),
  'project/.claude/rules/frontend/react.md': '---\npaths: "src/**/*.{ts,tsx}"\n---\nUse hooks.\n',
  'project/.claude/rules/always.md': 'Always say please.\n',
  'project/.claude/output-styles/teacher.md': '---\nname: teacher\ndescription: Explains\n---\nExplain.\n',
  'project/.claude/tools/claude-tool.ts': 'throw new Error("a tool was run");\n',
  'project/.mcp.json': json({
    mcpServers: {
      shared: { command: 'shadowed' },
      refused: { command: 'refused' },
      'mcp-json': { command: 'run', args: ['${HOME}'], env: { KEY: '${KEY:-none}' } },
      denied: { command: 'denied' },
    },
  }),
};
