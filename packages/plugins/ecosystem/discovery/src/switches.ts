/** What the user switched off, and whether that concerns a thing. */
import type { Discovered, Skill } from './api.ts';
import type { DiscoverySettings } from './generated/settings.ts';

/** Why a thing is not used, if a setting says so. `one` is what a thing of its kind is called in `discovery.disabled`. */
export function switchedOff(
  settings: DiscoverySettings,
  slot: string,
  one: string,
  item: Pick<Discovered<unknown>, 'key' | 'family' | 'level' | 'bundle'>,
): string | undefined {
  const { key, family, level, bundle } = item;
  const of = settings.families[family];
  if (of) {
    const by = (name: string) => `switched off by the setting discovery.families.${family}.${name}`;
    if (of.enabled === false) return by('enabled');
    if (of[level] === false) return by(level);
    if (of.kinds?.[slot] === false) return by(`kinds.${slot}`);
  }
  if (settings.disabled.length === 0) return undefined;
  const names = [`${one}:${key}`, ...(bundle === undefined || one === 'bundle' ? [] : [`bundle:${bundle}`])];
  const pattern = settings.disabled.find((entry) => names.some((name) => matches(entry, name)));
  if (pattern !== undefined) return `switched off by "${pattern}" in the setting discovery.disabled`;
  return undefined;
}

/** Why a skill is not used, if the lists of skills say so. */
export function skillRefused({ skills }: DiscoverySettings, { name }: Pick<Skill, 'name'>): string | undefined {
  const ignoring = skills.ignore.find((pattern) => matches(pattern, name));
  if (ignoring !== undefined) return `switched off by "${ignoring}" in the setting discovery.skills.ignore`;
  if (skills.include.length === 0 || skills.include.some((pattern) => matches(pattern, name))) return undefined;
  return 'not in the setting discovery.skills.include';
}

/** Why a tool itself would not use a thing: `off` has the file that switches it off, by name. */
export function refusal(setting: string, off: ReadonlyMap<string, string>): (name: string) => string | undefined {
  return (name) => {
    const file = off.get(name);
    return file === undefined ? undefined : `switched off by "${setting}" in ${file}`;
  };
}

/** `*` stands for any letters. */
export function matches(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const next = name.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return at <= name.length - last.length;
}
