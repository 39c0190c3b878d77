/**
 * The session as an extension reads it. Entries never change once they are written, so each is fetched once; every look asks
 * Tenon only for what is new.
 */
import type { Bridge, SessionScope, SessionPage } from '../protocol.ts';

type Entry = Readonly<Record<string, unknown>> & { readonly id: string; readonly parentId: string | null };

interface Known {
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  page: SessionPage;
}

/** A place in the tree, with what comes after it. */
interface TreeNode {
  readonly entry: Entry;
  readonly children: TreeNode[];
  readonly label?: string;
}

/** The sessions that the extension has looked at. */
export class SessionViews {
  readonly #bridge: Bridge;
  readonly #known = new Map<string, Known>();

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** What `ctx.sessionManager` is. */
  view(place: SessionScope): Record<string, unknown> {
    const now = () => this.#sync(place);
    const branch = (fromId?: string) => branchOf(now(), fromId);
    return {
      getCwd: () => place.cwd,
      getSessionId: () => place.session ?? '',
      getSessionFile: () => now().page.file,
      getSessionDir: () => (now().page.file ?? place.cwd).replace(/[/\\][^/\\]*$/, ''),
      getSessionName: () => now().page.name,
      getHeader: () => now().page.header,
      getLeafId: () => now().page.leafId,
      getLeafEntry: () => entryOf(now(), now().page.leafId),
      getEntry: (id: string) => entryOf(now(), id),
      getLabel: (id: string) => now().page.labels[id],
      getEntries: () => [...now().entries],
      getBranch: branch,
      getTree: () => treeOf(now()),
      getChildren: (id: string) => now().entries.filter(({ parentId }) => parentId === id),
      buildSessionContext: () => ({ messages: branch().flatMap(messageIn) }),
      isPersisted: () => now().page.file !== undefined,
    };
  }

  #sync(place: SessionScope): Known {
    const session = place.session ?? '';
    const known: Known = this.#known.get(session) ?? {
      entries: [],
      byId: new Map(),
      page: { session, header: {}, leafId: null, entries: [], labels: {}, more: false },
    };
    this.#known.set(session, known);
    do {
      known.page = this.#bridge.ask('session', place, known.entries.length) as SessionPage;
      for (const entry of known.page.entries as readonly Entry[]) {
        known.entries.push(entry);
        known.byId.set(entry.id, entry);
      }
    } while (known.page.more);
    return known;
  }
}

function entryOf(known: Known, id: string | null): Entry | undefined {
  return id === null ? undefined : known.byId.get(id);
}

function branchOf(known: Known, fromId: string | undefined): Entry[] {
  const path: Entry[] = [];
  for (let entry = entryOf(known, fromId ?? known.page.leafId); entry; entry = entryOf(known, entry.parentId)) {
    path.push(entry);
  }
  return path.reverse();
}

function treeOf({ entries, page }: Known): TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  const roots: TreeNode[] = [];
  for (const entry of entries) {
    const label = page.labels[entry.id];
    const node: TreeNode = { entry, children: [], ...(label !== undefined && { label }) };
    nodes.set(entry.id, node);
    (entry.parentId === null ? roots : (nodes.get(entry.parentId)?.children ?? roots)).push(node);
  }
  return roots;
}

function messageIn(entry: Entry): unknown[] {
  if (entry['type'] === 'message') return [entry['message']];
  if (entry['type'] !== 'custom_message') return [];
  const { customType, content, display, details, timestamp } = entry;
  return [{ role: 'custom', customType, content, display, details, timestamp: Date.parse(String(timestamp)) }];
}

/** What `newSession({ setup })` writes into: remembered here, and written by Tenon into the session that it then makes. */
export class SessionRecorder {
  readonly entries: { readonly type: string; readonly body: Readonly<Record<string, unknown>> }[] = [];

  /** The writable manager that `setup` gets. */
  manager(view: Record<string, unknown>): Record<string, unknown> {
    const add = (type: string, body: Record<string, unknown>) => {
      this.entries.push({ type, body });
      return `new-${this.entries.length}`;
    };
    return {
      ...view,
      getEntries: () => [],
      getBranch: () => [],
      getLeafId: () => null,
      appendMessage: (message: unknown) => add('message', { message }),
      appendCustomEntry: (customType: string, data?: unknown) => add('custom', { customType, data }),
      appendCustomMessageEntry: (customType: string, content: unknown, display: boolean, details?: unknown) =>
        add('custom_message', { customType, content, display, details }),
      appendSessionInfo: (name: string) => add('name', { name }),
      setSessionName: (name: string) => add('name', { name }),
      appendModelChange: (provider: string, id: string) => add('model_change', { model: `${provider}/${id}` }),
      appendThinkingLevelChange: (thinkingLevel: string) => add('thinking_level_change', { thinkingLevel }),
    };
  }
}
