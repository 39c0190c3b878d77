/** One source for every kind over the slot `bundles`: whoever finds a bundle, what it holds is found by this. */
import type { Slot, SlotSource } from '@tenon/kernel';
import type * as kinds from '../kinds.ts';
import * as slots from '../api.ts';
import { type Origin, Search } from '../search.ts';
import type { SourceFiles } from '../source-files.ts';
import type { BundleReaders } from './bundle-readers.ts';
import { pluginReaders } from './claude-bundle.ts';
import { geminiReaders } from './gemini-bundle.ts';
import { piReaders } from './pi-bundle.ts';

const READERS: Readonly<Record<kinds.Bundle['format'], BundleReaders>> = {
  claude: pluginReaders('claude', '.claude-plugin/plugin.json'),
  codex: pluginReaders('codex', '.codex-plugin/plugin.json'),
  gemini: geminiReaders,
  pi: piReaders,
};

/** The id of the sources that read bundles. */
export const BUNDLES = 'bundles';

/** The kinds that a bundle may hold. */
export const BUNDLED: Readonly<Record<keyof BundleReaders, Slot<unknown>>> = {
  contextFiles: slots.contextFiles as Slot<unknown>,
  skills: slots.skills as Slot<unknown>,
  rules: slots.rules as Slot<unknown>,
  commands: slots.commands as Slot<unknown>,
  prompts: slots.prompts as Slot<unknown>,
  externalHooks: slots.externalHooks as Slot<unknown>,
  hookModules: slots.hookModules as Slot<unknown>,
  toolModules: slots.toolModules as Slot<unknown>,
  agents: slots.agents as Slot<unknown>,
  mcpServers: slots.mcpServers as Slot<unknown>,
  lspServers: slots.lspServers as Slot<unknown>,
  extensionModules: slots.extensionModules as Slot<unknown>,
  themes: slots.themes as Slot<unknown>,
};

/** What the texts of a bundle may refer to. */
function variablesOf({ format, folder }: kinds.Bundle, cwd: string): Readonly<Record<string, string>> {
  if (format === 'gemini') return { extensionPath: folder, workspacePath: cwd, '/': '/', pathSeparator: '/' };
  return format === 'pi' ? {} : { CLAUDE_PLUGIN_ROOT: folder, PLUGIN_ROOT: folder };
}

/** The source of one kind. `find` gives the bundles that count: those switched off or tampered with are not read at all. */
export function bundleSource(
  kind: keyof BundleReaders,
  files: SourceFiles,
  find: (cwd: string) => Promise<readonly slots.Discovered<kinds.Bundle>[]>,
): SlotSource<unknown> {
  return {
    id: BUNDLES,
    deadlineMs: 20_000,
    async load(context, call) {
      const items = [];
      const warnings = [];
      for (const { value: bundle, family, priority } of await find(context.cwd)) {
        const read = READERS[bundle.format][kind] as BundleReaders['skills'];
        if (!read) continue;
        const search = new Search<unknown>(context, files, call);
        const variables = variablesOf(bundle, search.cwd);
        const place: Origin = { path: bundle.folder, level: bundle.level, bundle: bundle.name, variables };
        await read(search as Search<kinds.Skill>, place, bundle);
        for (const item of search.items)
          items.push({ ...item, priority, data: { ...item.data, family, order: items.length } });
        warnings.push(...search.problems);
      }
      return { items, warnings };
    },
  };
}
