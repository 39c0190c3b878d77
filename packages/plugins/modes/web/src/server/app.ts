/** The API and the page as one application: guards first, then the table of routes. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checkValue, type Logger, messageOf, problemText, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { streams } from '../places.ts';
import { openApi } from '../openapi.ts';
import { type Route, type RouteInput, type RouteName, type RouteResult, routes } from '../routes.ts';
import { type GuardOptions, ownSite, plainMethods, safeHeaders, tokenOf, withToken } from './guards.ts';
import type { LoggedEvent } from './event-log.ts';
import { joined, type Source } from './joined.ts';
import { eventStream, StreamCut } from './sse.ts';
import type { Page } from './page-files.ts';

/** Pictures are part of prompts; nothing else is large. Reading JSON holds everybody up. */
const MAX_PROMPT = 24 * 1024 * 1024;
const MAX_BODY = 1024 * 1024;

/** A function for every route. */
export type Handlers = {
  readonly [N in RouteName]: (input: RouteInput<N>) => Promise<RouteResult<N>> | RouteResult<N>;
};

/** Where the streams come from. `after` is the id of the last event that the client has seen. */
export interface Streams {
  events(after: string | undefined, signal: AbortSignal): AsyncIterable<LoggedEvent | undefined>;
  /** The id of the newest of them. */
  newest(): string;
  session(id: string, after: string | undefined, signal: AbortSignal): AsyncIterable<LoggedEvent | undefined>;
  run(id: string, after: string | undefined, signal: AbortSignal): Promise<AsyncIterable<LoggedEvent | undefined>>;
}

/** What the application is made of. */
export interface AppParts {
  readonly guards: GuardOptions;
  readonly handlers: Handlers;
  readonly streams: Streams;
  readonly page: Page;
  readonly version: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Makes the application. */
export function createApp({ guards, handlers, streams: sources, page, version, log, signal }: AppParts): Hono {
  const app = new Hono();
  app.use('*', safeHeaders, ownSite(guards), plainMethods);
  const forPrompts = bodyLimit({ maxSize: MAX_PROMPT, onError: tooLarge });
  const forOthers = bodyLimit({ maxSize: MAX_BODY, onError: tooLarge });
  app.use('/api/*', withToken(guards), (context, next) =>
    (context.req.path.endsWith('/prompt') ? forPrompts : forOthers)(context, next),
  );
  for (const [name, route] of Object.entries<Route>(routes)) {
    app.on(...route.at, async (context) => {
      const input = await inputOf(context, route);
      const handle = handlers[name as RouteName] as (input: unknown) => unknown;
      return context.json((await handle(input)) as object);
    });
  }
  app.get('/api/openapi.json', (context) => context.json(openApi(version)));
  const stream = (context: Context, events: (until: AbortSignal) => AsyncIterable<LoggedEvent | undefined>) => {
    const given = tokenOf(context);
    // Compared without care: whoever is here has proved that it knew the token.
    const warn = (fault: unknown) => log.warn(`${context.req.path} broke off: ${messageOf(fault)}`, { error: fault });
    return eventStream((until) => whileHolds(events(until), () => given === guards.token(), warn), signal);
  };
  app.get(streams.page.path, (context) => {
    const { session, run } = context.req.query();
    const lists = { follow: sources.events.bind(sources), newest: sources.newest.bind(sources) };
    const wanted = new Map<string, Source>([['lists', lists]]);
    if (session !== undefined)
      wanted.set('session', { follow: (after, until) => sources.session(session, after, until) });
    if (run !== undefined) wanted.set('run', { follow: (after, until) => sources.run(run, after, until) });
    return stream(context, (until) => joined(wanted, lastOf(context), until, (fault) => told(fault, context, log)));
  });
  app.get(streams.events.path, (context) => stream(context, (until) => sources.events(lastOf(context), until)));
  app.get(streams.sessionEvents.path, (context) => {
    const { id } = context.req.param();
    return stream(context, (until) => sources.session(id, lastOf(context), until));
  });
  app.get(streams.runEvents.path, async (context) => {
    const { id } = context.req.param();
    const gone = AbortSignal.any([signal, context.req.raw.signal]);
    const events = await sources.run(id, lastOf(context), gone);
    return stream(context, () => events);
  });
  app.notFound((context) => context.json({ error: NOTHING_HERE }, 404));
  // The page is the answer to every other address, but a program that has mistyped one must not get a page.
  app.get('*', (context) =>
    context.req.path.startsWith('/api/') ? context.notFound() : page.answer(context.req.path),
  );
  app.onError((fault, context) => {
    const { status, ...error } = told(fault, context, log);
    return context.json({ error }, status);
  });
  return app;
}

const NOTHING_HERE = {
  code: 'WEB_NOT_FOUND',
  message: 'There is nothing here.',
  next: 'See /api/openapi.json for addresses and methods.',
};

/** What a client is told of a failure. */
function told(fault: unknown, context: Context, log: Logger) {
  if (!(fault instanceof TenonError)) log.error(`${context.req.path} failed: ${messageOf(fault)}`, { error: fault });
  const { code, next } = fault instanceof TenonError ? fault : { code: 'WEB_FAILED', next: undefined };
  return { status: statusOf(code), code, message: messageOf(fault), ...(next !== undefined && { next }) };
}

/** Events until the token is another one, or their source fails: the connection breaks, and who comes back is told why. */
async function* whileHolds<T>(
  events: AsyncIterable<T>,
  holds: () => boolean,
  warn: (fault: unknown) => void,
): AsyncGenerator<T> {
  try {
    for await (const event of events) {
      if (!holds()) throw new StreamCut();
      yield event;
    }
  } catch (fault) {
    if (fault instanceof StreamCut) throw fault;
    // The HTTP library would write it to the terminal with its whole stack.
    warn(fault);
    throw new StreamCut();
  }
}

async function inputOf(context: Context, { query, body }: Route): Promise<unknown> {
  const asked = context.req.query();
  const problems = query ? await checkValue(query, asked) : [];
  const given = body ? await jsonOf(context) : undefined;
  if (body) problems.push(...(await checkValue(body, given)));
  if (problems.length > 0) throw errors.create('WEB_INVALID', { problems: problemText(problems) });
  return { params: context.req.param(), query: asked, body: given };
}

async function jsonOf(context: Context): Promise<unknown> {
  // A form of another page cannot send this type without asking first.
  if (!/^application\/json\b/.test(context.req.header('content-type') ?? ''))
    throw errors.create('WEB_INVALID', { problems: 'the body must be application/json' });
  try {
    return await context.req.json();
  } catch (fault) {
    throw errors.create('WEB_INVALID', { problems: `the body is not JSON: ${messageOf(fault)}` }, fault);
  }
}

const lastOf = (context: Context) => context.req.header('last-event-id');

function tooLarge(context: Context): Response {
  return context.json({ error: { code: 'WEB_TOO_LARGE', message: 'The request is too large.' } }, 413);
}

function statusOf(code: string): 400 | 404 | 409 | 500 | 503 {
  if (code === 'WEB_FAILED') return 500;
  if (/_UNKNOWN$|_SESSION_CLOSED$/.test(code)) return 404;
  if (/_GONE$|_TOO_MANY$|_BUSY$|_OVER$|_NO_QUESTION$|_NOTHING_FAILED$/.test(code)) return 409;
  return code === 'WEB_SESSION_FAILED' ? 503 : 400;
}
