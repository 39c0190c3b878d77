/** What packages of pi and oh-my-pi hold: what their package.json names under `omp` or `pi`, or the usual folders. */
import { extname, relative } from 'node:path';
import { readAgents } from '../readers/agent-definitions.ts';
import { readCommand, readCommands } from '../readers/command-files.ts';
import {
  declaredIn,
  moduleName,
  readExtension,
  readExtensions,
  readHookModules,
  readThemes,
  readTools,
} from '../readers/modules.ts';
import { addMcpServers } from '../readers/mcp-servers.ts';
import { readRules } from '../readers/rules.ts';
import { readSkill, readSkills } from '../readers/skills.ts';
import { inside, isRecord, type Origin, type Search } from '../search.ts';
import { matches } from '../switches.ts';
import type { Bundle } from '../kinds.ts';
import type { BundleReaders } from './bundle-readers.ts';

async function declaredOrUsual<V>(
  search: Search<V>,
  place: Origin,
  field: string,
  bundle?: Bundle,
): Promise<readonly Origin[]> {
  if (isEmptied(bundle, field)) return [];
  const declared = await declaredIn(search as unknown as Search<never>, place, field);
  if (declared) return declared;
  const usual = inside(place, field);
  return search.isThere(usual) ? [usual] : [];
}

/** In pi's settings `"skills": []` beside a package means: none of its skills. */
function isEmptied(bundle: Bundle | undefined, field: string): boolean {
  const filter = bundle?.manifest['filter'];
  const patterns = isRecord(filter) ? filter[field] : undefined;
  return Array.isArray(patterns) && patterns.length === 0;
}

/** Whether pi's settings keep this file of a package: a list of paths, `!` or `-` in front of what is left out. */
function isKept({ manifest, folder }: Bundle, field: string, path: string): boolean {
  const { filter } = manifest;
  const patterns = isRecord(filter) ? filter[field] : undefined;
  if (!Array.isArray(patterns)) return true;
  const own = relative(folder, path);
  const rules = patterns.filter((rule): rule is string => typeof rule === 'string');
  const names = (rule: string) => matches(rule.replace(/^[!+-]?(?:\.\/)?/, ''), own);
  const positive = rules.filter((rule) => !/^[!-]/.test(rule));
  const isNamed = positive.length === 0 ? rules.length > 0 : positive.some(names);
  return isNamed && !rules.some((rule) => /^[!-]/.test(rule) && names(rule));
}

function isFile(search: Search<never>, place: Origin): boolean {
  return search.files.look(place.path).stamp?.type === 'file';
}

/** Readers for packages of pi and oh-my-pi. */
export const piReaders: BundleReaders = {
  async skills(search, place, bundle) {
    for (const source of await declaredOrUsual(search, place, 'skills', bundle)) {
      const own = inside(source, 'SKILL.md');
      if (search.isThere(own)) await readSkill(search, own);
      else if (extname(source.path) === '.md') await readSkill(search, source);
      else await readSkills(search, source, { singleFiles: true });
    }
  },
  async prompts(search, place, bundle) {
    for (const source of await declaredOrUsual(search, place, 'prompts', bundle)) {
      if (isFile(search as unknown as Search<never>, source)) await readCommand(search, source);
      else await readCommands(search, source, { flat: true });
    }
  },
  async commands(search, place) {
    for (const folder of await declaredOrUsual(search, place, 'commands')) await readCommands(search, folder);
  },
  async rules(search, place) {
    for (const folder of await declaredOrUsual(search, place, 'rules')) await readRules(search, folder);
  },
  async agents(search, place) {
    for (const folder of await declaredOrUsual(search, place, 'agents')) await readAgents(search, folder);
  },
  async extensionModules(search, place, bundle) {
    if (isEmptied(bundle, 'extensions')) return;
    const declared = await declaredIn(search, place, 'extensions');
    for (const file of declared ?? []) if (isKept(bundle, 'extensions', file.path)) await readExtension(search, file);
    if (!declared) await readExtensions(search, inside(place, 'extensions'));
  },
  async toolModules(search, place) {
    const declared = await declaredIn(search, place, 'tools');
    for (const source of declared ?? [inside(place, 'tools')]) {
      const { path } = source;
      if (!isFile(search as unknown as Search<never>, source)) await readTools(search, source);
      else search.add({ key: moduleName(path), value: { name: moduleName(path), path }, place: source });
    }
  },
  async hookModules(search, place) {
    for (const folder of await declaredOrUsual(search, place, 'hooks')) await readHookModules(search, folder);
  },
  async themes(search, place, bundle) {
    for (const folder of await declaredOrUsual(search, place, 'themes', bundle)) await readThemes(search, folder);
  },
  async mcpServers(search, place) {
    for (const name of ['mcp.json', '.mcp.json']) {
      const file = inside(place, name);
      const record = await search.record(file, 'json');
      if (record) addMcpServers(search, file, record['mcpServers'], { variableRules: ['braces', 'names'] });
    }
  },
};
