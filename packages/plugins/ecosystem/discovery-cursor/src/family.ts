import * as d from '@tenon/discovery/api';

const { inside } = d;
/** With Cursor the user's files come first. */
const roots: d.Roots = { user: '.cursor', project: '.cursor', userFirst: true };

/** Files of Cursor. */
export const family: d.Family = {
  id: 'cursor',
  priority: 50,
  looks: [
    d.looksFor(d.skills, async (search) => {
      for (const place of search.places(roots)) await d.readSkills(search, inside(place, 'skills'));
    }),
    d.looksFor(d.rules, async (search) => {
      for (const place of search.places(roots))
        await d.readRules(search, inside(place, 'rules'), { endings: ['.mdc', '.md'], deep: true });
      for (const place of search.places({ project: '.cursorrules' }))
        await d.readRule(search, place, { name: 'cursorrules', translate: () => ({ alwaysApply: true }) });
    }),
    d.looksFor(d.commands, async (search) => {
      for (const place of search.places(roots)) await d.readCommands(search, inside(place, 'commands'));
    }),
    d.looksFor(d.externalHooks, async (search) => {
      for (const place of search.places(roots)) {
        const file = inside(place, 'hooks.json');
        const record = await search.record(file, 'json');
        if (record) d.addFlatHooks(search, file, record['hooks'], { dialect: 'cursor', timeoutUnit: 'seconds' });
      }
    }),
    d.looksFor(d.agents, async (search) => {
      for (const place of search.places(roots)) await d.readAgents(search, inside(place, 'agents'));
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places({ ...roots, userFirst: false }))
        await d.readMcpFile(search, inside(place, 'mcp.json'), { variableRules: ['vscode'] });
    }),
  ],
};
