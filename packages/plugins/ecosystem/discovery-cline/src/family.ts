import * as d from '@tenon/discovery/api';

const { inside } = d;
const STORAGE = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
/** Where editors on Linux and macOS keep the extension's files, and where Cline's own program does. */
const MCP_FILES = [
  '.cline/data/settings/cline_mcp_settings.json',
  `.config/Code/${STORAGE}`,
  `Library/Application Support/Code/${STORAGE}`,
  `.config/Cursor/${STORAGE}`,
];

/** The nearest `.clinerules`, as a folder or as a file; those above it do not count. */
function nearest<V>(search: d.Search<V>): { readonly place: d.Place; readonly isFolder: boolean } | undefined {
  for (const place of search.places({ project: '.clinerules' })) {
    const { stamp, problem } = search.files.look(place.path);
    search.report(problem);
    if (stamp) return { place, isFolder: stamp.type === 'folder' };
  }
  return undefined;
}

/** Rules of Cline without `paths` always count. */
function translate(fields: d.Fields): Partial<d.Rule> {
  return fields.has('paths', 'globs', 'condition', 'ttsr_trigger', 'description') ? {} : { alwaysApply: true };
}

/** Files of Cline. */
export const family: d.Family = {
  id: 'cline',
  priority: 40,
  looks: [
    d.looksFor(d.skills, async (search) => {
      const found = nearest(search);
      if (found?.isFolder) await d.readSkills(search, inside(found.place, 'skills'));
      for (const place of search.places({ user: '.cline', project: '.cline' }))
        await d.readSkills(search, inside(place, 'skills'));
    }),
    d.looksFor(d.rules, async (search) => {
      const found = nearest(search);
      if (found?.isFolder) await d.readRules(search, found.place, { endings: ['.md', '.txt'], translate });
      else if (found) await d.readRule(search, found.place, { name: 'clinerules', translate });
      for (const place of search.places({ user: 'Documents/Cline/Rules' }))
        await d.readRules(search, place, { endings: ['.md', '.txt'], translate });
    }),
    d.looksFor(d.commands, async (search) => {
      const found = nearest(search);
      if (found?.isFolder) await d.readCommands(search, inside(found.place, 'workflows'), { flat: true });
      for (const place of search.places({ user: 'Documents/Cline/Workflows' }))
        await d.readCommands(search, place, { flat: true });
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const place of search.places({ user: MCP_FILES }))
        await d.readMcpFile(search, place, { variableRules: ['braces'], timeoutUnit: 'seconds', urlMeans: 'sse' });
    }),
  ],
};
