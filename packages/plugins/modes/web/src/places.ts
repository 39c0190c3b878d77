/** Where the routes and streams of the API are: all that a browser needs of the table of routes. `:name` in a path is a parameter. */

/** The method and path of a route. */
export type Place = readonly ['GET' | 'POST', `/api/${string}`];

/** The places of the routes by name. */
export const places = {
  overview: ['GET', '/api/overview'],
  listSessions: ['GET', '/api/sessions'],
  openSession: ['POST', '/api/sessions'],
  viewSession: ['GET', '/api/sessions/:id'],
  sessionEntries: ['GET', '/api/sessions/:id/entries'],
  prompt: ['POST', '/api/sessions/:id/prompt'],
  stop: ['POST', '/api/sessions/:id/stop'],
  setModel: ['POST', '/api/sessions/:id/model'],
  listModels: ['GET', '/api/sessions/:id/models'],
  compact: ['POST', '/api/sessions/:id/compact'],
  closeSession: ['POST', '/api/sessions/:id/close'],
  listQuestions: ['GET', '/api/questions'],
  answerQuestion: ['POST', '/api/questions/:id/answer'],
  listApprovals: ['GET', '/api/approvals'],
  answerApproval: ['POST', '/api/approvals/:id/answer'],
  listRuns: ['GET', '/api/runs'],
  startRun: ['POST', '/api/runs'],
  viewRun: ['GET', '/api/runs/:id'],
  answerRun: ['POST', '/api/runs/:id/answer'],
  sendToRun: ['POST', '/api/runs/:id/send'],
  retryRun: ['POST', '/api/runs/:id/retry'],
  cancelRun: ['POST', '/api/runs/:id/cancel'],
  applyRun: ['POST', '/api/runs/:id/apply'],
  removeRun: ['POST', '/api/runs/:id/remove'],
  runDiff: ['GET', '/api/runs/:id/diff'],
  listWorkflows: ['GET', '/api/workflows'],
  viewWorkflow: ['GET', '/api/workflows/:id'],
  answerWorkflow: ['POST', '/api/workflows/:id/answer'],
  continueWorkflow: ['POST', '/api/workflows/:id/continue'],
  retryWorkflow: ['POST', '/api/workflows/:id/retry'],
  cancelWorkflow: ['POST', '/api/workflows/:id/cancel'],
  listWorktrees: ['GET', '/api/worktrees'],
  removeWorktrees: ['POST', '/api/worktrees/remove'],
  listAccounts: ['GET', '/api/accounts'],
  usage: ['GET', '/api/usage'],
  listSettings: ['GET', '/api/settings'],
  listPlugins: ['GET', '/api/plugins'],
  listHosts: ['GET', '/api/hosts'],
} as const satisfies Record<string, Place>;

/** Streams of events (`text/event-stream`); the id of an event is its place in the log. */
export const streams = {
  page: {
    path: '/api/follow',
    summary:
      'All that a page shows, as one stream: what changes (`lists:…`), and what happens in a session (`session:…`) and a run (`run:…`) that the query names',
    query: ['session', 'run'],
  },
  events: { path: '/api/events', summary: 'What changes: sessions, questions, runs, workflows', query: [] },
  sessionEvents: { path: '/api/sessions/:id/events', summary: 'What happens in an open session', query: [] },
  runEvents: { path: '/api/runs/:id/events', summary: 'What a run writes and what becomes of it', query: [] },
} as const;
