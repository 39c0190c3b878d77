/** Targets of a Cargo package or workspace, found the way cargo finds them: by name in Cargo.toml and by where files are. */
import { basename, join } from 'node:path';
import type { RunnerTask, TaskRunner } from '../api.ts';
import { foldersMatching, namesIn, quoted, readText } from './project-files.ts';

type Fields = Readonly<Record<string, unknown>>;
type Kind = 'bin' | 'example' | 'test';

/** Where cargo looks for targets that Cargo.toml does not name. */
const PLACES: readonly { readonly kind: Kind; readonly folder: string; readonly auto: string }[] = [
  { kind: 'bin', folder: 'src/bin', auto: 'autobins' },
  { kind: 'example', folder: 'examples', auto: 'autoexamples' },
  { kind: 'test', folder: 'tests', auto: 'autotests' },
];

/** Tasks of cargo. */
export const cargoRunner: TaskRunner = {
  async tasks(folder, { signal }) {
    const root = await manifestIn(folder);
    if (!root) return [];
    const workspace = fieldsOf(root['workspace']);
    const globs = [...textsOf(workspace['members']), ...textsOf(workspace['exclude']).map((glob) => `!${glob}`)];
    const members = await foldersMatching(folder, globs);
    const paths = [...new Set([...(root['package'] === undefined ? [] : ['']), ...members])];
    const packages: { name: string; targets: Target[] }[] = [];
    for (const path of paths) {
      signal.throwIfAborted();
      const manifest = path === '' ? root : await manifestIn(join(folder, path));
      const name = fieldsOf(manifest?.['package'])['name'];
      if (manifest && typeof name === 'string')
        packages.push({ name, targets: await targetsOf(join(folder, path), name, manifest) });
    }
    const isSingle = packages.length === 1 && members.length === 0;
    return packages.flatMap(({ name, targets }) =>
      targets.map((target) => taskOf(target, isSingle ? undefined : name)),
    );
  },
};

interface Target {
  readonly kind: Kind;
  readonly name: string;
}

function taskOf({ kind, name }: Target, member: string | undefined): RunnerTask {
  const chosen = member === undefined ? '' : ` --package ${quoted(member)}`;
  const verb = kind === 'test' ? 'test' : 'run';
  return {
    name: `${member === undefined ? '' : `${member}/`}${kind}/${name}`,
    command: `cargo ${verb}${chosen} --${kind} ${quoted(name)}`,
    doc: kind === 'test' ? 'integration test' : kind === 'example' ? 'example' : 'program',
  };
}

async function targetsOf(folder: string, packageName: string, manifest: Fields): Promise<Target[]> {
  const targets = new Map<string, Target>();
  const add = (kind: Kind, name: string) => targets.set(`${kind}/${name}`, { kind, name });
  for (const { kind } of PLACES) {
    for (const target of Array.isArray(manifest[kind]) ? (manifest[kind] as unknown[]) : []) {
      const { name } = fieldsOf(target);
      if (typeof name === 'string') add(kind, name);
    }
  }
  const settings = fieldsOf(manifest['package']);
  const named = Array.isArray(manifest['bin'])
    ? (manifest['bin'] as unknown[]).map((target) => fieldsOf(target)['path'])
    : [];
  const hasMain = (await readText(join(folder, 'src/main.rs'))) !== undefined && !named.includes('src/main.rs');
  if (hasMain && settings['autobins'] !== false) add('bin', packageName);
  for (const { kind, folder: place, auto } of PLACES) {
    if (settings[auto] === false) continue;
    for (const { name, isFolder } of await namesIn(join(folder, place))) {
      if (!isFolder && name.endsWith('.rs')) add(kind, basename(name, '.rs'));
      else if (isFolder && (await readText(join(folder, place, name, 'main.rs'))) !== undefined) add(kind, name);
    }
  }
  return [...targets.values()];
}

async function manifestIn(folder: string): Promise<Fields | undefined> {
  const text = await readText(join(folder, 'Cargo.toml'));
  if (text === undefined) return undefined;
  const { parseToml } = await import('./formats.ts');
  return fieldsOf(parseToml(text));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
