/** Every route of the API: server, client, OpenAPI and tests take it from here. */
import { type Place, places } from './places.ts';
import { type Static, type TSchema, Type } from '@tenon/kernel';
import {
  AccountShape,
  Answer,
  Approval,
  Entry,
  FleetView,
  ModelName,
  NewRun,
  Overview,
  Plugins,
  Question,
  RunShape,
  RunView,
  SessionRow,
  SessionView,
  SettingRow,
  Usage,
  WorkflowRow,
  WorkflowView,
  WorktreeRow,
} from './shapes.ts';

/** One route. */
export interface Route {
  /** Its method and path. */
  readonly at: Place;
  readonly summary: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly result: TSchema;
}

const object = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const optional = Type.Optional;
const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const done = object({ done: Type.Literal(true) });
const images = optional(
  Type.Array(object({ type: Type.Literal('image'), data: text('base64'), mimeType: text('image/png …') })),
);

/** The routes by name. */
export const routes = {
  overview: { at: places.overview, summary: 'What the server is and what goes on', result: Overview },
  listSessions: {
    at: places.listSessions,
    summary: 'Sessions of all folders, the newest first',
    query: object({ search: optional(text()), limit: optional(text()) }),
    result: object({ sessions: Type.Array(SessionRow) }),
  },
  openSession: {
    at: places.openSession,
    summary: 'Starts an agent on a new session, or on one that is there',
    body: object({
      cwd: optional(text('Folder of a new session')),
      resume: optional(text('Id of a session')),
      model: optional(ModelName),
    }),
    result: SessionView,
  },
  viewSession: {
    at: places.viewSession,
    summary: 'The newest messages of an open session, and where to follow from',
    query: object({ limit: optional(text()) }),
    result: SessionView,
  },
  sessionEntries: {
    at: places.sessionEntries,
    summary: 'Messages before an index, the newest when it is left out; also of a session that is not open',
    query: object({ before: optional(text()), limit: optional(text()) }),
    result: object({ entries: Type.Array(Entry), total: Type.Integer() }),
  },
  prompt: {
    at: places.prompt,
    summary: 'Says something to the agent. While it works, `steer` cuts in and `followUp` waits',
    body: object({
      message: Type.String({ minLength: 1 }),
      images,
      whileWorking: optional(Type.Union([Type.Literal('steer'), Type.Literal('followUp')])),
    }),
    result: done,
  },
  stop: { at: places.stop, summary: 'Stops what the agent does', result: done },
  setModel: {
    at: places.setModel,
    summary: 'Goes on with another model',
    body: object({ provider: text(), model: text() }),
    result: done,
  },
  listModels: {
    at: places.listModels,
    summary: 'Models that the session could use',
    result: object({ models: Type.Array(object({ provider: text(), id: text(), name: text() })) }),
  },
  compact: { at: places.compact, summary: 'Summarizes the older part', result: done },
  closeSession: {
    at: places.closeSession,
    summary: 'Ends the agent. The session stays on disk',
    result: done,
  },
  listQuestions: {
    at: places.listQuestions,
    summary: 'Questions that agents of this server wait with',
    result: object({ questions: Type.Array(Question) }),
  },
  answerQuestion: {
    at: places.answerQuestion,
    summary: 'Answers one. The first answer counts; later ones get 409',
    body: Answer,
    result: done,
  },
  listApprovals: {
    at: places.listApprovals,
    summary:
      'Calls that wait for a yes or no, of all processes of the user; those that an open session asks about are its questions',
    result: object({ approvals: Type.Array(Approval) }),
  },
  answerApproval: {
    at: places.answerApproval,
    summary: 'Answers one by the id of a choice. A yes holds once. The first answer counts; later ones get 409',
    body: object({ choice: text() }),
    result: done,
  },
  listRuns: {
    at: places.listRuns,
    summary: 'Runs of workers, the newest first',
    query: object({ limit: optional(text()) }),
    result: object({ runs: Type.Array(RunShape) }),
  },
  startRun: { at: places.startRun, summary: 'Gives a task to a worker', body: NewRun, result: RunShape },
  viewRun: { at: places.viewRun, summary: 'Everything about a run', result: RunView },
  answerRun: {
    at: places.answerRun,
    summary: 'Answers questions of a worker, by their ids',
    body: object({ answers: Type.Record(Type.String(), Type.String()) }),
    result: RunShape,
  },
  sendToRun: {
    at: places.sendToRun,
    summary: 'Puts a message into the thread of a run',
    body: object({ text: Type.String({ minLength: 1 }) }),
    result: RunShape,
  },
  retryRun: { at: places.retryRun, summary: 'Tries a run again', result: RunShape },
  cancelRun: { at: places.cancelRun, summary: 'Stops a run', result: RunShape },
  applyRun: {
    at: places.applyRun,
    summary: "Takes the run's changes over into the folder that it came from",
    result: object({ files: Type.Array(text()), text: text() }),
  },
  removeRun: {
    at: places.removeRun,
    summary: 'Forgets a run that has ended; a worktree with work in it stays',
    result: object({ kept: Type.Array(text()) }),
  },
  runDiff: {
    at: places.runDiff,
    summary: 'What a run has changed in its worktree, as a unified diff; without `text` when it has no worktree',
    result: object({ text: optional(text()), files: Type.Array(text()), isCut: Type.Boolean() }),
  },
  listWorkflows: {
    at: places.listWorkflows,
    summary: 'Workflows, the newest first, and those whose journal cannot be read',
    result: object({
      workflows: Type.Array(WorkflowRow),
      damaged: Type.Array(object({ id: text(), problem: text() })),
    }),
  },
  viewWorkflow: { at: places.viewWorkflow, summary: 'A workflow with its nodes and steps', result: WorkflowView },
  answerWorkflow: {
    at: places.answerWorkflow,
    summary: 'Answers a step that waits for a person. The first answer counts; later ones get 409',
    body: object({ step: Type.String({ minLength: 1 }), answer: Type.String({ minLength: 1, maxLength: 100_000 }) }),
    result: done,
  },
  continueWorkflow: {
    at: places.continueWorkflow,
    summary: 'Goes on with a workflow that was interrupted, in this server',
    result: done,
  },
  retryWorkflow: { at: places.retryWorkflow, summary: 'Runs what failed again, in this server', result: done },
  cancelWorkflow: { at: places.cancelWorkflow, summary: 'Ends a workflow and its runs', result: done },
  listWorktrees: {
    at: places.listWorktrees,
    summary: 'Worktrees that Tenon has made, with sizes, and which of them cleaning up would remove',
    result: object({ worktrees: Type.Array(WorktreeRow) }),
  },
  removeWorktrees: {
    at: places.removeWorktrees,
    summary: 'Removes worktrees that nobody uses and in which nothing was done; others stay',
    body: object({ folders: Type.Array(text(), { minItems: 1, maxItems: 1_000 }) }),
    result: object({
      removed: Type.Array(text()),
      kept: Type.Array(object({ folder: text(), reason: text() })),
    }),
  },
  listAccounts: {
    at: places.listAccounts,
    summary: 'Accounts of workers, what they have used and what is left',
    result: object({ accounts: Type.Array(AccountShape) }),
  },
  usage: {
    at: places.usage,
    summary: 'Costs and tokens by day, model, account, run and session',
    query: object({ days: optional(text('How many days back; all when absent')) }),
    result: Usage,
  },
  listSettings: {
    at: places.listSettings,
    summary: "Settings as they apply in the server's folder. Secrets are left out",
    result: object({ settings: Type.Array(SettingRow) }),
  },
  listHosts: { at: places.listHosts, summary: 'Hosts of the fleet and what they do', result: FleetView },
  listPlugins: { at: places.listPlugins, summary: 'Marketplaces, and plugins that are installed', result: Plugins },
} as const satisfies Record<string, Route>;

/** The name of a route. */
export type RouteName = keyof typeof routes;

type Table = typeof routes;
type Parameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Parameters<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Part<N extends RouteName, Key extends string> = Table[N] extends { readonly [K in Key]: infer S extends TSchema }
  ? { readonly [K in Key]: Static<S> }
  : unknown;

/** What a call of a route takes. */
export type RouteInput<N extends RouteName> = ([Parameters<(typeof places)[N][1]>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<Parameters<(typeof places)[N][1]>, string>> }) &
  Part<N, 'body'> &
  (Table[N] extends { readonly query: infer S extends TSchema } ? { readonly query?: Static<S> } : unknown);

/** What a route gives. */
export type RouteResult<N extends RouteName> = Static<Table[N]['result']>;
