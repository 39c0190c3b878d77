/** Puts the control room together and opens it. */
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import type { ChannelServer } from '@tenon/channels/api';
import { type Logger, messageOf } from '@tenon/kernel';
import type { Folders } from '@tenon/host';
import type { Run } from '@tenon/runs/api';
import type { SessionStore } from '@tenon/sessions/api';
import type { Context } from 'hono';
import { approvalHandlers, type ApprovalParts, waitingApprovals } from './handlers/approval-handlers.ts';
import { factHandlers, type FactParts } from './handlers/fact-handlers.ts';
import { ListWatch } from './handlers/list-watch.ts';
import { RUN_LIMIT, type RunParts, runHandlers, runNews } from './handlers/run-handlers.ts';
import { sessionHandlers } from './handlers/session-handlers.ts';
import { newestWorkflows, workflowHandlers, type WorkflowParts } from './handlers/workflow-handlers.ts';
import { worktreeHandlers, type WorktreeParts } from './handlers/worktree-handlers.ts';
import { LiveSessions } from './live/live-sessions.ts';
import { createApp } from './server/app.ts';
import { Doorstep } from './server/doorstep.ts';
import { EventLog } from './server/event-log.ts';
import { type ListenOptions, type Listening, listen } from './server/listen.ts';
import { type Page, pageFiles } from './server/page-files.ts';
import type { Answer } from './shapes.ts';

/** What the control room is made of. */
export interface RoomParts
  extends Omit<RunParts, 'cwd'>, Omit<FactParts, 'cwd'>, WorkflowParts, WorktreeParts, ApprovalParts {
  readonly folders: Pick<Folders, 'cwd' | 'home'>;
  readonly sessions: SessionStore;
  readonly version: string;
  readonly log: Logger;
  readonly page?: Page;
  /** Tells people elsewhere what waits for them. */
  channels?(): Promise<ChannelServer | undefined>;
}

/** How it is opened. */
export interface RoomOptions extends ListenOptions {
  /** The token as it is now. */
  token(): string;
  /** More names by which browsers reach it. */
  readonly names: readonly string[];
}

/** A control room that is open. */
export interface ControlRoom extends Listening {
  readonly origin: string;
}

const ACTIVE: ReadonlySet<Run['state']> = new Set([
  'queued',
  'starting',
  'running',
  'waiting',
  'validating',
  'hijacked',
]);

/** Opens the control room. */
export async function openControlRoom(parts: RoomParts, options: RoomOptions): Promise<ControlRoom> {
  const { folders, version, log } = parts;
  const { cwd, home } = folders;
  const ending = new AbortController();
  const events = new EventLog();
  const live = new LiveSessions({ sessions: parts.sessions, program: parts.program, env: parts.env, log: events });
  const watches = [
    { type: 'run', list: async () => (await parts.runs()).list({ limit: RUN_LIMIT }) },
    { type: 'approval', list: () => waitingApprovals(parts, live) },
    { type: 'workflow', list: async () => (await newestWorkflows(parts)).workflows },
  ].map((watched) => new ListWatch(watched, events, log));
  const doorstep = new Doorstep();
  const scheme = options.tls ? 'https' : 'http';
  let port = options.port;
  const app = createApp({
    version,
    log,
    signal: ending.signal,
    page: parts.page ?? pageFiles(),
    guards: {
      token: () => options.token(),
      scheme,
      hosts: () => hostsOf([options.address, ...options.names], port, scheme),
      addressOf: (context) => socketOf(context)?.remoteAddress ?? '',
      admit: (context) => doorstep.admit(socketOf(context)),
    },
    handlers: {
      ...sessionHandlers(live, cwd),
      ...approvalHandlers(parts, live),
      ...runHandlers({ ...parts, cwd }),
      ...workflowHandlers(parts),
      ...worktreeHandlers(parts),
      ...factHandlers({ ...parts, cwd }),
      async overview() {
        const all = await (await parts.runs()).list();
        return {
          version,
          host: hostname(),
          cwd,
          home,
          openSessions: live.size,
          activeRuns: all.filter(({ state }) => ACTIVE.has(state)).length,
          questions: live.questions.length,
          hasFleet: (await parts.fleet())?.isSetUp() ?? false,
        };
      },
    },
    streams: {
      events(after, until) {
        for (const watch of watches) watch.join(until);
        return events.follow(after ?? events.idOf(events.place), until);
      },
      newest: () => events.idOf(events.place),
      session(id, after, until) {
        const { log: own } = live.get(id);
        return own.follow(after ?? own.idOf(own.place), until);
      },
      async run(id, after, until) {
        const runs = await parts.runs();
        const news = runs.follow(await runs.find(id), { signal: until, after: placeIn(after) });
        return runNews(news);
      },
    },
  });
  const listening = await listen(app, options, log, doorstep);
  ({ port } = listening);
  const serving = serveChannels(await parts.channels?.(), live, ending.signal, log);
  return {
    port,
    origin: `${scheme}://${bracketed(options.address)}:${port}`,
    async close() {
      ending.abort();
      await serving;
      events.close();
      await listening.close();
      await live.closeAll();
    },
  };
}

/** A place in the log of runs. Where somebody has sent anything else, the run is told from its beginning. */
function placeIn(after = ''): number {
  return /^\d{1,15}$/.test(after) ? Number(after) : 0;
}

/** The connection of a request. */
function socketOf({ env }: Context): Socket | undefined {
  return (env as { readonly incoming?: { readonly socket?: Socket } }).incoming?.socket;
}

/** Questions of open sessions reach the channels that the user has set up; without any, nothing is loaded. */
async function serveChannels(
  channels: ChannelServer | undefined,
  live: LiveSessions,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (!channels?.isConfigured()) return;
  const sessions = {
    questions: () => live.questions,
    answer: (question: { session: string; id: string }, answer: Answer) =>
      live.get(question.session).answer(question.id, answer),
  };
  try {
    await channels.serve({ signal, waits: true, sessions });
  } catch (fault) {
    // The page works without them.
    log.error(`channels are not served: ${messageOf(fault)}`);
  }
}

/** What browsers write into `Host` for this server. */
function hostsOf(names: readonly string[], port: number, scheme: 'http' | 'https'): ReadonlySet<string> {
  const isUsual = port === (scheme === 'https' ? 443 : 80);
  // Any address of the machine: those that ask name the one they used.
  const all = names.flatMap((name) => (name === '127.0.0.1' || name === '::1' ? [name, 'localhost'] : [name]));
  return new Set(
    all
      .flatMap((name) => [`${bracketed(name)}:${port}`, ...(isUsual ? [bracketed(name)] : [])])
      .map((name) => name.toLowerCase()),
  );
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
