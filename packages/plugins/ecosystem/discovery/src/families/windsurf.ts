import * as d from '../api.ts';

const USER = '.codeium/windsurf';

/** `trigger` says when a rule counts. */
function translate(fields: d.Fields): Partial<d.Rule> {
  return fields.text('trigger') === 'always_on' ? { alwaysApply: true } : {};
}

/** Files of Windsurf: its rules, workflows, hooks and MCP servers. */
export const family: d.Family = {
  id: 'windsurf',
  priority: 50,
  // With Windsurf the user's files come first.
  roots: { user: USER, project: '.windsurf', userFirst: true },
  places: { windsurf: ['`~/.codeium/windsurf`', '`.windsurf`, `.windsurfrules`'] },
  protects: { runsCode: ['./.windsurf', `~/${USER}`], guarded: ['./.codeium'] },
  looks: [
    d.reads(d.skills, 'skills', d.readSkills),
    d.reads(d.rules, { user: `${USER}/memories/global_rules.md` }, d.readRule, {
      name: 'global_rules',
      translate: d.alwaysApplies,
    }),
    d.reads(d.rules, { project: '.windsurf/rules' }, d.readRules, { endings: ['.md'], translate }),
    d.reads(d.rules, { project: '.windsurfrules' }, d.readRule, { name: 'windsurfrules', translate: d.alwaysApplies }),
    d.reads(d.commands, { user: `${USER}/global_workflows`, project: '.windsurf/workflows' }, d.readCommands, {
      flat: true,
    }),
    d.reads(d.externalHooks, 'hooks.json', d.readFlatHooks, { dialect: 'windsurf', timeoutUnit: 'seconds' }),
    d.reads(d.mcpServers, { user: `${USER}/mcp_config.json`, project: '.windsurf/mcp_config.json' }, d.readMcpFile, {
      variableRules: ['vscode'],
    }),
  ],
};
