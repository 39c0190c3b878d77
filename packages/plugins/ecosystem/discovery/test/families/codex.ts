import { claudeHooks, command, json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
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
  'home/.codex/tools/codex-tool.ts': 'throw new Error("a tool was run");\n',
};
