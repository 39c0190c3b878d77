import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseManifest, type Plugin, type PluginCandidate } from '@tenon/kernel';
import { candidateFrom, type PluginPackage } from '@tenon/kernel/testing';
import { importPlugin } from './plugin-code.ts';

/** A built-in plugin by the name of its package, its package.json with its code, or a candidate. */
export type PluginSource = string | readonly [PluginPackage, Plugin] | PluginCandidate;

interface SourcePackage extends PluginPackage {
  readonly tenon: PluginPackage['tenon'] & {
    readonly settings?: { properties: Record<string, { default?: unknown }> };
  };
}

/** A file or folder of the checkout, by its path from the root. */
export function inCheckout(...names: string[]): string {
  return join(import.meta.dirname, '..', '..', '..', ...names);
}

/** The folder of one of our packages. */
export function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`@tenon/${name}/package.json`));
}

/** The package.json of one of our packages, read anew. */
export function packageJson(name: string): SourcePackage {
  return JSON.parse(readFileSync(join(packageFolder(name), 'package.json'), 'utf8')) as SourcePackage;
}

/** A built-in plugin. The kernel imports its code on start; `defaults` replace defaults of its settings. */
export async function builtIn(
  name: string,
  defaults: Readonly<Record<string, unknown>> = {},
): Promise<PluginCandidate> {
  const { tenon, version = '0.0.0' } = packageJson(name);
  for (const [key, value] of Object.entries(defaults)) {
    const property = tenon.settings?.properties[key];
    if (!property) throw new Error(`the plugin "${name}" has no setting "${key}"`);
    property.default = value;
  }
  const file = join(packageFolder(name), 'package.json');
  return { manifest: await parseManifest(tenon, file, version), file, checked: true, load: () => importPlugin(name) };
}

/** The candidates of these plugins, in their order. */
export function candidatesOf(plugins: readonly PluginSource[]): Promise<PluginCandidate[]> {
  return Promise.all(
    plugins.map((plugin) => {
      if (typeof plugin === 'string') return builtIn(plugin);
      return 'manifest' in plugin ? plugin : candidateFrom(...plugin);
    }),
  );
}
