import { json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.codeium/windsurf/memories/global_rules.md': 'Global rules.\n',
  'home/.codeium/windsurf/mcp_config.json': json({
    mcpServers: { 'windsurf-mcp': { serverUrl: 'https://windsurf.test/mcp' } },
  }),
  'home/.codeium/windsurf/global_workflows/windsurf-global.md': 'Everywhere.\n',
  'project/.windsurf/rules/windsurf-rule.md': '---\ntrigger: always_on\n---\nAlways.\n',
  'project/.windsurf/rules/windsurf-glob.md':
    '---\ntrigger: glob\nglobs: "*.py"\ndescription: Python\n---\nUse types.\n',
  'project/.windsurf/workflows/windsurf-flow.md': '---\ndescription: Flow\n---\n1. Go.\n',
  'project/.windsurf/hooks.json': json({
    hooks: { pre_run_command: [{ command: 'python3 check.py', show_output: true, working_directory: 'tools' }] },
  }),
  'project/.windsurfrules': 'Old rules of Windsurf.\n',
  'project/.windsurf/skills/windsurf-skill/SKILL.md': skill('windsurf-skill', 'Of Windsurf'),
};
