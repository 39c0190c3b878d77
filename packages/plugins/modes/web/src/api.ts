/** The control room's API: its routes, what they take and give, and a client. */
export { ApiClient, ApiFault, type ClientOptions, eventsIn, type StreamedEvent } from './client.ts';
export { errors } from './errors.ts';
export { openApi } from './openapi.ts';
export { type Route, type RouteInput, type RouteName, type RouteResult, routes } from './routes.ts';
export { type RunningServer, runningServers } from './server/running.ts';
export { readToken } from './server/token.ts';
export { places, streams } from './places.ts';
export type { Answer, Entry, Overview, Question, RunView, SessionRow, SessionState, SessionView } from './shapes.ts';
