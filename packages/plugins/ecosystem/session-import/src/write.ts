/** Makes a session of a conversation. */
import { isAbsolute } from 'node:path';
import type { AssistantMessage, ToolResultMessage } from '@tenon/models/api';
import { NO_USAGE } from '@tenon/models/api';
import type { AgentMessage, EntryBodies, EntryType, Session, SessionStore, SessionSummary } from '@tenon/sessions/api';
import { plainLine } from '@tenon/wording';
import { type Answer, AGENT_NAMES, type Call, type Conversation, type Found, type Piece } from './conversation.ts';

/** The `customType` of the entry that says where a session comes from. */
const IMPORTED = 'tenon.imported';

/** The data of that entry. */
export interface Provenance {
  readonly agent: string;
  readonly id: string;
  readonly files: readonly string[];
  /** How much there was. */
  readonly messages: number;
  readonly until: string;
}

const MAX_TITLE = 120;
/** Beyond that, a folder's name is no longer a file's name. */
const MAX_CWD = 200;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** How the header of a session names what it was made from. */
export function parentOf({ agent, id }: Found): string {
  return `${agent}:${id}`;
}

/** What a conversation holds now. */
export function provenanceOf(found: Found, { pieces }: Conversation): Provenance {
  const until = pieces.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
  const { agent, id, files } = found;
  return { agent, id, files, messages: pieces.length, until: new Date(until).toISOString() };
}

/** Sessions that were made from a conversation before, the newest first. */
export async function importsOf(store: SessionStore, found: Found): Promise<readonly SessionSummary[]> {
  const parent = parentOf(found);
  return (await store.list()).filter(({ parentSession }) => parentSession === parent);
}

/** Whether a session holds all that the conversation holds now. */
export async function isUpToDate(store: SessionStore, { file }: SessionSummary, now: Provenance): Promise<boolean> {
  const session = await store.open(file, { readOnly: true });
  try {
    for (const entry of session.children(null)) {
      if (entry.type !== 'custom' || entry.customType !== IMPORTED) continue;
      const { messages, until } = (entry.data ?? {}) as Partial<Provenance>;
      return messages === now.messages && until === now.until;
    }
    return false;
  } finally {
    await session.close();
  }
}

/** Writes the session. Everything goes through `session.persist`, which masks secrets. */
export async function writeSession(
  store: SessionStore,
  found: Found,
  conversation: Conversation,
  workFolder: string,
): Promise<Session> {
  const cwd = conversation.cwd ?? found.cwd ?? '';
  const isUsable = isAbsolute(cwd) && cwd.length <= MAX_CWD && !cwd.includes('\0');
  const session = await store.create({ cwd: isUsable ? cwd : workFolder, parentSession: parentOf(found) });
  await new SessionWriter(session, found).write(conversation);
  return session;
}

class SessionWriter {
  readonly #session: Session;
  readonly #found: Found;
  /** The newest entry of each piece. */
  readonly #entries = new Map<string, string>();
  readonly #usedIds = new Set<string>();
  #root: string | null = null;

  constructor(session: Session, found: Found) {
    this.#session = session;
    this.#found = found;
  }

  async write(conversation: Conversation): Promise<void> {
    const data = provenanceOf(this.#found, conversation);
    this.#root = await this.#session.append('custom', { customType: IMPORTED, data });
    for (const piece of conversation.pieces) await this.#piece(piece);
    const leaf = this.#entryOf(conversation.leaf);
    if (leaf !== this.#session.leafId) {
      // A session stands at its newest entry when it is opened again.
      this.#session.moveTo(leaf);
      await this.#session.append('custom', { customType: IMPORTED, data: { end: true } });
    }
    const title = plainLine(conversation.title ?? '').slice(0, MAX_TITLE);
    if (title !== '') await this.#session.setTitle(title, 'auto');
    await this.#session.flush();
  }

  #entryOf(key: string | null): string | null {
    return (key === null ? undefined : this.#entries.get(key)) ?? this.#root;
  }

  async #piece(piece: Piece): Promise<void> {
    this.#session.moveTo(this.#entryOf(piece.parent));
    await this.#body(piece);
    if (this.#session.leafId !== null) this.#entries.set(piece.key, this.#session.leafId);
  }

  async #body(piece: Piece): Promise<void> {
    const timestamp = piece.atMs;
    switch (piece.kind) {
      case 'user':
        return this.#message({ role: 'user', content: piece.content, timestamp });
      case 'note':
        return this.#append('custom_message', { customType: IMPORTED, content: piece.text, display: false });
      case 'answer':
        return this.#answer(piece);
      case 'compaction': {
        const firstKeptEntryId = piece.firstKept === undefined ? '' : (this.#entries.get(piece.firstKept) ?? '');
        return this.#append('compaction', {
          summary: piece.summary,
          firstKeptEntryId,
          tokensBefore: piece.tokensBefore,
        });
      }
      case 'branch-summary':
        return this.#append('branch_summary', { fromId: 'root', summary: piece.summary });
      case 'command': {
        const { command, output, exitCode, isHidden: excludeFromContext } = piece;
        const facts = { command, output, cancelled: false, truncated: false, excludeFromContext, timestamp };
        return this.#message({ role: 'bashExecution', ...facts, ...(exitCode !== undefined && { exitCode }) });
      }
    }
  }

  async #answer({
    content,
    api,
    provider,
    model,
    usage = NO_USAGE,
    stopReason,
    atMs: timestamp,
  }: Answer): Promise<void> {
    const calls: { call: Call; id: string; name: string }[] = [];
    const blocks: AssistantMessage['content'][number][] = content.map((block) => {
      if (block.type !== 'toolCall') return block;
      const made = { call: block, id: this.#freshId(block.id), name: nameOf(block.name) };
      calls.push(made);
      return { type: 'toolCall', id: made.id, name: made.name, arguments: block.arguments };
    });
    const stop = stopReason ?? (calls.length > 0 ? 'toolUse' : 'stop');
    const origin = { api, provider, model, usage, stopReason: stop, timestamp };
    await this.#message({ role: 'assistant', content: blocks, ...origin });
    for (const { call, id, name } of calls) await this.#message(this.#resultOf(call, id, name, timestamp));
  }

  #resultOf({ result }: Call, toolCallId: string, toolName: string, timestamp: number): ToolResultMessage {
    const missing = `There is no result: the conversation in ${AGENT_NAMES[this.#found.agent]} has none for this call.`;
    const { content, isError } = result ?? { content: [{ type: 'text' as const, text: missing }], isError: true };
    return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp };
  }

  /** Every provider accepts such an id, and no two calls share one. */
  #freshId(id: string): string {
    const plain = ID.test(id) ? id : `call_${this.#usedIds.size + 1}`;
    let fresh = plain;
    for (let more = 2; this.#usedIds.has(fresh); more++) fresh = `${plain.slice(0, 56)}_${more}`;
    this.#usedIds.add(fresh);
    return fresh;
  }

  #message(message: AgentMessage): Promise<void> {
    return this.#append('message', { message });
  }

  async #append<T extends EntryType>(type: T, body: EntryBodies[T]): Promise<void> {
    await this.#session.append(type, body);
  }
}

/** The name of a tool, in letters that every provider accepts. */
function nameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
