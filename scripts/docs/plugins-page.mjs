import { PLUGIN_GROUPS, pluginPackages, workspacePackages } from '../workspace.mjs';

/** packages/plugins/README.md: the groups as one picture, and every plugin in one line. @param {string} root */
export function pluginsPage(root) {
  const plugins = pluginPackages(root).map(({ folder, json }) => {
    const [, , group, name] = folder.split('/');
    return { group, name, description: json.description };
  });
  const members = (group) => plugins.filter((plugin) => plugin.group === group);
  const sections = Object.entries(PLUGIN_GROUPS).map(([group, purpose]) => {
    const rows = members(group).map(
      ({ name, description }) => `| [${name}](${group}/${name}/README.md) | ${description} |`,
    );
    return `## ${group}\n\n${purpose}\n\n| plugin | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const text = `<!-- Made by \`npm run generate\`. Do not edit. -->
# Plugins

Every feature of Tenon is a plugin. Plugins stand in groups, one floor each. **A plugin imports from its own floor and from the floors below it,
never from above**, and of another plugin only its \`/api\`. A test enforces this.

\`\`\`
${picture(members, floorPackages(root)).join('\n')}
\`\`\`

${sections.join('\n')}`;
  return { path: 'packages/plugins/README.md', text };
}

/** What plugins stand on; the programs above them and what only tests use is left out. @param {string} root */
export function floorPackages(root) {
  return workspacePackages(root)
    .filter(({ folder, json }) => /^packages\/[^/]+$/.test(folder) && !json.private)
    .map(({ folder }) => folder.slice('packages/'.length))
    .filter((name) => !['cli', 'sdk', 'model-fakes', 'test-kit'].includes(name));
}

const WIDTH = 100;

/** The house, roof first. */
function picture(members, floor) {
  const line = `  +${'-'.repeat(WIDTH)}+`;
  const floors = Object.keys(PLUGIN_GROUPS)
    .toReversed()
    .flatMap((group) => {
      const names = members(group).map(({ name }) => name);
      return [...wrapped(names).map((row, index) => floorRow(index === 0 ? group : '', row)), line];
    });
  const ground = [
    ...wrapped(floor).map((row, index) => floorRow(index === 0 ? 'packages/' : '', row)),
    floorRow('native/', 'the Rust addon and its JavaScript and WebAssembly twins'),
  ];
  return [`  packages/cli and packages/sdk choose the plugins that run together`, line, ...floors, ...ground, line];
}

function floorRow(label, text) {
  return `  | ${label.padEnd(12)} ${text.padEnd(WIDTH - 15)} |`;
}

function wrapped(names) {
  const rows = [''];
  for (const name of names) {
    const last = rows.at(-1) ?? '';
    const joined = last === '' ? name : `${last} · ${name}`;
    if (joined.length <= WIDTH - 15) rows[rows.length - 1] = joined;
    else rows.push(name);
  }
  return rows;
}
