import { pluginPackages } from '../workspace.mjs';
import { code, pageHead, table, typeText } from './markdown.mjs';

/** docs/reference/settings.md. @param {string} root */
export async function settingsPage(root) {
  const sections = pluginPackages(root)
    .filter(({ json }) => json.tenon.settings?.properties)
    .map(({ json }) => {
      const { id, settings, description } = json.tenon;
      const rows = describeSettings(settings, id);
      return `## ${id}\n\n${description ?? ''}\n\n${table(['Setting', 'Type', 'Default', 'Meaning'], rows)}\n`;
    });
  const head = pageHead(
    'Settings',
    `Every plugin describes its own settings; those of installed packs are listed by \`tenon config list\`. A setting's name
starts with the id of its plugin. What a project sets in its \`.tenon/settings.yml\` counts only where you trust the project, unless
the table says something else. How the layers work and where the files are: [settings guide](../guide/settings.md).`,
  );
  const body = sections.length > 0 ? sections.join('\n') : 'No built-in plugin has settings yet.\n';
  return { path: 'docs/reference/settings.md', text: `${head}\n${body}` };
}

/** What a project may do with a setting, in words; nothing for the usual. @param {string} scope */
function scopeText(scope) {
  if (scope === 'user') return 'Not taken from a project.';
  if (scope === 'project') return 'Any project can set it.';
  const rule = /^tighten:(.+)$/.exec(scope)?.[1];
  const words = {
    true: 'turn it on',
    false: 'turn it off',
    lower: 'lower it',
    higher: 'raise it',
    add: 'add to it',
    remove: 'take from it',
  };
  if (rule === undefined) return '';
  return `A project can only ${words[rule] ?? `make it stricter (${code(rule.replaceAll('<', ' < '))})`}.`;
}

/** Rows for the settings of a schema. What only the user may set is the user's in all its parts. */
function describeSettings(schema, prefix, outer = 'trusted') {
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const key = `${prefix}.${name}`;
    const scope = outer === 'user' ? outer : (member['x-scope'] ?? outer);
    if (member.properties) return describeSettings(member, key, scope);
    const notes = [
      member.description ?? '',
      member['x-env'] ? `Environment: ${code(member['x-env'])}.` : '',
      scopeText(scope),
    ];
    const fallback = member.default === undefined ? '' : code(JSON.stringify(member.default));
    return [[code(key), typeText(member), fallback, notes.filter(Boolean).join(' ')]];
  });
}
