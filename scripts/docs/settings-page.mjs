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
starts with the id of its plugin. How the layers work and where the files are: [settings guide](../guide/settings.md).`,
  );
  const body = sections.length > 0 ? sections.join('\n') : 'No built-in plugin has settings yet.\n';
  return { path: 'docs/reference/settings.md', text: `${head}\n${body}` };
}

/** Rows for the settings of a schema. What only the user may set is the user's in all its parts. */
function describeSettings(schema, prefix, isUsers = false) {
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const key = `${prefix}.${name}`;
    const isUsersOwn = isUsers || member['x-scope'] === 'user';
    if (member.properties) return describeSettings(member, key, isUsersOwn);
    const notes = [
      member.description ?? '',
      member['x-env'] ? `Environment: ${code(member['x-env'])}.` : '',
      isUsersOwn ? 'Not taken from a project.' : '',
    ];
    const fallback = member.default === undefined ? '' : code(JSON.stringify(member.default));
    return [[code(key), typeText(member), fallback, notes.filter(Boolean).join(' ')]];
  });
}
