import { json, skill } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.clinerules/01-base.md': 'Base rule.\n',
  'project/.clinerules/paths.md': '---\npaths:\n  - "src/**"\n---\nSource rule.\n',
  'project/.clinerules/workflows/cline-flow.md': 'Do the flow.\n',
  'home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': json({
    mcpServers: { 'cline-mcp': { command: 'cline', disabled: true, timeout: 60 } },
  }),
  'project/.clinerules/hooks/PreToolUse': '#!/bin/sh\necho "{}"\n',
  'project/.clinerules/hooks/README': 'No hook.\n',
  'home/Documents/Cline/Hooks/TaskStart': '#!/bin/sh\necho "{}"\n',
  'project/.clinerules/skills/cline-skill/SKILL.md': skill('cline-skill', 'Of Cline'),
};
