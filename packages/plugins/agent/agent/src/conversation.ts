/** The messages of the active branch, kept in step with the session on disk. */
import { type AgentMessage, prunedIn, type Session } from '@tenon/sessions/api';
import { type Surrounding, TokenGauge } from './compaction/token-gauge.ts';

/** Entries that are messages for the model. */
const MESSAGES: ReadonlySet<string> = new Set(['message', 'custom_message', 'branch_summary']);

/** What the model sees, without reading the session anew for each call: that takes longer the longer the session is. */
export class Conversation {
  /** How its model counts tokens. */
  readonly gauge = new TokenGauge();
  readonly #cwd: string;
  #session: Session;
  #messages: AgentMessage[] = [];
  #serviceTier: string | null | undefined;
  /** Where the messages begin that were said after the conversation was last made shorter. */
  #freshFrom = 0;
  /** The leaf before the present run, and what was said since. */
  #runStart: string | null = null;
  #said: AgentMessage[] = [];
  /** Answers of this run that came to nothing and were asked for again. */
  readonly #dropped = new Set<AgentMessage>();

  constructor(session: Session, cwd: string) {
    this.#session = session;
    this.#cwd = cwd;
    this.reload();
  }

  get session(): Session {
    return this.#session;
  }

  /** Where hooks about it are run. */
  get place(): { readonly session: string; readonly cwd: string } {
    return { session: this.#session.id, cwd: this.#cwd };
  }

  /** Goes on in another session. */
  adopt(session: Session): void {
    this.#session = session;
    this.reload();
  }

  /** Resolves when all of it is on disk, also after a power failure. */
  flush(): Promise<void> {
    return this.#session.flush();
  }

  /** The service tier that the branch asks for. */
  get serviceTier(): string | null | undefined {
    return this.#serviceTier;
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** About how many tokens the next call will send. */
  tokens(): number {
    return this.gauge.size(this.#messages, this.#freshFrom);
  }

  /** Notes what is sent beside the messages, so that it counts before the first answer. */
  surround(surrounding: Surrounding): void {
    this.gauge.surround(surrounding, this.#messages, this.#freshFrom);
  }

  /** Adds a message; resolves when it is on disk. */
  async add(message: AgentMessage): Promise<string> {
    this.#messages.push(message);
    this.#said.push(message);
    if (message.role !== 'custom') return this.session.append('message', { message });
    const { customType, content, display, details, attribution } = message;
    const extra = { ...(details !== undefined && { details }), ...(attribution && { attribution }) };
    return this.session.append('custom_message', { customType, content, display, ...extra });
  }

  /** Writes an answer down that the model must not see: it is in the session, on a branch of its own. */
  async addAside(message: AgentMessage): Promise<void> {
    const { leafId } = this.session;
    // The place of an entry is fixed at the call, so nothing that others append can come after the answer.
    const written = this.session.append('message', { message });
    this.session.moveTo(leafId);
    await written;
  }

  /** Drops a last message that must not be sent again; it stays in the session's history. */
  dropLast(): void {
    const dropped = this.#messages.pop();
    if (dropped) this.#dropped.add(dropped);
  }

  /** Remembers where a run begins. */
  beginRun(): void {
    this.#runStart = this.session.leafId;
    this.#said = [];
    this.#dropped.clear();
  }

  /** What was said in this run, also what is set aside or was summarized since. */
  get said(): readonly AgentMessage[] {
    return this.#said.filter((message) => !this.#dropped.has(message));
  }

  /** Goes on from before the run. The entry makes the move last: a session that is opened again stands at its last line. */
  async setRunAside(): Promise<void> {
    const { session } = this;
    // The last answer says why.
    const last = this.#said.at(-1);
    if (last) this.#dropped.delete(last);
    const data = { leaf: session.leafId, reason: 'context-overflow' };
    session.moveTo(this.#runStart);
    await session.append('custom', { customType: 'tenon.set-aside', data });
    this.reload();
  }

  /** Takes the messages from the session again, after its branch or its compaction changed. */
  reload(): void {
    const { messages, serviceTier } = this.session.context();
    this.#messages = [...messages];
    this.#serviceTier = serviceTier;
    this.#freshFrom = freshFrom(this.session);
  }
}

/** How many messages were there when the branch was last made shorter: what providers reported about the longer one counts no more. */
function freshFrom(session: Session): number {
  const path = session.path();
  const isPruning = ({ id, type }: (typeof path)[number]) =>
    type === 'custom' && prunedIn(session.entry(id)).length > 0;
  const shortenedAt = path.findLastIndex((place) => place.type === 'compaction' || isPruning(place));
  if (shortenedAt === -1) return 0;
  const compactedAt = path.findLastIndex(({ type }) => type === 'compaction');
  const compaction = session.entry(path[compactedAt]?.id ?? '');
  const firstKept = compaction?.type === 'compaction' ? compaction.firstKeptEntryId : undefined;
  const from = firstKept === undefined ? 0 : path.findIndex(({ id }) => id === firstKept);
  const seen = path.slice(from === -1 ? compactedAt : from, shortenedAt).filter(({ type }) => MESSAGES.has(type));
  return seen.length + (compactedAt === -1 ? 0 : 1);
}
