/** Rust projects; in a workspace only the crates that changed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProse, packagesOf, type ProjectKind } from '../project.ts';

/** Finds the steps of a Rust project. */
export const cargoProject: ProjectKind = ({ root, files }) => {
  const manifest = join(root, 'Cargo.toml');
  if (!existsSync(manifest)) return undefined;
  const isWorkspace = /^\s*\[workspace[\].]/m.test(readFileSync(manifest, 'utf8'));
  const crates = isWorkspace && files !== undefined ? changedCrates(root, files) : undefined;
  const scope = crates?.flatMap((name) => ['--package', name]) ?? (isWorkspace ? ['--workspace'] : []);
  const what = crates ? ` of ${crates.join(', ')}` : '';
  return {
    isScoped: crates !== undefined,
    how: 'cargo (Cargo.toml)',
    steps: ['build', 'test'].map((word) => ({
      title: `cargo ${word}${what}`,
      argv: ['cargo', word, ...scope],
      cwd: root,
    })),
  };
};

/** The names of the crates that hold changed files; undefined when all may be concerned. */
function changedCrates(root: string, files: readonly string[]): string[] | undefined {
  const counted = files.filter((file) => !isProse(file));
  const folders = packagesOf(counted, (folder) => existsSync(join(root, folder, 'Cargo.toml')));
  if (folders.has('') || folders.size === 0) return undefined;
  const names = [...folders].sort().map((folder) => crateName(readFileSync(join(root, folder, 'Cargo.toml'), 'utf8')));
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** The name in the section `[package]`. */
export function crateName(manifest: string): string | undefined {
  const section = /^\s*\[package\][^\S\n]*(?:#.*)?\n((?:(?!\s*\[).*\n?)*)/m.exec(manifest)?.[1] ?? '';
  return /^\s*name\s*=\s*["']([^"']+)["']/m.exec(section)?.[1];
}
