/** The service `discovery`. */
import { resolve } from 'node:path';
import { isBelow } from '@tenon/host';
import type { Entry, LoadContext, Registry, Slot, TenonError } from '@tenon/kernel';
import type { DenialItem, Discovered, Discovery, Findings } from './api.ts';
import { discoveryDenials } from './denials.ts';
import { KINDS } from './kind-table.ts';
import { merge, uniqueProblems } from './merge.ts';
import { projectFolders } from './project-folders.ts';
import type { DiscoverySettings } from './generated/settings.ts';

/** What the service works with. */
export interface FinderParts {
  readonly home: string;
  readonly settings: () => DiscoverySettings;
  read<V>(slot: Slot<V>): Registry<V>;
  isTrusted(folder: string): Promise<boolean>;
  /** Told after something was looked for, to keep what was read. */
  afterLoad(): void;
}

interface Loaded {
  readonly at: number;
  readonly findings: Promise<Findings<unknown>>;
}

/** Kinds whose texts go into the prompt as they are. */
const TEXTS: ReadonlySet<string> = new Set(['context-files', 'instructions', 'rules']);

/** Makes the service. What was found counts for a moment; after that the files are looked at again. */
export function createFinder({ home, settings, read, isTrusted, afterLoad }: FinderParts): Discovery {
  const loaded = new Map<string, Loaded>();

  async function find(slot: Slot<unknown>, cwd: string): Promise<Findings<unknown>> {
    // Nothing that sources do depends on trust: they read and never run.
    const context: LoadContext = { cwd, home, trusted: false };
    const kind = KINDS.find((row) => row.slot.id === slot.id);
    if (!kind) throw new Error(`"${slot.id}" is not a kind of discovery`);
    const [all, denied] = await Promise.all([
      loadAll(read(slot), context),
      slot.id === 'mcp-servers' ? loadAll(read(discoveryDenials), context) : undefined,
    ]);
    const denials = (denied?.entries ?? []).flatMap(({ value }): DenialItem[] => (value ? [value] : []));
    afterLoad();
    const problems = uniqueProblems([...all.problems, ...(denied?.problems ?? [])]);
    const { items, ignored } = merge(kind, all.entries, settings(), denials);
    const { folders, root } = projectFolders(cwd, home);
    const own = items.map(withProject);
    return { items: TEXTS.has(slot.id) ? await marked(own) : own, ignored: ignored.map(withProject), problems };

    /** Trust in a folder says nothing about what lies above it. What is kept elsewhere belongs to the whole project. */
    function withProject<T extends Discovered<unknown>>(item: T): T {
      if (item.level !== 'project' || item.pack !== undefined) return item;
      return { ...item, project: folders.find((folder) => isBelow(item.file, folder)) ?? root };
    }
  }

  /** Says which texts come from projects that nobody has trusted. */
  async function marked<T extends Discovered<unknown>>(items: readonly T[]): Promise<T[]> {
    const projects = [...new Set(items.flatMap(({ project }) => project ?? []))];
    const states = await Promise.all(projects.map(isTrusted));
    const trusted = new Set(projects.filter((_, index) => states[index]));
    return items.map((item) =>
      item.project === undefined || trusted.has(item.project) ? item : { ...item, isUntrusted: true },
    );
  }

  async function loadAll<V>(
    registry: Registry<V>,
    context: LoadContext,
  ): Promise<{ entries: readonly Entry<V>[]; problems: readonly TenonError[] }> {
    registry.invalidate();
    const { entries, shadowed, problems } = await registry.load(context);
    return { entries: [...entries, ...shadowed], problems };
  }

  return {
    async load<V>(slot: Slot<V>, folder: string, signal?: AbortSignal): Promise<Findings<V>> {
      signal?.throwIfAborted();
      const cwd = resolve(folder);
      const key = `${slot.id} ${cwd}`;
      let entry = loaded.get(key);
      if (!entry || Date.now() - entry.at > settings().recheckMs) {
        const findings = find(slot as Slot<unknown>, cwd);
        entry = { at: Date.now(), findings };
        loaded.set(key, entry);
        // A failed look must not be the answer for the next caller.
        findings.catch(() => loaded.get(key)?.findings === findings && loaded.delete(key));
      }
      return untilAborted(entry.findings as Promise<Findings<V>>, signal);
    },
    invalidate: () => loaded.clear(),
  };
}

/** The work goes on for others; the one who gave up stops waiting. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
