/**
 * A home and a project with every format of every source, written from the documented formats. Paths begin with `home/` or
 * `project/`; `{root}` in a text stands for the folder that holds both.
 */
const skill = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\nDo it well.\n`;
const command = (description: string, body = 'Do $ARGUMENTS.') => `---\ndescription: ${description}\n---\n${body}\n`;
const agent = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nYou are ${name}.\n`;
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const claudeHooks = (event: string, command: string) => ({
  hooks: { [event]: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 5 }] }] },
});

const native: Record<string, string> = {
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
};

const pi: Record<string, string> = {
  'home/.omp/agent/AGENTS.md': 'oh-my-pi: the user.\n',
  'home/.omp/agent/config.yml': 'extensions:\n  - ~/my-exts/named.ts\n',
  'home/my-exts/named.ts': 'throw new Error("an extension was run");\n',
  'home/.omp/agent/mcp.json': json({
    mcpServers: { 'omp-mcp': { command: 'omp-server' } },
    disabledServers: ['denied-too'],
  }),
  'home/.omp/agent/ssh.json': json({ hosts: { 'omp-host': { host: 'omp.test', keyPath: '~/.ssh/omp' } } }),
  'home/.omp/plugins/node_modules/@scope/omp-pack/package.json': json({
    name: '@scope/omp-pack',
    version: '1.2.0',
    omp: { extensions: ['./src/main.ts'], skills: ['./skills'] },
  }),
  'home/.omp/plugins/node_modules/@scope/omp-pack/src/main.ts': 'throw new Error("an extension was run");\n',
  'home/.omp/plugins/node_modules/@scope/omp-pack/skills/omp-pack-skill/SKILL.md': skill(
    'omp-pack-skill',
    'Of a package',
  ),
  'home/.pi/agent/settings.json': json({
    packages: ['npm:pi-pack@1.0.0', { source: 'git:github.com/someone/pi-git', skills: [] }, '../local-pack'],
  }),
  'home/.pi/agent/npm/node_modules/pi-pack/package.json': json({ name: 'pi-pack', pi: { extensions: ['index.ts'] } }),
  'home/.pi/agent/npm/node_modules/pi-pack/index.ts': 'throw new Error("an extension was run");\n',
  'home/.pi/agent/git/github.com/someone/pi-git/package.json': json({ name: 'pi-git', pi: {} }),
  'home/.pi/agent/git/github.com/someone/pi-git/skills/pi-git-skill/SKILL.md': skill('pi-git-skill', 'Left out'),
  'home/.pi/agent/git/github.com/someone/pi-git/prompts/pi-git-prompt.md': command('Of a git package'),
  'home/.pi/local-pack/package.json': json({ name: 'local-pack' }),
  'home/.pi/local-pack/themes/local-pack-theme.json': json({}),
  'home/.pi/agent/prompts/pi-prompt.md': command('A prompt of pi'),
  'home/.pi/agent/skills/loose.md': skill('loose', 'A skill in one file'),
  'project/.omp/settings.json': json({ extensions: ['./tools/omp-extra.ts'] }),
  'project/tools/omp-extra.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/checks/package.json': json({ omp: { extensions: ['./a.ts', './b.js', './gone.ts'] } }),
  'project/.omp/extensions/checks/a.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/checks/b.js': 'throw new Error("an extension was run");\n',
  'project/.omp/extensions/audit/index.ts': 'throw new Error("an extension was run");\n',
  'project/.omp/tools/repo_stats/index.ts': 'throw new Error("a tool was run");\n',
  'project/.omp/hooks/post/log.ts': 'throw new Error("a hook module was run");\n',
  'project/.omp/hooks/plain.js': 'throw new Error("a hook module was run");\n',
  'project/.omp/rules/omp-rule.mdc': '---\nalwaysApply: true\n---\nAlways.\n',
  'project/.omp/agents/omp-agent.md': agent(
    'omp-agent',
    'Agent of oh-my-pi',
    'model: fast\nthinking-level: high\noutput:\n  type: object\n',
  ),
  'project/.omp/instructions/omp-instruction.md': 'For everything.\n',
  'project/.omp/commands/omp-command.md': command('Of oh-my-pi'),
  'project/.omp/lsp.json': json({
    servers: { py: { command: ['pylsp'], fileTypes: ['.py'], rootMarkers: ['setup.py'] } },
  }),
};

const claude: Record<string, string> = {
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

const codex: Record<string, string> = {
  'home/.codex/AGENTS.md': 'Codex: the user.\n',
  'home/.codex/config.toml':
    'model = "gpt"\nnotify = ["notify-send", "Codex"]\n\n[mcp_servers.codex-mcp]\ncommand = "codex-server"\nenv_vars = ["TOKEN"]\nstartup_timeout_sec = 20\n\n' +
    '[mcp_servers.codex-http]\nurl = "https://codex.test/mcp"\nbearer_token_env_var = "CODEX_TOKEN"\nenabled = false\n\n' +
    '[[hooks.PostToolUse]]\nmatcher = "^Bash$"\n[[hooks.PostToolUse.hooks]]\ntype = "command"\ncommand = "codex-inline-hook"\n\n' +
    '[[skills.config]]\nname = "codex-off"\nenabled = false\n\n[plugins."codex-off-plugin@local"]\nenabled = false\n',
  'home/.codex/hooks.json': json(claudeHooks('PreToolUse', 'codex-hook')),
  'home/.codex/prompts/codex-prompt.md': command('A prompt of Codex'),
  'home/.codex/skills/codex-skill/SKILL.md': skill('codex-skill', 'Of Codex'),
  'home/.codex/skills/codex-off/SKILL.md': skill('codex-off', 'Switched off there'),
  'home/.codex/plugins/cache/local/codex-kit/0.9.0/.codex-plugin/plugin.json': json({
    name: 'codex-kit',
    version: '0.9.0',
  }),
  'home/.codex/plugins/cache/local/codex-kit/0.10.0/.codex-plugin/plugin.json': json({
    name: 'codex-kit',
    version: '0.10.0',
    skills: './skills/',
  }),
  'home/.codex/plugins/cache/local/codex-kit/0.10.0/skills/codex-kit-skill/SKILL.md': skill(
    'codex-kit-skill',
    'Of a Codex plugin',
  ),
  'home/.codex/plugins/cache/local/codex-kit/0.10.0/mcp.json': json({
    mcpServers: { 'codex-kit-mcp': { command: '${PLUGIN_ROOT}/run' } },
  }),
  'home/.codex/plugins/cache/local/codex-off-plugin/1.0.0/.codex-plugin/plugin.json': json({
    name: 'codex-off-plugin',
  }),
  'project/.codex/agents/codex-agent.toml':
    'name = "codex-agent"\ndescription = "Agent of Codex"\ndeveloper_instructions = "You are it."\nmodel_reasoning_effort = "high"\n',
};

const gemini: Record<string, string> = {
  'home/.gemini/GEMINI.md': 'Gemini: the user.\n',
  'home/.gemini/settings.json': json({
    mcpServers: {
      'gemini-mcp': { httpUrl: 'https://gemini.test/mcp', includeTools: ['a'], timeout: 3000 },
      'gemini-sse': { url: 'https://gemini.test/sse' },
      'gemini-out': { command: 'out' },
    },
    mcp: { excluded: ['gemini-out'] },
    hooks: {
      BeforeTool: [{ matcher: 'write_.*', hooks: [{ type: 'command', command: 'gemini-hook', timeout: 4000 }] }],
    },
    skills: { disabled: ['gemini-off'] },
  }),
  'home/.gemini/skills/gemini-skill/SKILL.md': skill('gemini-skill', 'Of Gemini'),
  'home/.gemini/skills/gemini-off/SKILL.md': skill('gemini-off', 'Switched off there'),
  'home/.gemini/extensions/gemini-ext/gemini-extension.json': json({
    name: 'gemini-ext',
    version: '2.0.0',
    contextFileName: 'CONTEXT.md',
    mcpServers: {
      'gemini-ext-mcp': { command: 'node', args: ['${extensionPath}${/}server.js'], cwd: '${extensionPath}' },
    },
  }),
  'home/.gemini/extensions/gemini-ext/CONTEXT.md': 'Gemini: an extension.\n',
  'home/.gemini/extensions/gemini-ext/commands/ext/go.toml': 'prompt = "Go {{args}}"\n',
  'home/.gemini/extensions/gemini-ext/skills/gemini-ext-skill/SKILL.md': skill('gemini-ext-skill', 'Of an extension'),
  'home/.gemini/extensions/gemini-ext/hooks/hooks.json': json({
    hooks: { SessionEnd: [{ hooks: [{ type: 'command', command: 'bye' }] }] },
  }),
  'home/.gemini/extensions/off-ext/gemini-extension.json': json({ name: 'off-ext' }),
  'home/.gemini/extensions/no-ext/readme.txt': 'No manifest.\n',
  'home/.gemini/extensions/extension-enablement.json': json({ 'off-ext': { overrides: ['!{root}/*'] } }),
  'project/GEMINI.md': 'Gemini: the project.\n',
  'project/.gemini/commands/plan.toml': 'description = "Plan"\nprompt = """Plan {{args}}\n!{git status}"""\n',
  'project/.gemini/agents/gemini-agent.md': agent('gemini-agent', 'Agent of Gemini'),
};

const editors: Record<string, string> = {
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
  'home/.codeium/windsurf/memories/global_rules.md': 'Global rules.\n',
  'home/.codeium/windsurf/mcp_config.json': json({
    mcpServers: { 'windsurf-mcp': { serverUrl: 'https://windsurf.test/mcp' } },
  }),
  'home/.codeium/windsurf/global_workflows/windsurf-global.md': 'Everywhere.\n',
  'project/.windsurf/rules/windsurf-rule.md': '---\ntrigger: always_on\n---\nAlways.\n',
  'project/.windsurf/rules/windsurf-glob.md':
    '---\ntrigger: glob\nglobs: "*.py"\ndescription: Python\n---\nUse types.\n',
  'project/.windsurf/workflows/windsurf-flow.md': '---\ndescription: Flow\n---\n1. Go.\n',
  'project/.windsurfrules': 'Old rules of Windsurf.\n',
  'project/.clinerules/01-base.md': 'Base rule.\n',
  'project/.clinerules/paths.md': '---\npaths:\n  - "src/**"\n---\nSource rule.\n',
  'project/.clinerules/workflows/cline-flow.md': 'Do the flow.\n',
  'home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': json({
    mcpServers: { 'cline-mcp': { command: 'cline', disabled: true, timeout: 60 } },
  }),
  'project/.github/copilot-instructions.md': 'Copilot: the project.\n',
  'project/.github/instructions/python.instructions.md':
    '---\napplyTo: "**/*.py"\ndescription: Python files\n---\nUse black.\n',
  'project/.github/prompts/copilot-prompt.prompt.md': command('A prompt of Copilot'),
  'project/.github/agents/copilot-agent.agent.md':
    '---\ndescription: Agent of Copilot\ntools: ["read", "search"]\n---\nYou review.\n',
  'project/.github/skills/copilot-skill/SKILL.md': skill('copilot-skill', 'Of Copilot'),
  'home/.copilot/mcp-config.json': json({
    mcpServers: { 'copilot-mcp': { type: 'local', command: 'copilot', tools: ['*'] } },
  }),
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
    lsp: { 'opencode-lsp': { command: ['lua-ls'], extensions: ['.lua'] } },
  }),
  'project/docs/guidelines.md': 'Guidelines of OpenCode.\n',
  'project/.opencode/command/opencode-command.md': command('Of OpenCode'),
  'project/.opencode/agent/opencode-agent.md':
    '---\ndescription: Agent of OpenCode\nmode: subagent\n---\nYou are it.\n',
  'project/.opencode/skill/opencode-skill/SKILL.md': skill('opencode-skill', 'Of OpenCode'),
  'project/.opencode/themes/opencode-theme.json': json({}),
  'project/.vscode/mcp.json':
    '{\n  "inputs": [],\n  "servers": { "vscode-mcp": { "command": "code", "env": { "K": "${input:key}" } } }, // ok\n}\n',
  'project/.vscode/settings.json': json({ 'editor.tabSize': 2 }),
  'home/.config/Code/User/prompts/vscode-user.prompt.md': command('A prompt of the user'),
  'home/.config/Code/User/prompts/vscode-user.instructions.md': '---\napplyTo: "**"\n---\nFor all.\n',
};

const shared: Record<string, string> = {
  'project/AGENTS.md': '# Agents\n\nAGENTS: the project.\n',
  'project/packages/app/AGENTS.md': 'AGENTS: the app.\n',
  'home/.agents/skills/agents-skill/SKILL.md': skill('agents-skill', 'Of everybody'),
  'project/.agents/skills/agents-project-skill/SKILL.md': skill('agents-project-skill', 'Of everybody here'),
  'project/.agents/commands/agents-command.md': command('Of everybody'),
  'project/mcp.json': json({ mcpServers: { 'standalone-mcp': { command: 'alone' }, 'denied-too': { command: 'x' } } }),
  'home/.ssh/config':
    'Include conf.d/*\n\nHost alpha beta\n  HostName alpha.test\n  User me\n  Port 2200\n  IdentityFile ~/.ssh/id\n\nHost *\n  User nobody\n\nMatch host x\n  User evil\n',
  'home/.ssh/conf.d/work': 'Host work\n  HostName=work.test\n',
  'project/ssh.json': json({ hosts: { staging: { host: 'staging.test' } } }),
};

/** Path -> text. */
export const fixtureFiles: Readonly<Record<string, string>> = {
  ...native,
  ...pi,
  ...claude,
  ...codex,
  ...gemini,
  ...editors,
  ...shared,
};
