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
  return { path: 'docs/reference/commands.md', text: note + commandsMarkdown(commands) + slashCommands(root) };
}

/** The table of the slash commands that come with Tenon. @param {string} root */
function slashCommands(root) {
  const rows = pluginPackages(root)
    .flatMap(({ json }) =>
      Object.entries(json.tenon.contributes?.['built-in-commands'] ?? {}).map(([name, data]) => ({
        title: `/${[name, data.arguments].filter(Boolean).join(' ')}`,
        summary: data.summary,
        plugin: json.tenon.id,
      })),
    )
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ title, summary, plugin }) => `| \`${title.replaceAll('|', '\\|')}\` | ${summary} | \`${plugin}\` |`);
  const about = 'They work in every mode; [the guide](../guide/commands.md) has more.';
  return `\n## Slash commands\n\n${about}\n\n| slash command | does | plugin |\n|---|---|---|\n${rows.join('\n')}\n`;
}
