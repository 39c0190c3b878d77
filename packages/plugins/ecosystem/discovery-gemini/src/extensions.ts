/** Gemini extensions: `extensions/<name>/gemini-extension.json`. The user's come first, as Gemini has it. */
import * as d from '@tenon/discovery/api';

const { inside } = d;

/** Finds them. Folders without a manifest are no extensions. */
export async function readExtensions(search: d.Search<d.Bundle>): Promise<void> {
  const [user] = search.places({ user: '.gemini/extensions' });
  const overrides = user ? await search.record(inside(user, 'extension-enablement.json'), 'json') : undefined;
  for (const place of search.places({ user: '.gemini/extensions', project: '.gemini/extensions', userFirst: true })) {
    for (const { name, path } of await search.list(place)) {
      const folder = { ...place, path };
      if (search.files.look(path).stamp?.type !== 'folder') continue;
      const isOff = !isEnabled(overrides?.[name], search.cwd);
      const ignored = isOff ? { ignored: 'switched off by extension-enablement.json of Gemini' } : {};
      await d.readBundle(search, folder, { format: 'gemini', ...ignored });
    }
  }
}

/** The last rule that fits the folder decides: a path, `/*` at its end for all below, `!` in front to switch off. */
export function isEnabled(rules: unknown, cwd: string): boolean {
  const overrides = d.isRecord(rules) && Array.isArray(rules['overrides']) ? (rules['overrides'] as unknown[]) : [];
  const fits = (rule: string) => {
    const path = rule.replace(/^!/, '').replace(/\/?\*?$/, '');
    return cwd === path || (rule.endsWith('*') && cwd.startsWith(`${path}/`));
  };
  const deciding = overrides.filter((rule): rule is string => typeof rule === 'string' && fits(rule)).at(-1);
  return deciding === undefined || !deciding.startsWith('!');
}
