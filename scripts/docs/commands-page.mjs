import { loadSource } from '../load-source.mjs';
import { pluginPackages } from '../workspace.mjs';

/** docs/reference/commands.md. @param {string} root */
export async function commandsPage(root) {
  const { commandsMarkdown } = await loadSource(
    root,
    "export { commandsMarkdown } from './packages/plugins/foundation/command-line/src/markdown.ts';",
  );
  const commands = pluginPackages(root).flatMap(({ json }) =>
    Object.entries(json.tenon.contributes?.['cli-commands'] ?? {})
      .filter(([key]) => key !== '*')
      .map(([key, spec]) => ({ key, spec, plugin: json.tenon.id })),
  );
  const note = '<!-- Made by `node scripts/generate-docs.mjs`. Do not edit. -->\n';
  return { path: 'docs/reference/commands.md', text: note + commandsMarkdown(commands) };
}
