/** From one session to another, and from one place of a session to another. Plugins may call each of these off. */
import { messageOf } from '@tenon/kernel';
import type { Session, SessionEntry } from '@tenon/sessions/api';
import type { LoopSession } from './agent-session.ts';
import {
  beforeBranch,
  beforeSwitch,
  beforeTree,
  type HandoffResult,
  type MoveResult,
  sessionBranch,
  sessionTree,
} from './api.ts';
import { summarizeBranch } from './compaction/branch-summary.ts';
import { checkHandoff, handoffMessage, writeHandoff } from './compaction/handoff.ts';
import { errors } from './errors.ts';
import { messageText } from './convert.ts';

const DONE: MoveResult = { cancelled: false };
const CALLED_OFF: MoveResult = { cancelled: true };

/** Moves one agent about. Nothing here stops a run: that is done before. */
export class SessionMoves {
  readonly #agent: LoopSession;

  constructor(agent: LoopSession) {
    this.#agent = agent;
  }

  async startNew(parentSession: string | undefined): Promise<MoveResult> {
    if (await this.#isSwitchCalledOff('new')) return CALLED_OFF;
    await this.#agent.adopt(await this.#fresh(parentSession), 'new');
    return DONE;
  }

  async switchTo(idOrFile: string): Promise<MoveResult> {
    const { session, host } = this.#agent;
    if (idOrFile === session.id || idOrFile === session.file) return DONE;
    if (await this.#isSwitchCalledOff('resume', idOrFile)) return CALLED_OFF;
    await this.#agent.adopt(await (await host.sessions()).open(idOrFile), 'resume');
    return DONE;
  }

  async branch(entryId: string): Promise<MoveResult & { text: string }> {
    const agent = this.#agent;
    const { host, session, cwd } = agent;
    const entry = session.entry(entryId);
    const text = userText(entry);
    if (!entry || text === undefined) throw errors.create('AGENT_NOT_A_USER_MESSAGE', { entry: entryId });
    const decided = await host.run(beforeBranch, { ...agent.place, entryId });
    if (decided?.cancel) return { cancelled: true, text };
    const previous = session.id;
    if (decided?.skipConversationRestore) {
      // Nothing of the conversation changes; whoever asked for that brings back something else.
    } else if (session.file === undefined) {
      session.moveTo(entry.parentId);
      agent.conversation.reload();
    } else if (entry.parentId === null) {
      await agent.adopt(await this.#fresh(session.file), 'branch');
    } else {
      await agent.adopt(await (await host.sessions()).fork(session, { entryId: entry.parentId, cwd }), 'branch');
    }
    await agent.host.run(sessionBranch, { ...agent.place, entryId, previous });
    return { cancelled: false, text };
  }

  async navigate(
    to: string | null,
    { summarize = false, instructions }: { summarize?: boolean; instructions?: string },
  ): Promise<MoveResult> {
    const agent = this.#agent;
    const { session, host, place } = agent;
    const from = session.leafId;
    if (to !== null && !session.entry(to)) throw errors.create('AGENT_ENTRY_UNKNOWN', { entry: to });
    const decided = await host.run(beforeTree, { ...place, from, to, summarize });
    if (decided?.cancel) return CALLED_OFF;
    const own = summarize && decided?.summary && { ...decided.summary, fromExtension: true };
    const summary =
      own ||
      (summarize
        ? await agent.compactor.whileCompacting((signal) =>
            summarizeBranch(agent, to, { signal, ...(instructions !== undefined && { instructions }) }),
          )
        : undefined);
    session.moveTo(to);
    const summaryEntryId = summary && (await session.append('branch_summary', { fromId: to ?? 'root', ...summary }));
    agent.conversation.reload();
    await host.run(sessionTree, { ...place, from, to, ...(summaryEntryId !== undefined && { summaryEntryId }) });
    return DONE;
  }

  /** Lets the model write the document, and goes on in a session that begins with it. */
  async handOver(options: { instructions?: string; isAutomatic: boolean }): Promise<HandoffResult | undefined> {
    const agent = this.#agent;
    checkHandoff(agent);
    if (await this.#isSwitchCalledOff('handoff')) return undefined;
    const { instructions, isAutomatic } = options;
    const document = await agent.compactor.whileCompacting((signal) =>
      writeHandoff(agent, { signal, ...(instructions !== undefined && { instructions }) }),
    );
    if (document === undefined) return undefined;
    await agent.session.flush();
    const fresh = await this.#fresh(agent.session.file ?? agent.session.id);
    await agent.adopt(fresh, 'handoff');
    await agent.say(handoffMessage(document));
    const savedPath =
      isAutomatic && agent.host.config.compaction.handoffSaveToDisk ? await this.#save(fresh, document) : undefined;
    return { document, ...(savedPath !== undefined && { savedPath }) };
  }

  /** A copy for people; the document is in the session anyway, so that a full disk does not end the handover. */
  async #save(session: Session, document: string): Promise<string | undefined> {
    const name = `handoff-${new Date().toISOString().replace(/[:.]/g, '-')}.md`;
    try {
      return await session.artifactPath(await session.putArtifact(name, document));
    } catch (fault) {
      this.#agent.host.log.warn(`the handover could not be saved as ${name}: ${messageOf(fault)}`);
      return undefined;
    }
  }

  async #isSwitchCalledOff(reason: 'new' | 'resume' | 'handoff', target?: string): Promise<boolean> {
    const { host, place } = this.#agent;
    const decided = await host.run(beforeSwitch, { ...place, reason, ...(target !== undefined && { target }) });
    return decided?.cancel === true;
  }

  /** A session where the present one is: in a file, or in memory. */
  async #fresh(parentSession: string | undefined): Promise<Session> {
    const { host, session, cwd } = this.#agent;
    const store = await host.sessions();
    const options = { cwd, ...(parentSession !== undefined && { parentSession }) };
    return session.file === undefined ? store.inMemory(options) : store.create(options);
  }
}

function userText(entry: SessionEntry | undefined): string | undefined {
  return entry?.type === 'message' && entry.message.role === 'user' ? messageText(entry.message) : undefined;
}
