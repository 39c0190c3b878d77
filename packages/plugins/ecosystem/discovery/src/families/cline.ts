import * as d from '../api.ts';

const STORAGE = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
/** Where editors on Linux and macOS keep the extension's files, and where Cline's own program does. */
const MCP_FILES = [
  '.cline/data/settings/cline_mcp_settings.json',
  `.config/Code/${STORAGE}`,
  `Library/Application Support/Code/${STORAGE}`,
  `.config/Cursor/${STORAGE}`,
];

/** The nearest `.clinerules`, as a folder or as a file; those above it do not count. */
function nearestRules<V>(search: d.Search<V>): { readonly place: d.Origin; readonly isFolder: boolean } | undefined {
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

const EVENTS = [
  'TaskStart',
  'TaskResume',
  'TaskCancel',
  'TaskComplete',
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'PreCompact',
];

/** Programs that are named like the event that they are for. */
async function addHooks(search: d.Search<d.ExternalHook>, folder: d.Origin): Promise<void> {
  for (const { name, path } of await search.list(folder)) {
    if (!EVENTS.includes(name)) continue;
    search.add({
      key: path,
      value: { dialect: 'cline', event: name, type: 'command', argv: [path], path },
      place: { ...folder, path },
    });
  }
}

const RULES = { endings: ['.md', '.txt'], translate };

/** Files of Cline: `.clinerules` with its workflows, skills and hooks, and its MCP servers. */
export const family: d.Family = {
  id: 'cline',
  priority: 40,
  roots: { user: '.cline', project: '.cline' },
  places: { cline: ['`~/.cline`, `~/Documents/Cline`, its file of MCP servers', '`.clinerules`, `.cline`'] },
  protects: {
    runsCode: ['./.cline', './.clinerules/hooks', '~/Documents/Cline/Hooks', ...MCP_FILES.map((file) => `~/${file}`)],
    guarded: ['./.clinerules'],
  },
  looks: [
    d.looksFor(d.skills, async (search) => {
      const rules = nearestRules(search);
      if (rules?.isFolder) await d.readSkills(search, d.inside(rules.place, 'skills'));
    }),
    d.reads(d.skills, 'skills', d.readSkills),
    d.looksFor(d.rules, async (search) => {
      const rules = nearestRules(search);
      if (rules?.isFolder) await d.readRules(search, rules.place, RULES);
      else if (rules) await d.readRule(search, rules.place, { name: 'clinerules', translate });
    }),
    d.reads(d.rules, { user: 'Documents/Cline/Rules' }, d.readRules, RULES),
    d.looksFor(d.commands, async (search) => {
      const rules = nearestRules(search);
      if (rules?.isFolder) await d.readCommands(search, d.inside(rules.place, 'workflows'), { flat: true });
    }),
    d.reads(d.commands, { user: 'Documents/Cline/Workflows' }, d.readCommands, { flat: true }),
    d.looksFor(d.externalHooks, async (search) => {
      const rules = nearestRules(search);
      if (rules?.isFolder) await addHooks(search, d.inside(rules.place, 'hooks'));
      for (const place of search.places({ user: 'Documents/Cline/Hooks' })) await addHooks(search, place);
    }),
    d.reads(d.mcpServers, { user: MCP_FILES }, d.readMcpFile, {
      variableRules: ['braces'],
      timeoutUnit: 'seconds',
      urlMeans: 'sse',
    }),
  ],
};
