/** The sessions that agents of this server work on. */
import { existsSync } from 'node:fs';
import type { SessionStore, SessionSummary } from '@tenon/sessions/api';
import { errors } from '../errors.ts';
import { folderOf } from '../folder.ts';
import type { EventLog } from '../server/event-log.ts';
import type { Entry, Question, SessionRow } from '../shapes.ts';
import { LiveSession } from './live-session.ts';
import { type Frame, RpcProcess } from './rpc-process.ts';
import { type OpenedFile, StoredTranscripts } from './stored-transcripts.ts';
import { Transcript } from './transcript.ts';

const MAX_OPEN = 20;
/** How long an agent may take to say where it stands. */
const START_MS = 60_000;

/** What sessions are opened with. */
export interface LiveParts {
  readonly sessions: Pick<SessionStore, 'list' | 'open'>;
  readonly program: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** What all clients are told. */
  readonly log: EventLog;
  /** How long an agent may take to start. */
  readonly startMs?: number;
}

type Listed = Pick<SessionSummary, 'id' | 'cwd' | 'modified' | 'bytes'> &
  Partial<Pick<SessionSummary, 'title' | 'firstPrompt'>>;

/** Open sessions by id. */
export class LiveSessions {
  readonly #parts: LiveParts;
  readonly #open = new Map<string, LiveSession>();
  /** A session is opened once, however many ask for it. */
  readonly #opening = new Map<string, Promise<LiveSession>>();
  /** Agents that have not yet said where they stand. */
  readonly #starting = new Set<RpcProcess>();
  readonly #stored = new StoredTranscripts((id) => this.#openStored(id));
  #isClosed = false;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  get questions(): readonly Question[] {
    return [...this.#open.values()].flatMap(({ questions }) => questions);
  }

  /** Whether an agent of this server works on a session. */
  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  get(id: string): LiveSession {
    const session = this.#open.get(id);
    if (!session) throw errors.create('WEB_SESSION_CLOSED', { id });
    return session;
  }

  /** All sessions of the user, the newest first; those that are open know more. */
  async list(limit: number, search = ''): Promise<SessionRow[]> {
    const wanted = search.toLowerCase();
    const all = await this.#parts.sessions.list({ limit: wanted === '' ? limit : 1_000 });
    const stored = all.map((session) => this.#row(session, this.#open.get(session.id)));
    const known = new Set(all.map(({ id }) => id));
    // One in which nothing was said yet has no file, but an agent that somebody may want to go back to, or to end.
    const unstored = [...this.#open.values()]
      .filter(({ id }) => !known.has(id))
      .map((live) => this.#row({ id: live.id, cwd: live.cwd, modified: live.since, bytes: 0 }, live));
    const rows = [...unstored.toReversed(), ...stored];
    const fits = ({ title = '', firstPrompt = '', cwd }: SessionRow) =>
      [title, firstPrompt, cwd].some((text) => text.toLowerCase().includes(wanted));
    return rows.filter(fits).slice(0, limit);
  }

  #row(session: Listed, live: LiveSession | undefined): SessionRow {
    const { id, cwd, title, firstPrompt, modified, bytes } = session;
    const shown = live?.title ?? title;
    return {
      id,
      cwd,
      ...(shown !== undefined && { title: shown }),
      ...(firstPrompt !== undefined && { firstPrompt: firstPrompt.slice(0, 300) }),
      modified,
      bytes,
      isOpen: live !== undefined,
      isWorking: live?.isWorking ?? false,
      questions: live?.questions.length ?? 0,
    };
  }

  /** Starts an agent on a new session of a folder. */
  async start(cwd: string, model?: string): Promise<LiveSession> {
    return this.#launch(await folderOf(cwd), model === undefined ? [] : ['--model', model]);
  }

  /** Starts an agent on a session that is there; one that is open already is given as it is. */
  resume(id: string): Promise<LiveSession> {
    const known = this.#open.get(id);
    if (known) return Promise.resolve(known);
    const opening = this.#opening.get(id) ?? this.#resume(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Messages of a session; of one that no agent of this server works on, those of its file. */
  async entries(id: string, before: number | undefined, limit: number): Promise<{ entries: Entry[]; total: number }> {
    const live = this.#open.get(id);
    if (live) return live.entries(before, limit);
    return this.#stored.read(id, (transcript) => ({
      entries: transcript.before(before ?? transcript.length, limit),
      total: transcript.length,
    }));
  }

  async #openStored(id: string): Promise<OpenedFile> {
    // Never a path: whoever has the token may read sessions, and the store would open any file.
    if (!/^[\w-]{1,64}$/.test(id)) throw errors.create('WEB_SESSION_UNKNOWN', { id });
    // What the store does not know, or finds by a beginning, is not this session.
    const session = await this.#parts.sessions.open(id, { readOnly: true }).catch(() => undefined);
    if (session?.id === id) return { transcript: new Transcript(session), file: session.file };
    await session?.close();
    throw errors.create('WEB_SESSION_UNKNOWN', { id });
  }

  /** Ends the agent of a session. */
  async close(id: string): Promise<void> {
    const session = this.get(id);
    this.#open.delete(id);
    await session.close();
    this.#parts.log.add('session', { id, isOpen: false });
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await this.#stored.close();
    await Promise.all([
      ...[...this.#open.keys()].map((id) => this.close(id)),
      ...[...this.#starting].map((process) => process.stop()),
    ]);
  }

  async #resume(id: string): Promise<LiveSession> {
    // A whole id: a beginning of one could mean another session tomorrow.
    const found = (await this.#parts.sessions.list({ limit: 10_000 })).find((session) => session.id === id);
    if (!found) throw errors.create('WEB_SESSION_UNKNOWN', { id });
    return this.#launch(await folderOf(found.cwd), ['--session', found.file]);
  }

  async #launch(cwd: string, args: readonly string[]): Promise<LiveSession> {
    const count = this.#open.size + this.#starting.size;
    if (this.#isClosed || count >= MAX_OPEN) throw errors.create('WEB_TOO_MANY', { count });
    const early: Frame[] = [];
    let take = (frame: Frame): void => void early.push(frame);
    let over = (_reason: string): void => undefined;
    const process = new RpcProcess({
      program: this.#parts.program,
      args,
      cwd,
      env: this.#parts.env,
      onFrame: (frame) => take(frame),
      onEnd: (reason) => over(reason),
    });
    this.#starting.add(process);
    const limit = setTimeout(() => process.kill('it did not answer'), this.#parts.startMs ?? START_MS);
    try {
      const state = await process.call('get_state', {});
      const transcript = await this.#transcript(state.sessionFile);
      const read = (file: string | undefined) => this.#transcript(file);
      const session = new LiveSession(process, transcript, state, cwd, {
        changed: (changed) => this.#tell(changed),
        asked: (question) => void this.#parts.log.add('question', question),
        settled: ({ id }) => void this.#parts.log.add('question_settled', { id }),
        ended: ({ id }) => {
          this.#open.delete(id);
          this.#parts.log.add('session', { id, isOpen: false });
        },
        moved: (moved, from) => {
          this.#open.delete(from);
          this.#open.set(moved.id, moved);
          this.#parts.log.add('session', { id: from, isOpen: false });
        },
        async reread() {
          const state = await process.call('get_state', {});
          return { state, transcript: await read(state.sessionFile) };
        },
      });
      this.#open.set(session.id, session);
      await this.#stored.drop(session.id);
      take = (frame) => session.take(frame);
      over = (reason) => session.over(reason);
      early.forEach(take);
      if (process.end !== undefined) {
        // It has ended while its messages were read.
        session.over(process.end);
        throw errors.create('WEB_SESSION_FAILED', { reason: process.end });
      }
      this.#tell(session);
      return session;
    } catch (fault) {
      for (const [id, open] of this.#open) if (open.isOf(process)) this.#open.delete(id);
      await process.stop();
      throw fault;
    } finally {
      clearTimeout(limit);
      this.#starting.delete(process);
    }
  }

  async #transcript(file: string | undefined): Promise<Transcript> {
    // A new session has its file with its first message.
    const isThere = file !== undefined && existsSync(file);
    return new Transcript(isThere ? await this.#parts.sessions.open(file, { readOnly: true }) : undefined);
  }

  #tell({ id, isWorking, questions, title }: LiveSession): void {
    const name = title !== undefined && { title };
    this.#parts.log.add('session', { id, isOpen: true, isWorking, questions: questions.length, ...name });
  }
}
