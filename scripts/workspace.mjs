/** Where the parts of the repository are; shared by the generators and the tests of the house. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {{ name: string, folder: string, path: string, json: Record<string, any> }} WorkspacePackage
 *   `folder` is relative to the root
 */

/** The groups of plugins and what each is for, from the ground up: a plugin looks at its own group and at those before it. */
export const PLUGIN_GROUPS = {
  foundation: 'The command line, settings, and one way to call a tool. Everything else stands on it.',
  models: 'Model providers, their catalogue and credentials, and the models that need no network.',
  agent: 'The loop over one session, and what a session keeps.',
  safety: 'What may run, and what it can reach while it runs.',
  tools: 'What the model works with.',
  senses:
    'What the model perceives beyond files: language servers, debuggers, browsers, other machines, pictures, memory.',
  ecosystem: 'What users have for other agents, and what they install: rules, skills, hooks, MCP servers, packs.',
  workers:
    'Agents at work for the agent: subagents, other coding agents and their runs, worktrees, validation, accounts.',
  modes: 'The ways in: one prompt, RPC, other agents.',
};

/** The groups' folders, relative to the root. @param {string} [root] @returns {string[]} */
export function pluginGroups(root = REPOSITORY) {
  return listFolders(join(root, 'packages/plugins')).map((name) => `packages/plugins/${name}`);
}

/** Every package of the workspace. @param {string} [root] @returns {WorkspacePackage[]} */
export function workspacePackages(root = REPOSITORY) {
  const plugins = pluginGroups(root).flatMap((group) =>
    listFolders(join(root, group)).map((name) => `${group}/${name}`),
  );
  return [
    'packages/schema',
    'packages/prompts',
    'packages/wording',
    'packages/screen',
    'packages/components',
    'packages/kernel',
    'packages/log',
    'packages/state-files',
    'packages/host',
    'packages/model-fakes',
    'packages/test-kit',
    ...plugins,
    'packages/cli',
    'packages/sdk',
    'native',
    'bench',
  ]
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const json = readJson(join(root, folder, 'package.json'));
      return { name: json.name, folder, path: join(root, folder), json };
    });
}

/** The built-in plugins, by name. @param {string} [root] @returns {WorkspacePackage[]} */
export function pluginPackages(root = REPOSITORY) {
  return workspacePackages(root).filter(({ folder, json }) => folder.startsWith('packages/plugins/') && json.tenon);
}

/** Every file below a folder, sorted, without what is installed or built. @param {string} folder @returns {string[]} */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  const skipped = new Set(['node_modules', 'dist', 'target', '.work', '.git', '.setup']);
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

/** A path as it is written in docs: from the root, with slashes. @param {string} path @param {string} [root] */
export function fromRoot(path, root = REPOSITORY) {
  return relative(root, path).split(sep).join('/');
}

/** @param {string} path @returns {any} */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
}

function listFolders(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
