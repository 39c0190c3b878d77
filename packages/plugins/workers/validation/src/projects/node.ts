/** Projects with a package.json: `build` and `test`, in a workspace only of the packages that changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidationStep } from '../api.ts';
import { type Change, isProse, packagesOf, type ProjectKind } from '../project.ts';
import { readJsonObject } from '../read-json.ts';
import { detectPackageManager, type PackageManagerChoice, runScript, runScriptOf } from './package-manager.ts';

const WANTED = ['build', 'test'] as const;

/** What `npm init` writes; running it proves nothing and fails. */
const PLACEHOLDER = /no test specified/;

/** Finds the steps of a Node project. */
export const nodeProject: ProjectKind = (change) => {
  const manifest = readJsonObject(join(change.root, 'package.json'));
  if (!manifest) return undefined;
  const choice = detectPackageManager(change.root);
  const how = `${choice.manager} (${choice.because})`;
  const scoped = isWorkspace(change.root, manifest) ? changedPackages(change, choice) : undefined;
  if (scoped) return scoped.length === 0 ? undefined : { isScoped: true, steps: scoped, how };
  const steps = WANTED.filter((script) => hasScript(manifest, script)).map((script) => ({
    title: script,
    argv: runScript(choice.manager, script),
    cwd: change.root,
  }));
  return steps.length === 0 ? undefined : { isScoped: false, steps, how };
};

function isWorkspace(root: string, manifest: Readonly<Record<string, unknown>>): boolean {
  return manifest['workspaces'] !== undefined || existsSync(join(root, 'pnpm-workspace.yaml'));
}

/** Steps of the packages that changed; undefined when something at the root changed that all of them may depend on. */
function changedPackages({ root, files }: Change, choice: PackageManagerChoice): ValidationStep[] | undefined {
  if (files === undefined) return undefined;
  const counted = files.filter((file) => !isProse(file));
  const packages = packagesOf(counted, (folder) => existsSync(join(root, folder, 'package.json')));
  if (packages.has('') || packages.size === 0) return undefined;
  const hasFallback = hasScript(readJsonObject(join(root, 'package.json')) ?? {}, 'test-packages');
  return [...packages].sort().flatMap((folder) => packageSteps(root, folder, choice, hasFallback));
}

function packageSteps(
  root: string,
  folder: string,
  { manager }: PackageManagerChoice,
  hasFallback: boolean,
): ValidationStep[] {
  const manifest = readJsonObject(join(root, folder, 'package.json')) ?? {};
  const name = typeof manifest['name'] === 'string' && manifest['name'] !== '' ? manifest['name'] : undefined;
  const step = (script: string): ValidationStep =>
    name === undefined
      ? { title: `${script} of ${folder}`, argv: runScript(manager, script), cwd: join(root, folder) }
      : { title: `${script} of ${folder}`, argv: runScriptOf(manager, name, script), cwd: root };
  const steps = WANTED.filter((script) => hasScript(manifest, script)).map(step);
  if (hasScript(manifest, 'test') || !hasFallback) return steps;
  return [...steps, { title: `test of ${folder}`, argv: runScript(manager, 'test-packages', folder), cwd: root }];
}

function hasScript(manifest: Readonly<Record<string, unknown>>, name: string): boolean {
  const scripts = manifest['scripts'];
  const script =
    typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>)[name] : undefined;
  return typeof script === 'string' && script.trim() !== '' && !(name === 'test' && PLACEHOLDER.test(script));
}
