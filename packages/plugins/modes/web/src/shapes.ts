/** What the API sends and takes. */
import { type Static, type TSchema, Type } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import type { Account } from '@tenon/accounts/api';
import type { Run, RunQuestion, RunSession } from '@tenon/runs/api';

const object = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const optional = Type.Optional;
const text = () => Type.String();

/** A question that an agent waits with. It belongs to the server: every client sees it, and the first answer counts. */
export const Question = object({
  id: text(),
  session: text(),
  method: Type.Union([Type.Literal('select'), Type.Literal('confirm'), Type.Literal('input'), Type.Literal('editor')]),
  title: text(),
  message: optional(text()),
  options: optional(Type.Array(text())),
  placeholder: optional(text()),
  prefill: optional(text()),
  asked: text(),
});
/** A question that an agent waits with. */
export type Question = Static<typeof Question>;

/** The answer to a question: what was chosen or written, yes or no, or that nobody wants to answer. */
export const Answer = object({
  value: optional(text()),
  confirmed: optional(Type.Boolean()),
  cancelled: optional(Type.Boolean()),
});
/** The answer to a question. */
export type Answer = Static<typeof Answer>;

/** A session in the list. */
export const SessionRow = object({
  id: text(),
  cwd: text(),
  title: optional(text()),
  firstPrompt: optional(text()),
  modified: text(),
  bytes: Type.Number(),
  /** Whether an agent of this server works on it. */
  isOpen: Type.Boolean(),
  isWorking: Type.Boolean(),
  questions: Type.Number(),
});
/** A session in the list. */
export type SessionRow = Static<typeof SessionRow>;

/** A message of a conversation, with its place. */
export const Entry = object({ index: Type.Integer(), message: Type.Unsafe<AgentMessage>({ type: 'object' }) });
/** A message of a conversation. */
export type Entry = Static<typeof Entry>;

/** Where an open session stands. */
export const SessionState = object({
  model: text(),
  thinking: text(),
  isStreaming: Type.Boolean(),
  isCompacting: Type.Boolean(),
  queued: Type.Integer(),
  title: optional(text()),
  contextWindow: optional(Type.Number()),
});
/** Where an open session stands. */
export type SessionState = Static<typeof SessionState>;

/** All that a client needs to show a session: the newest messages, and the event after which to follow. */
export const SessionView = object({
  id: text(),
  cwd: text(),
  state: SessionState,
  total: Type.Integer(),
  entries: Type.Array(Entry),
  questions: Type.Array(Question),
  /** The last event that the view holds: the `Last-Event-ID` to follow from. */
  at: text(),
});
/** All that a client needs to show a session. */
export type SessionView = Static<typeof SessionView>;

/** A run in the list, and its parts. */
export const RunShape = Type.Unsafe<Run>({ type: 'object' });
/** Everything that is known about a run. */
export const RunView = object({
  run: RunShape,
  sessions: Type.Array(Type.Unsafe<RunSession>({ type: 'object' })),
  questions: Type.Array(Type.Unsafe<RunQuestion>({ type: 'object' })),
  /** How a person opens the worker's own session, to be typed in a terminal. */
  hijack: optional(text()),
});
/** Everything that is known about a run. */
export type RunView = Static<typeof RunView>;

/** What a new run is asked for. */
export const NewRun = object({
  task: Type.String({ minLength: 1 }),
  /** The server's own folder when absent. */
  cwd: optional(text()),
  worker: optional(text()),
  model: optional(text()),
  worktree: optional(Type.Union([Type.Literal('auto'), Type.Boolean()])),
  validate: optional(Type.Boolean()),
});

/** A worktree that Tenon has made. */
export const WorktreeRow = object({
  name: text(),
  folder: text(),
  branch: optional(text()),
  bytes: optional(Type.Number()),
  state: text(),
});
/** A worktree that Tenon has made. */
export type WorktreeRow = Static<typeof WorktreeRow>;

/** An account of a coding CLI, without its credential. */
export const AccountShape = Type.Unsafe<Account>({ type: 'object' });

/** What the server is. */
export const Overview = object({
  version: text(),
  host: text(),
  cwd: text(),
  home: text(),
  openSessions: Type.Integer(),
  activeRuns: Type.Integer(),
  questions: Type.Integer(),
});
/** What the server is. */
export type Overview = Static<typeof Overview>;
