/** What the API sends and takes. */
import { type Static, type TSchema, Type } from '@tenon/kernel';
import type { AgentMessage } from '@tenon/sessions/api';
import type { Account } from '@tenon/accounts/api';
import type { FleetStatus } from '@tenon/fleet/api';
import type { Run, RunQuestion, RunSession } from '@tenon/runs/api';
import type { WorkflowDetails, WorkflowSummary } from '@tenon/workflows/api';

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

/** A call of an agent that waits for a person's yes or no, whichever process makes it. */
export const Approval = object({
  id: text(),
  tool: text(),
  folder: text(),
  session: optional(text()),
  subagent: optional(text()),
  /** How much harm it can do, 0 to 3. */
  tier: Type.Integer(),
  reasons: Type.Array(text()),
  notes: Type.Array(text()),
  /** The whole of what would happen. */
  text: text(),
  choices: Type.Array(object({ id: text(), label: text() })),
  since: text(),
});
/** A call that waits for a person's yes or no. */
export type Approval = Static<typeof Approval>;

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

/** A model. It becomes a word of a command line, so it must not look like a flag. */
export const ModelName = Type.String({ pattern: '^[A-Za-z0-9@~][^\\s\\u0000-\\u001f]{0,199}$' });

/** What a new run is asked for. Nothing here weakens the sandbox, names a program, or lets a worker read files: those who want that use the command line. */
export const NewRun = object({
  task: Type.String({ minLength: 1 }),
  /** The server's own folder when absent. */
  cwd: optional(text()),
  worker: optional(Type.String({ pattern: '^[\\w.-]{1,64}$' })),
  model: optional(ModelName),
  worktree: optional(Type.Union([Type.Literal('auto'), Type.Boolean()])),
  validate: optional(Type.Boolean()),
});

/** A worktree that Tenon has made. */
export const WorktreeRow = object({
  name: text(),
  folder: text(),
  branch: optional(text()),
  repository: text(),
  bytes: optional(Type.Number()),
  state: text(),
  /** Whether cleaning up would remove it: nobody uses it, and nothing was done in it. */
  canGo: Type.Boolean(),
  /** Why it would go, or what keeps it. */
  reason: text(),
});
/** A worktree that Tenon has made. */
export type WorktreeRow = Static<typeof WorktreeRow>;

/** An account of a coding CLI, without its credential. */
export const AccountShape = Type.Unsafe<Account>({ type: 'object' });

/** A workflow in the list. */
export const WorkflowRow = Type.Unsafe<WorkflowSummary>({ type: 'object' });
/** Everything about a workflow: its nodes, their steps, and where they stand. */
export const WorkflowView = Type.Unsafe<WorkflowDetails>({ type: 'object' });

const amounts = { cost: Type.Number(), tokens: Type.Number() };
/** What was used by one thing: a model, an account, a run, a session. */
export const UsageGroup = object({ name: text(), label: optional(text()), ...amounts, calls: Type.Integer() });
/** What was used by one thing. */
export type UsageGroup = Static<typeof UsageGroup>;
/** What was used on a day with a model and an account. */
export const UsageCell = object({ day: text(), model: text(), account: text(), ...amounts });
/** What was used on a day with a model and an account. */
export type UsageCell = Static<typeof UsageCell>;
/** Costs and tokens of a time. */
export const Usage = object({
  since: optional(text()),
  total: object({ ...amounts, calls: Type.Integer() }),
  cells: Type.Array(UsageCell),
  models: Type.Array(UsageGroup),
  accounts: Type.Array(UsageGroup),
  runs: Type.Array(UsageGroup),
  sessions: Type.Array(UsageGroup),
  /** Lines of the ledger that could not be read. */
  damagedLines: Type.Integer(),
});
/** Costs and tokens of a time. */
export type Usage = Static<typeof Usage>;

/** A setting as it applies in the server's folder. */
export const SettingRow = object({
  key: text(),
  /** As JSON; what looks like a secret is left out. */
  value: text(),
  layer: text(),
  where: text(),
  description: text(),
});
/** A setting as it applies in the server's folder. */
export type SettingRow = Static<typeof SettingRow>;

/** A marketplace that the user has added. */
export const MarketplaceRow = object({
  name: text(),
  scope: text(),
  source: text(),
  plugins: optional(Type.Number()),
  problem: optional(text()),
});
/** A plugin or pack that is installed. */
export const PluginRow = object({
  id: text(),
  version: text(),
  state: text(),
  from: text(),
});
/** Marketplaces and what is installed. */
export const Plugins = object({ marketplaces: Type.Array(MarketplaceRow), plugins: Type.Array(PluginRow) });
/** Marketplaces and what is installed. */
export type Plugins = Static<typeof Plugins>;

/** The fleet that this machine knows; nothing where it knows none. */
export const FleetView = object({ fleet: optional(Type.Unsafe<FleetStatus>({ type: 'object' })) });

/** What the server is. */
export const Overview = object({
  version: text(),
  host: text(),
  cwd: text(),
  home: text(),
  openSessions: Type.Integer(),
  activeRuns: Type.Integer(),
  questions: Type.Integer(),
  /** Whether there are hosts to show. */
  hasFleet: Type.Boolean(),
});
/** What the server is. */
export type Overview = Static<typeof Overview>;
