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
import { inside, isRecord, type Place, type Search } from '../search.ts';
import { matches } from '../switches.ts';
import type { Bundle } from '../kinds.ts';
import type { BundleReaders } from './bundle-readers.ts';

async function declaredOrUsual<V>(
  search: Search<V>,
  place: Place,
  field: string,
  bundle?: Bundle,
): Promise<readonly Place[]> {
  if (isEmptied(bundle, field)) return [];
  const declared = await declaredIn(search as unknown as Search<never>, place, field);
  if (declared) return declared;
  const usual = inside(place, field);
  return search.isThere(usual) ? [usual] : [];
}

/** In pi's settings `"skills": []` beside a package means: none of its skills. */
function isEmptied(bundle: Bundle | undefined, field: string): boolean {
  const filter = bundle?.manifest['filter'];
  const kept = isRecord(filter) ? filter[field] : undefined;
  return Array.isArray(kept) && kept.length === 0;
}

/** Whether pi's settings keep this file of a package: a list of paths, `!` or `-` in front of what is left out. */
function isKept({ manifest, folder }: Bundle, field: string, path: string): boolean {
  const { filter } = manifest;
  const given = isRecord(filter) ? filter[field] : undefined;
  if (!Array.isArray(given)) return true;
  const own = relative(folder, path);
  const rules = given.filter((rule): rule is string => typeof rule === 'string');
  const names = (rule: string) => matches(rule.replace(/^[!+-]?(?:\.\/)?/, ''), own);
  const positive = rules.filter((rule) => !/^[!-]/.test(rule));
  const isNamed = positive.length === 0 ? rules.length > 0 : positive.some(names);
  return isNamed && !rules.some((rule) => /^[!-]/.test(rule) && names(rule));
}

function isFile(search: Search<never>, place: Place): boolean {
  return search.files.look(place.path).stamp?.type === 'file';
}

/** Readers for packages of pi and oh-my-pi. */
export const piReaders: BundleReaders = {
  async skills(search, place, bundle) {
    for (const one of await declaredOrUsual(search, place, 'skills', bundle)) {
      const own = inside(one, 'SKILL.md');
      if (search.isThere(own)) await readSkill(search, own);
      else if (extname(one.path) === '.md') await readSkill(search, one);
      else await readSkills(search, one, { singleFiles: true });
    }
  },
  async prompts(search, place, bundle) {
    for (const one of await declaredOrUsual(search, place, 'prompts', bundle)) {
      if (isFile(search as unknown as Search<never>, one)) await readCommand(search, one);
      else await readCommands(search, one, { flat: true });
    }
  },
  async commands(search, place) {
    for (const one of await declaredOrUsual(search, place, 'commands')) await readCommands(search, one);
  },
  async rules(search, place) {
    for (const one of await declaredOrUsual(search, place, 'rules')) await readRules(search, one);
  },
  async agents(search, place) {
    for (const one of await declaredOrUsual(search, place, 'agents')) await readAgents(search, one);
  },
  async extensionModules(search, place, bundle) {
    if (isEmptied(bundle, 'extensions')) return;
    const declared = await declaredIn(search, place, 'extensions');
    for (const one of declared ?? []) if (isKept(bundle, 'extensions', one.path)) await readExtension(search, one);
    if (!declared) await readExtensions(search, inside(place, 'extensions'));
  },
  async toolModules(search, place) {
    const declared = await declaredIn(search, place, 'tools');
    for (const one of declared ?? [inside(place, 'tools')]) {
      if (!isFile(search as unknown as Search<never>, one)) await readTools(search, one);
      else search.add({ key: moduleName(one.path), value: { name: moduleName(one.path), path: one.path }, place: one });
    }
  },
  async hookModules(search, place) {
    for (const one of await declaredOrUsual(search, place, 'hooks')) await readHookModules(search, one);
  },
  async themes(search, place, bundle) {
    for (const one of await declaredOrUsual(search, place, 'themes', bundle)) await readThemes(search, one);
  },
  async mcpServers(search, place) {
    for (const name of ['mcp.json', '.mcp.json']) {
      const file = inside(place, name);
      const record = await search.record(file, 'json');
      if (record) addMcpServers(search, file, record['mcpServers'], { variableRules: ['braces', 'names'] });
    }
  },
};
