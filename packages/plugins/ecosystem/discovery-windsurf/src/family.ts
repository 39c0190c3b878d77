import * as d from '@tenon/discovery/api';

const { inside } = d;
const USER = '.codeium/windsurf';
/** With Windsurf the user's files come first. */
const roots: d.Roots = { user: USER, project: '.windsurf', userFirst: true };

/** `trigger` says when a rule counts. */
function translate(fields: d.Fields): Partial<d.Rule> {
  return fields.text('trigger') === 'always_on' ? { alwaysApply: true } : {};
}

/** Files of Windsurf. */
export const family: d.Family = {
  id: 'windsurf',
  priority: 50,
  looks: [
    d.looksFor(d.skills, async (search) => {
      for (const place of search.places(roots)) await d.readSkills(search, inside(place, 'skills'));
    }),
    d.looksFor(d.rules, async (search) => {
      for (const place of search.places({ user: `${USER}/memories/global_rules.md` }))
        await d.readRule(search, place, { name: 'global_rules', translate: () => ({ alwaysApply: true }) });
      for (const place of search.places({ project: '.windsurf/rules' }))
        await d.readRules(search, place, { endings: ['.md'], translate });
      for (const place of search.places({ project: '.windsurfrules' }))
        await d.readRule(search, place, { name: 'windsurfrules', translate: () => ({ alwaysApply: true }) });
    }),
    d.looksFor(d.commands, async (search) => {
      for (const place of search.places({ user: `${USER}/global_workflows`, project: '.windsurf/workflows' }))
        await d.readCommands(search, place, { flat: true });
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places({ user: `${USER}/mcp_config.json`, project: '.windsurf/mcp_config.json' }))
        await d.readMcpFile(search, place, { variableRules: ['vscode'] });
    }),
  ],
};
