/** The manual page and the completion scripts of the package, from the manifests of the built-in plugins. */
import { loadSource } from '../load-source.mjs';
import { pluginPackages } from '../workspace.mjs';

/** Where each shell looks for its script, by the shell's name. */
const NAMES = { bash: 'tenon.bash', zsh: '_tenon', fish: 'tenon.fish', powershell: 'tenon.ps1' };

/** @param {string} root @param {string} version @returns {Promise<Record<string, string>>} path in the package -> text */
export async function commandFiles(root, version) {
  const folder = './packages/plugins/foundation/command-line/src';
  const { manPage, completionScript, SHELLS, CommandTable } = await loadSource(
    root,
    `export { manPage } from '${folder}/man-page.ts';
     export { completionScript, SHELLS } from '${folder}/completion.ts';
     export { CommandTable } from '${folder}/table.ts';`,
  );
  const commands = pluginPackages(root).flatMap(({ json }) =>
    Object.entries(json.tenon.contributes?.['cli-commands'] ?? {})
      .filter(([key]) => key !== '*')
      .map(([key, spec]) => ({ key, spec, plugin: json.tenon.id })),
  );
  const table = new CommandTable(commands);
  const scripts = SHELLS.map((shell) => [`completions/${NAMES[shell]}`, completionScript(shell, table)]);
  return { 'man/tenon.1': manPage(commands, version), ...Object.fromEntries(scripts) };
}
