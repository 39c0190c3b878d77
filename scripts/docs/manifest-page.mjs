import { loadSource } from '../load-source.mjs';
import { code, pageHead, table, typeText } from './markdown.mjs';

/** docs/reference/manifest.md. @param {string} root */
export async function manifestPage(root) {
  const { ManifestSchema } = await loadSource(
    root,
    "export { ManifestSchema } from './packages/kernel/src/manifest.ts';",
  );
  const rows = describeMembers(ManifestSchema, '');
  const head = pageHead(
    'The manifest of a plugin',
    `A plugin describes itself in the \`tenon\` section of its \`package.json\`. Tenon reads this without running any code of
the plugin; the code is imported when something of it is used for the first time. Keys that are not listed here are
refused by name.`,
  );
  const text = `${head}
${table(['Key', 'Type', 'Needed', 'Meaning'], rows)}

## Example

\`\`\`json
${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

The JSON Schema is \`ManifestSchema\` of \`@tenon/kernel\`.
`;
  return { path: 'docs/reference/manifest.md', text };
}

const EXAMPLE = {
  name: 'tenon-hello',
  version: '1.0.0',
  type: 'module',
  tenon: {
    id: 'hello',
    kernel: '^1',
    description: 'Greets people.',
    entry: './src/plugin.ts',
    contributes: { tools: { greet: { summary: 'Greet a person by name', risk: 'read' } } },
    settings: { type: 'object', properties: { greeting: { type: 'string', default: 'Hello' } } },
    permissions: { fs: { read: ['./notes/**'] } },
  },
};

function describeMembers(schema, prefix) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const row = [code(`${prefix}${name}`), typeText(member), required.has(name) ? 'yes' : '', member.description ?? ''];
    return member.properties ? [row, ...describeMembers(member, `${prefix}${name}.`)] : [row];
  });
}
