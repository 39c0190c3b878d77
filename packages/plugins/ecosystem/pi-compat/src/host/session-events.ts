/** From Tenon's hooks about sessions to the events of pi, and back. docs/design/agent.md has the table. */
import type { CompactionPlan, SessionPlace, SwitchReason, TreeMoved, TreePlan } from '@tenon/agent/api';
import type { SessionScope } from '../protocol.ts';
import type { ExtensionSet } from './extension-set.ts';
import { type Fields, hearing, placeOf, type Sets, setOf, tellAll } from './hearing.ts';

/** How long a session that ends waits for what its extensions were told before. */
const SETTLE_MS = 5_000;

/** A change that an extension calls off, or answers otherwise. */
interface Decision {
  readonly cancelledBy?: string;
  readonly answer: Fields;
}

/** Tells extensions what happens to sessions. */
export class SessionEvents {
  readonly #sets: Sets;
  readonly #files = new Map<string, string | undefined>();

  constructor(sets: Sets) {
    this.#sets = sets;
  }

  async start({ session, cwd, file }: SessionPlace & { readonly file?: string }): Promise<void> {
    const set = await this.#sets.open(cwd);
    this.#files.set(session, file);
    await set.equip(session);
    set.noteName(session);
    const place = { session, cwd };
    const later = set.extensions.filter(({ isStarted }) => !isStarted);
    set.startActive();
    // Those whose registrations are known need not hold up the start; the first prompt waits for them.
    for (const extension of later)
      if (extension.hears('session_start') || extension.hears('tool_session'))
        set.startBehind(async () => {
          if (extension.hears('session_start'))
            await extension.askOrReport('session_start', { reason: 'startup' }, place);
          if (extension.hears('tool_session')) await extension.askOrReport('tool_session', { reason: 'start' }, place);
        });
    const ready = set.extensions.filter((extension) => !later.includes(extension));
    for (const [name, reason] of [
      ['session_start', 'startup'],
      ['tool_session', 'start'],
    ] as const)
      await Promise.all(
        ready.map((extension) => extension.hears(name) && extension.askOrReport(name, { reason }, place)),
      );
  }

  async beforeSwitch(
    given: SessionPlace & { readonly reason: string; readonly target?: string },
  ): Promise<{ cancel: true; by: string } | undefined> {
    const reason = given.reason === 'handoff' ? 'new' : given.reason;
    const target = given.target !== undefined && { targetSessionFile: given.target };
    const { cancelledBy } = await this.#decide(given, ['session_before_switch'], { reason, ...target });
    return cancelledBy === undefined ? undefined : { cancel: true, by: cancelledBy };
  }

  async switched(given: SessionPlace & { readonly reason: SwitchReason; readonly previous: string }): Promise<void> {
    const { session, cwd, reason, previous } = given;
    const set = this.#sets.of(session);
    if (!set) return;
    const previousSessionFile = this.#files.get(previous);
    this.#files.set(session, set.liveAgent(given)?.session.file);
    if (reason === 'branch') return; // told as a branch
    const about = { reason: reason === 'handoff' ? 'new' : reason, previousSessionFile };
    await this.#moved(set, { session, cwd }, 'session_switch', about);
    await tellAll(set, { session, cwd }, 'tool_session', { reason: 'switch', previousSessionFile });
  }

  async beforeBranch(
    given: SessionPlace & { readonly entryId: string },
  ): Promise<{ cancel?: true; by?: string; skipConversationRestore?: boolean } | undefined> {
    const event = { entryId: given.entryId, position: 'before' };
    // The second name is the one that pi uses today.
    const { cancelledBy, answer } = await this.#decide(given, ['session_before_branch', 'session_before_fork'], event);
    if (cancelledBy !== undefined) return { cancel: true, by: cancelledBy };
    return answer['skipConversationRestore'] === true ? { skipConversationRestore: true } : undefined;
  }

  async branched({ session, cwd, previous }: SessionPlace & { readonly previous: string }): Promise<void> {
    const set = this.#sets.of(session);
    if (!set) return;
    const previousSessionFile = this.#files.get(previous);
    await this.#moved(set, { session, cwd }, 'session_branch', { reason: 'fork', previousSessionFile });
    await tellAll(set, { session, cwd }, 'tool_session', { reason: 'branch', previousSessionFile });
  }

  /** Older extensions hear of a move, newer ones of a session that starts; none hears it twice. */
  async #moved(set: ExtensionSet, place: SessionScope, name: string, about: Fields): Promise<void> {
    for (const extension of set.extensions) {
      if (extension.hears(name)) await extension.askOrReport(name, about, place);
      else if (extension.hears('session_start')) await extension.askOrReport('session_start', about, place);
    }
  }

  async beforeTree(
    given: TreePlan,
  ): Promise<{ cancel?: true; by?: string; summary?: { summary: string; details?: unknown } } | undefined> {
    const preparation = {
      targetId: given.to,
      oldLeafId: given.from,
      commonAncestorId: given.commonAncestor,
      entriesToSummarize: given.entries,
      userWantsSummary: given.summarize,
    };
    const { cancelledBy, answer } = await this.#decide(given, ['session_before_tree'], { preparation });
    if (cancelledBy !== undefined) return { cancel: true, by: cancelledBy };
    const own = summaryIn(answer['summary']);
    return own && { summary: own };
  }

  async treeMoved(given: TreeMoved): Promise<void> {
    const { session, cwd, from, leaf, summaryEntryId, fromPlugin = false } = given;
    const set = this.#sets.of(session);
    if (!set) return;
    const entry = summaryEntryId === undefined ? undefined : set.liveAgent(given)?.session.entry(summaryEntryId);
    const summary = entry && { summaryEntry: entry, fromExtension: fromPlugin };
    const about = { oldLeafId: from, newLeafId: leaf, ...summary };
    await tellAll(set, { session, cwd }, 'session_tree', about);
    await tellAll(set, { session, cwd }, 'tool_session', { reason: 'tree' });
  }

  async beforeCompact(
    plan: CompactionPlan,
  ): Promise<{ cancel?: true; by: string; summary?: string; details?: unknown } | undefined> {
    const set = setOf(this.#sets, plan);
    if (!set) return undefined;
    const place = placeOf(plan, set);
    const { firstKeptEntryId, tokensBefore, previousSummary, messages, instructions } = plan;
    const event = {
      preparation: {
        firstKeptEntryId,
        tokensBefore,
        messagesToSummarize: messages,
        turnPrefixMessages: [],
        isSplitTurn: false,
        fileOps: { read: [], written: [], edited: [] },
        settings: {},
        ...(previousSummary !== undefined && { previousSummary }),
      },
      branchEntries: set.liveAgent(place)?.session.branch() ?? [],
      ...(instructions !== undefined && { customInstructions: instructions }),
    };
    for (const extension of hearing(set, 'session_before_compact')) {
      const { signal } = new AbortController();
      const { cancel, compaction } = await extension.askOrReport('session_before_compact', event, place, signal);
      if (cancel === true) return { cancel, by: extension.name };
      const own = summaryIn(compaction);
      if (own) return { ...own, by: extension.name };
    }
    return undefined;
  }

  async compacting(plan: CompactionPlan): Promise<CompactionPlan | undefined> {
    const set = setOf(this.#sets, plan);
    if (!set) return undefined;
    let changed: CompactionPlan | undefined;
    for (const extension of hearing(set, 'session.compacting')) {
      const event = { sessionId: plan.session, messages: plan.messages };
      const answer = await extension.askOrReport('session.compacting', event, placeOf(plan, set));
      const { context, prompt, preserveData } = answer;
      const now: CompactionPlan = changed ?? plan;
      const kept = typeof preserveData === 'object' && preserveData !== null ? preserveData : undefined;
      changed = {
        ...now,
        ...(Array.isArray(context) && { context: [...now.context, ...context.map(String)] }),
        ...(typeof prompt === 'string' && { prompt }),
        ...(kept && { preserveData: { ...now.preserveData, ...kept } }),
      };
    }
    return changed;
  }

  async compacted(given: {
    readonly session: string;
    readonly entryId: string;
    readonly fromPlugin: boolean;
  }): Promise<void> {
    const { session, entryId, fromPlugin } = given;
    const set = this.#sets.of(session);
    if (!set) return;
    const place = { session, cwd: set.cwd };
    const compactionEntry = set.liveAgent(place)?.session.entry(entryId);
    await tellAll(set, place, 'session_compact', { compactionEntry, fromExtension: fromPlugin });
  }

  async shutdown({ session, cwd }: SessionPlace): Promise<void> {
    const set = this.#sets.of(session);
    if (!set) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, SETTLE_MS)));
    await Promise.race([Promise.all(set.extensions.map((extension) => extension.settle())), late]);
    clearTimeout(timer);
    // Whoever hangs must not keep the others from hearing of the end.
    for (const extension of set.extensions) extension.leaveBehind(session);
    await tellAll(set, { session, cwd }, 'session_shutdown', { reason: 'quit' });
    await tellAll(set, { session, cwd }, 'tool_session', { reason: 'shutdown' });
    this.#files.delete(session);
  }

  async #decide(scope: SessionPlace, names: readonly string[], event: Fields): Promise<Decision> {
    const set = this.#sets.of(scope.session);
    let answer: Fields = {};
    for (const name of set ? names : []) {
      for (const extension of set ? hearing(set, name) : []) {
        const { signal } = new AbortController();
        const reply = await extension.askOrReport(name, event, scope, signal);
        if (reply['cancel'] === true) return { cancelledBy: extension.name, answer };
        if (Object.keys(reply).length > 0) answer = reply;
      }
    }
    return { answer };
  }
}

function summaryIn(value: unknown): { summary: string; details?: unknown } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { summary, details } = value as { summary?: unknown; details?: unknown };
  return typeof summary === 'string' ? { summary, ...(details !== undefined && { details }) } : undefined;
}
