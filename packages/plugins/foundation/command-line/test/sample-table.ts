import { readdirSync, readFileSync } from 'node:fs';
import { inCheckout, packageJson } from '@tenon/test-kit/plugins';
import type { CommandSpec } from '../src/command-spec.ts';
import { CommandTable, type TableEntry } from '../src/table.ts';

/** The commands of the built-in plugins, from their real manifests. */
export function builtInCommands(): TableEntry[] {
  return ['command-line', 'settings-files', 'doctor', 'tools'].flatMap((plugin) => {
    const contributes = packageJson(plugin).tenon['contributes'] as Record<string, Record<string, CommandSpec>>;
    return Object.entries(contributes['cli-commands'] ?? {}).map(([key, spec]) => ({ key, spec, plugin }));
  });
}

/** A table of the built-in commands and these. */
export function tableWith(extra: Record<string, CommandSpec> = {}): CommandTable {
  const added = Object.entries(extra).map(([key, spec]) => ({ key, spec, plugin: 'test' }));
  return new CommandTable([...builtInCommands(), ...added]);
}

/** The commands of all plugins of the repository, with the manifest of each. */
export function everyBuiltInCommand(): { readonly file: string; readonly key: string; readonly spec: CommandSpec }[] {
  const foldersIn = (path: string) =>
    readdirSync(inCheckout(path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${path}/${entry.name}`] : [],
    );
  const folders = foldersIn('packages/plugins').flatMap(foldersIn);
  return folders.flatMap((folder) => {
    const file = `${folder}/package.json`;
    const { tenon } = JSON.parse(readFileSync(inCheckout(file), 'utf8')) as {
      tenon?: { contributes?: Record<string, Record<string, CommandSpec>> };
    };
    return Object.entries(tenon?.contributes?.['cli-commands'] ?? {}).map(([key, spec]) => ({ file, key, spec }));
  });
}
