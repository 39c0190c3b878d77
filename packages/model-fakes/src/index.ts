/** Fakes of model providers: real HTTP servers on loopback that speak the wire protocols, answer by script, and fail on request. */
export type * from './script.ts';
export { PROTOCOLS } from './script.ts';
export { type FakeModels, type RecordedRequest, startFakeModels } from './server.ts';
export { countRequest, COUNTERS, REFUSERS, windowed, type WindowedServer } from './windowed.ts';
export { decodeEventStream, encodeEventStreamMessage } from './event-stream.ts';
export type { CodeFlow } from './logins/code-flow.ts';
export type { DeviceFlow } from './logins/device-flow.ts';
export type { CodeAssist, CopilotTokens, DuoTokens } from './logins/exchanges.ts';
export { type FakeLogins, startFakeLogins } from './logins/server.ts';
export type { LiveTokens } from './logins/tokens.ts';
