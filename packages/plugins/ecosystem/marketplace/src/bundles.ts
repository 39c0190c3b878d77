/** Offers installed plugins to discovery, each made sure of first. */
import { messageOf, type SlotSource, type SourceItem, TenonError } from '@tenon/kernel';
import type { Bundle } from '@tenon/discovery/api';
import type { Folders } from '@tenon/host';
import { errors } from './errors.ts';
import type { Reviews } from './review/review.ts';
import { type ScopeFiles, scopesFor } from './scopes.ts';
import type { Definition } from './store/definition.ts';
import type { Locked } from './store/lock-files.ts';
import type { Store } from './store/store.ts';
import { tamperingText } from './store/verify.ts';

/** What the source works with. */
export interface BundleParts {
  readonly folders: Pick<Folders, 'data'>;
  readonly store: Store;
  readonly reviews: Reviews;
}

/** Where plugins of marketplaces rank among the families: after what users wrote themselves. */
const PRIORITY = 65;

/** A bundle under review comes before all others, whatever is switched off. */
const REVIEW_PRIORITY = 1_000_000;

/** An installed plugin, and whether it can be used. */
export interface Usable {
  readonly id: string;
  readonly scope: ScopeFiles['scope'];
  readonly locked: Locked;
  readonly folder: string;
  /** What was accepted under the fingerprint; what a lock file says beside it does not count. */
  readonly definition?: Definition;
  /** Why it is not used. */
  readonly disabled?: string;
  /** What to tell the user about it. */
  readonly problem?: TenonError;
}

/** Everything that is installed for a folder. A project's plugin comes in the place of the user's of the same name. */
export async function usablePlugins(
  { folders, store }: Pick<BundleParts, 'folders' | 'store'>,
  cwd: string,
  options: { readonly full?: boolean; readonly signal?: AbortSignal } = {},
): Promise<{ readonly plugins: readonly Usable[]; readonly problems: readonly TenonError[] }> {
  const installs = new Map<string, { readonly files: ScopeFiles; readonly locked: Locked }>();
  const problems: TenonError[] = [];
  let off: readonly string[] = [];
  for (const files of scopesFor(folders, cwd)) {
    try {
      const { plugins, disabled = [] } = await files.readLock();
      if (files.scope === 'user') off = disabled;
      for (const [id, locked] of Object.entries(plugins)) installs.set(id, { files, locked });
    } catch (fault) {
      problems.push(asProblem(fault, files.lockFile));
    }
  }
  const plugins: Usable[] = [];
  for (const [id, { files, locked }] of installs) {
    options.signal?.throwIfAborted();
    const base = { id, scope: files.scope, locked, folder: store.folderOf(locked.content) };
    const state = await stateOf(id, files, locked, store, options);
    const switchedOff = off.includes(id) && { disabled: `it was disabled; use \`tenon plugin enable ${id}\`` };
    plugins.push({ ...base, ...state, ...switchedOff });
  }
  return { plugins, problems };
}

async function stateOf(
  id: string,
  { lockFile }: ScopeFiles,
  { content, version }: Locked,
  store: Store,
  options: { readonly full?: boolean; readonly signal?: AbortSignal },
): Promise<Pick<Usable, 'definition' | 'disabled' | 'problem'>> {
  try {
    const sealed = await store.read(content);
    if (sealed === undefined) {
      const problem = errors.create('MARKETPLACE_NOT_HERE', { plugin: id, version, lock: lockFile });
      return { disabled: 'it is not installed on this machine; see `tenon plugin install --restore`', problem };
    }
    const { definition } = sealed;
    const tampering = await store.verify(content, sealed, options);
    if (tampering.length === 0) return { definition };
    const files = tamperingText(tampering);
    const problem = errors.create('MARKETPLACE_TAMPERED', { plugin: id, files });
    return { definition, disabled: `its files are not what was installed: ${files}`, problem };
  } catch (fault) {
    options.signal?.throwIfAborted();
    const problem = asProblem(fault, store.folderOf(content));
    return { disabled: `it cannot be made sure of: ${problem.message}`, problem };
  }
}

function asProblem(fault: unknown, file: string): TenonError {
  if (fault instanceof TenonError) return fault;
  return errors.create('MARKETPLACE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
}

/** The source of the slot `bundles`. */
export function bundleSource(parts: BundleParts): SlotSource<Bundle> {
  return {
    id: 'marketplace',
    priority: PRIORITY,
    deadlineMs: 20_000,
    async load({ cwd }, { signal }) {
      const reviewed = parts.reviews.get(cwd);
      if (reviewed) {
        const data = { family: 'under-review' };
        return {
          items: [
            {
              key: reviewed.folder,
              value: reviewed,
              file: reviewed.folder,
              level: 'user',
              priority: REVIEW_PRIORITY,
              data,
            },
          ],
        };
      }
      const { plugins, problems } = await usablePlugins(parts, cwd, { signal });
      const items = plugins.flatMap(({ id, scope, definition, folder, disabled }): SourceItem<Bundle>[] => {
        if (definition?.format === undefined) return [];
        const { name, format, manifest, version } = definition;
        const value: Bundle = {
          name,
          folder,
          format,
          level: scope,
          manifest: { version, ...manifest },
          ...(disabled !== undefined && { disabled }),
        };
        return [{ key: id, value, file: folder, level: scope }];
      });
      return { items, warnings: [...problems, ...plugins.flatMap(({ problem }) => (problem ? [problem] : []))] };
    },
  };
}
