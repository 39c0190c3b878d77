/** From one session to another, and from one place of a session to another. Plugins may call each of these off. */
import { messageOf } from '@tenon/kernel';
import { type Session, type SessionEntry, sessionStore } from '@tenon/sessions/api';
import {
  beforeBranch,
  beforeSwitch,
  beforeTree,
  type HandoffResult,
  type MoveResult,
  sessionBranch,
  sessionTree,
  type SwitchReason,
  type TreeMove,
} from './api.ts';
import { leftBehind, summarizeBranch } from './compaction/branch-summary.ts';
import { checkHandoff, handoffMessage, writeHandoff } from './compaction/handoff.ts';
import type { Compactor } from './compaction/compactor.ts';
import { errors } from './errors.ts';
import { messageText } from './convert.ts';
import type { AgentParts } from './host.ts';
import { say } from './loop.ts';
import type { LoopContext } from './loop-config.ts';
import type { ModelUse } from './model-use.ts';

const DONE: MoveResult = { cancelled: false };
const CALLED_OFF: MoveResult = { cancelled: true };

/** What an agent is moved with. */
export interface MoveParts extends AgentParts {
  readonly models: ModelUse;
  readonly compactor: Compactor;
  /** What the last turn was asked with. */
  lastContext(): Pick<LoopContext, 'systemPrompt' | 'tools'>;
  /** Works on another session from now on. */
  adopt(session: Session, reason: SwitchReason): Promise<void>;
}

/** Moves one agent about. Nothing here stops a run: that is done before. */
export class SessionMoves {
  readonly #parts: MoveParts;

  constructor(parts: MoveParts) {
    this.#parts = parts;
  }

  async startNew(parentSession: string | undefined): Promise<MoveResult> {
    if (await this.#isSwitchCalledOff('new')) return CALLED_OFF;
    await this.#parts.adopt(await this.#fresh(parentSession), 'new');
    return DONE;
  }

  async switchTo(idOrFile: string): Promise<MoveResult> {
    const { host, conversation, adopt } = this.#parts;
    const { session } = conversation;
    if (idOrFile === session.id || idOrFile === session.file) return DONE;
    if (await this.#isSwitchCalledOff('resume', idOrFile)) return CALLED_OFF;
    await adopt(await (await host.find(sessionStore)).open(idOrFile), 'resume');
    return DONE;
  }

  async branch(entryId: string): Promise<MoveResult & { text: string }> {
    const { host, conversation, adopt } = this.#parts;
    const { session, place } = conversation;
    const entry = session.entry(entryId);
    const text = userText(entry);
    if (!entry || text === undefined) throw errors.create('AGENT_NOT_A_USER_MESSAGE', { entry: entryId });
    const decided = await host.run(beforeBranch, { ...place, entryId });
    if (decided?.cancel) return { cancelled: true, text };
    const previous = session.id;
    if (decided?.skipConversationRestore) {
      // Nothing of the conversation changes; whoever asked for that brings back something else.
    } else if (session.file === undefined) {
      session.moveTo(entry.parentId);
      conversation.reload();
    } else if (entry.parentId === null) {
      await adopt(await this.#fresh(session.file), 'branch');
    } else {
      const store = await host.find(sessionStore);
      await adopt(await store.fork(session, { entryId: entry.parentId, cwd: place.cwd }), 'branch');
    }
    await host.run(sessionBranch, { ...conversation.place, entryId, previous });
    return { cancelled: false, text };
  }

  async navigate(
    to: string | null,
    { summarize = false, instructions }: { summarize?: boolean; instructions?: string },
  ): Promise<TreeMove> {
    const { host, conversation, compactor } = this.#parts;
    const { session, place } = conversation;
    const from = session.leafId;
    const target = to === null ? undefined : session.entry(to);
    if (to !== null && !target) throw errors.create('AGENT_ENTRY_UNKNOWN', { entry: to });
    // What was said is said anew from there: its text goes back to whoever asked, and the conversation to before it.
    const text = saidText(target);
    const leaf = target && text !== undefined ? target.parentId : to;
    if (leaf === from) return { cancelled: false, leafId: from, ...(text !== undefined && { text }) };
    const { commonAncestor, entries } = leftBehind(session, to);
    const decided = await host.run(beforeTree, { ...place, from, to, commonAncestor, entries, summarize });
    if (decided?.cancel) return { ...CALLED_OFF, leafId: from };
    const own = summarize && decided?.summary && { ...decided.summary, fromExtension: true };
    const words = instructions !== undefined && { instructions };
    const summary =
      own ||
      (summarize
        ? await compactor.whileCompacting((signal) => summarizeBranch(this.#parts, entries, { signal, ...words }))
        : undefined);
    session.moveTo(leaf);
    const summaryEntryId = summary && (await session.append('branch_summary', { fromId: leaf ?? 'root', ...summary }));
    conversation.reload();
    const { leafId } = session;
    const made = summaryEntryId !== undefined && { summaryEntryId, fromPlugin: Boolean(own) };
    await host.run(sessionTree, { ...place, from, to, leaf: leafId, ...made });
    return { cancelled: false, leafId, ...(text !== undefined && { text }) };
  }

  /** Lets the model write the document, and goes on in a session that begins with it. */
  async handOver(options: { instructions?: string; isAutomatic: boolean }): Promise<HandoffResult | undefined> {
    const { host, conversation, compactor, emit } = this.#parts;
    checkHandoff(conversation);
    if (await this.#isSwitchCalledOff('handoff')) return undefined;
    const { instructions, isAutomatic } = options;
    const document = await compactor.whileCompacting((signal) =>
      writeHandoff(this.#parts, this.#parts.lastContext(), {
        signal,
        ...(instructions !== undefined && { instructions }),
      }),
    );
    if (document === undefined) return undefined;
    const { session } = conversation;
    await session.flush();
    const fresh = await this.#fresh(session.file ?? session.id);
    await this.#parts.adopt(fresh, 'handoff');
    await say(handoffMessage(document), conversation, emit);
    const savedPath =
      isAutomatic && host.config.compaction.handoffSaveToDisk ? await this.#save(fresh, document) : undefined;
    return { document, ...(savedPath !== undefined && { savedPath }) };
  }

  /** A copy for people; the document is in the session anyway, so that a full disk does not end the handover. */
  async #save(session: Session, document: string): Promise<string | undefined> {
    const name = `handoff-${new Date().toISOString().replace(/[:.]/g, '-')}.md`;
    try {
      return await session.artifactPath(await session.putArtifact(name, document));
    } catch (fault) {
      this.#parts.host.log.warn(`the handover could not be saved as ${name}: ${messageOf(fault)}`);
      return undefined;
    }
  }

  async #isSwitchCalledOff(reason: 'new' | 'resume' | 'handoff', target?: string): Promise<boolean> {
    const { host, conversation } = this.#parts;
    const decided = await host.run(beforeSwitch, {
      ...conversation.place,
      reason,
      ...(target !== undefined && { target }),
    });
    return decided?.cancel === true;
  }

  /** A session where the present one is: in a file, or in memory. */
  async #fresh(parentSession: string | undefined): Promise<Session> {
    const { host, conversation } = this.#parts;
    const { session, place } = conversation;
    const store = await host.find(sessionStore);
    const options = { cwd: place.cwd, ...(parentSession !== undefined && { parentSession }) };
    return session.file === undefined ? store.inMemory(options) : store.create(options);
  }
}

/** The text of an entry that somebody may want to change and say again. */
function saidText(entry: SessionEntry | undefined): string | undefined {
  if (entry?.type !== 'custom_message') return userText(entry);
  return messageText({ ...entry, role: 'custom', timestamp: 0 });
}

function userText(entry: SessionEntry | undefined): string | undefined {
  return entry?.type === 'message' && entry.message.role === 'user' ? messageText(entry.message) : undefined;
}
