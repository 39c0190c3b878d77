import { basename, dirname } from 'node:path';
import * as d from '../api.ts';

/** `trigger` says when a rule counts; one that says nothing always does. */
function translate(fields: d.Fields): Partial<d.Rule> {
  const trigger = fields.text('trigger');
  const isSpecial = fields.has('globs', 'paths', 'description');
  return trigger === 'always_on' || (trigger === undefined && !isSpecial) ? { alwaysApply: true } : {};
}

/** The settings files, those that win first. */
function configFiles<V>(search: d.Search<V>): readonly d.Origin[] {
  return search.places().flatMap((place) => ['config.local.json', 'config.json'].map((name) => d.inside(place, name)));
}

/** Files of Devin's command line: `.devin` with rules, skills, hooks, MCP servers and subagents. */
export const family: d.Family = {
  id: 'devin',
  priority: 35,
  roots: { user: '.config/devin', project: '.devin' },
  places: { devin: ['`~/.config/devin`', '`.devin`, `AGENTS.local.md`'] },
  protects: { private: ['~/.config/devin'], runsCode: ['./.devin'] },
  looks: [
    d.reads(d.contextFiles, { project: 'AGENTS.local.md' }, d.readContextFile),
    d.reads(d.skills, 'skills', d.readSkills),
    d.reads(d.rules, 'rules', d.readRules, { endings: ['.md'], translate }),
    d.looksFor(d.externalHooks, async (search) => {
      for (const place of search.places()) {
        const file = d.inside(place, 'hooks.v1.json');
        const record = await search.record(file, 'json');
        // The events stand at the top, or under "hooks" as in Claude Code's settings.
        const events = record && d.isRecord(record['hooks']) ? record['hooks'] : record;
        d.addGroupedHooks(search, file, events, { dialect: 'claude', timeoutUnit: 'seconds', notEvents: ['version'] });
      }
    }),
    d.looksFor(d.mcpServers, async (search) => {
      for (const file of configFiles(search)) await d.readMcpFile(search, file, { variableRules: ['braces'] });
    }),
    d.reads(d.agents, 'agents', async (search, folder) => {
      for (const { path } of await search.list(folder)) {
        const file = d.inside({ ...folder, path }, 'AGENT.md');
        const document = await search.markdown(file);
        if (document) d.addAgent(search, file, document.data, document.body, basename(dirname(file.path)));
      }
    }),
    d.looksFor(d.foreignSettings, async (search) => {
      for (const file of configFiles(search)) await d.readSettings(search, file);
    }),
  ],
};
