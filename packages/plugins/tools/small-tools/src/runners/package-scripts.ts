/** Scripts of package.json, of the project and of the packages in its workspace. */
import { basename, join } from 'node:path';
import type { RunnerTask, TaskRunner } from '../api.ts';
import { foldersMatching, isOnPath, namesIn, quoted, readText } from './project-files.ts';

interface PackageJson {
  readonly name?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
  readonly packageManager?: unknown;
}

const LOCK_FILES: readonly (readonly [string, string])[] = [
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Tasks of npm, pnpm, yarn and bun. */
export const packageRunner: TaskRunner = {
  async tasks(folder, { signal }) {
    const root = parse(await readText(join(folder, 'package.json')));
    if (!root) return [];
    const manager = await managerOf(folder, root);
    const tasks = scriptsOf(root, manager);
    for (const path of await foldersMatching(folder, await workspaceGlobs(folder, root))) {
      signal.throwIfAborted();
      const member = parse(await readText(join(folder, path, 'package.json')));
      if (!member || path === '') continue;
      const name = typeof member.name === 'string' ? member.name : basename(path);
      tasks.push(...scriptsOf(member, manager).map((task) => ({ ...task, name: `${name}/${task.name}`, cwd: path })));
    }
    return tasks;
  },
};

function scriptsOf({ scripts }: PackageJson, manager: string): RunnerTask[] {
  const separator = manager === 'npm' && { separator: '--' };
  return Object.entries(scripts ?? {}).flatMap(([name, script]) =>
    typeof script === 'string' ? [{ name, command: `${manager} run ${quoted(name)}`, doc: script, ...separator }] : [],
  );
}

/** What the lock file says, then the field of corepack, then what is there. */
async function managerOf(folder: string, { packageManager }: PackageJson): Promise<string> {
  const names = new Set((await namesIn(folder)).map(({ name }) => name));
  const locked = LOCK_FILES.find(([file]) => names.has(file))?.[1];
  const declared = /^(npm|pnpm|yarn|bun)@/.exec(String(packageManager))?.[1];
  return locked ?? declared ?? ((await isOnPath('bun')) ? 'bun' : 'npm');
}

async function workspaceGlobs(folder: string, { workspaces }: PackageJson): Promise<readonly string[]> {
  const listed = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown } | undefined)?.packages;
  if (Array.isArray(listed)) return listed.filter((glob) => typeof glob === 'string');
  const text = await readText(join(folder, 'pnpm-workspace.yaml'));
  if (text === undefined) return [];
  const { parseYaml } = await import('./formats.ts');
  const { packages } = (parseYaml(text) ?? {}) as { packages?: unknown };
  return Array.isArray(packages) ? packages.filter((glob) => typeof glob === 'string') : [];
}

function parse(text: string | undefined): PackageJson | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
