/** The methods of the protocol. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  agent,
  type AgentApp,
  type AuthMethod,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { faultText } from '@tenon/agent/api';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { ModelRegistry } from '@tenon/models/api';
import type { SessionStore } from '@tenon/sessions/api';
import { type AcpSession, PromptFailure } from './acp-session.ts';
import type { Editor } from './editor.ts';
import { errors } from './errors.ts';
import type { Relay } from './relay.ts';
import { checkId, type EditorSessions } from './sessions.ts';
import { modelChoice, modelState } from './session-models.ts';

/** What the methods work with. */
export interface AppParts {
  readonly version: string;
  readonly cwd: string;
  readonly editor: Editor;
  readonly sessions: EditorSessions;
  readonly models: Pick<ModelRegistry, 'list'>;
  readonly log: Logger;
  store(): Promise<SessionStore>;
  /** The Tenon of another folder. */
  relayTo(folder: string): Relay;
  /** The Tenon that has a session; nothing for sessions of this one. */
  relayOf(session: string): Relay | undefined;
  /** Notes which Tenon has a session. */
  placed(session: string, relay: Relay | undefined): void;
  introduced(request: InitializeRequest): void;
}

const PAGE = 50;

/** Makes the app. */
export function agentApp(parts: AppParts): AgentApp {
  const { sessions, editor } = parts;
  const local = (id: string): AcpSession => {
    const session = sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  };
  /** Does the work here, or lets the Tenon of the session do it. */
  const routed = async <T>(
    request: { readonly method: string; readonly params: { readonly sessionId: string }; readonly signal: AbortSignal },
    work: (session: AcpSession) => T | Promise<T>,
  ): Promise<T> => {
    const relay = parts.relayOf(request.params.sessionId);
    if (relay) return (await relay.request(request.method, request.params, request.signal)) as T;
    return saying(parts.log, async () => work(local(request.params.sessionId)));
  };
  /** Opens a session in its folder. */
  const opened = async <T extends object>(
    request: { readonly method: string; readonly params: { readonly cwd: string }; readonly signal: AbortSignal },
    open: () => Promise<T>,
    id?: string,
  ): Promise<T> =>
    saying(parts.log, async () => {
      const folder = await folderOf(request.params.cwd);
      if (folder === (await realpath(parts.cwd))) {
        const answer = await open();
        const opened = sessions.get(idOf(answer, id));
        parts.placed(idOf(answer, id), undefined);
        if (opened) sessions.greet(opened);
        return answer;
      }
      const relay = parts.relayTo(folder);
      // The editor knows it, so that it can hear from it before the answer.
      if (id !== undefined) relay.know(id);
      const answer = (await relay.request(request.method, request.params, request.signal)) as T;
      parts.placed(idOf(answer, id), relay);
      setImmediate(() => relay.know(idOf(answer, id)));
      return answer;
    });
  const stateOf = async (session: AcpSession) => {
    const configOptions = await session.options();
    return { modes: session.modes(), models: modelState(configOptions), configOptions };
  };

  return agent({ name: 'tenon' })
    .onRequest('initialize', ({ params }) => {
      editor.capabilities = params.clientCapabilities ?? {};
      parts.introduced(params);
      return introduction(parts);
    })
    .onRequest('authenticate', () => saying(parts.log, () => authenticate(parts)))
    .onRequest('session/new', (request) =>
      opened(request, async () => {
        const session = await sessions.begin(request.params);
        return { sessionId: session.id, ...(await stateOf(session)) };
      }),
    )
    .onRequest('session/load', (request) =>
      opened(
        request,
        async () => {
          const session = await resume(parts, request.params);
          await session.replay();
          return stateOf(session);
        },
        request.params.sessionId,
      ),
    )
    .onRequest('session/resume', (request) =>
      opened(request, async () => stateOf(await resume(parts, request.params)), request.params.sessionId),
    )
    .onRequest('session/list', ({ params }) => saying(parts.log, () => listed(parts, params)))
    .onRequest('session/close', (request) =>
      routed(request, async ({ id }) => {
        await sessions.close(id);
        return {};
      }),
    )
    .onRequest('session/delete', ({ params: { sessionId } }) =>
      saying(parts.log, async () => {
        const relay = parts.relayOf(sessionId);
        if (relay) await relay.request('session/close', { sessionId }, new AbortController().signal);
        await sessions.close(sessionId);
        await known(sessionId, async () => {
          const store = await parts.store();
          await checkId(store, sessionId);
          await store.remove(sessionId);
        });
        return {};
      }),
    )
    .onRequest('session/set_mode', (request) =>
      routed(request, async (session) => {
        await session.setMode(request.params.modeId);
        return {};
      }),
    )
    .onRequest('session/set_model', modelChoice, (request) =>
      routed(request, async (session) => {
        await session.setOption('model', request.params.modelId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', (request) =>
      routed(request, async (session) => {
        const { configId, value } = request.params;
        return { configOptions: await session.setOption(configId, value) };
      }),
    )
    .onRequest('session/prompt', (request) =>
      routed(request, async (session) => {
        sessions.use(session);
        return { stopReason: await session.prompt(request.params.prompt, request.signal) };
      }),
    )
    .onNotification('session/cancel', async ({ params }) => {
      const relay = parts.relayOf(params.sessionId);
      if (relay) await relay.notify('session/cancel', params);
      else sessions.get(params.sessionId)?.cancel();
    });
}

/** The session of an answer; the one that was asked for where it does not name one. */
function idOf(answer: object, asked = ''): string {
  return 'sessionId' in answer ? String(answer.sessionId) : asked;
}

function introduction({ version, editor }: AppParts): InitializeResponse {
  const login: AuthMethod[] =
    editor.capabilities.auth?.terminal === true
      ? [{ type: 'terminal', id: 'login', name: 'Log in to a provider of models', args: ['--login'] }]
      : [];
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'tenon', title: 'Tenon', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [
      ...login,
      {
        id: 'stored',
        name: 'Use the keys that Tenon knows',
        description: 'Those of `tenon auth login`, and of the environment of the editor',
      },
    ],
  };
}

/** There is nothing to log in to here: a model that can be used is all that is needed. */
async function authenticate({ models }: AppParts): Promise<Record<string, never>> {
  const usable = (await models.list()).some(
    ({ available, isRules, onlyByName }) => available && !isRules && !onlyByName,
  );
  if (usable) return {};
  throw RequestError.authRequired(undefined, faultText(errors.create('ACP_NO_MODEL')));
}

function resume({ sessions }: AppParts, params: Parameters<EditorSessions['resume']>[0]): Promise<AcpSession> {
  return known(params.sessionId, () => sessions.resume(params));
}

/** A session that there is not is told in the way that the protocol has for it. */
async function known<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    const isUnknown = fault instanceof TenonError && /NOT_FOUND|UNKNOWN|MISSING/.test(fault.code);
    throw isUnknown ? RequestError.sessionNotFound(id) : fault;
  }
}

async function listed({ store }: AppParts, { cwd, cursor }: { cwd?: string | null; cursor?: string | null }) {
  const from = cursor == null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw RequestError.invalidParams({ cursor });
  const all = await (await store()).list({ ...(cwd != null && { cwd }), limit: from + PAGE + 1 });
  const page = all.slice(from, from + PAGE);
  return {
    sessions: page.map(({ id, cwd: folder, title, firstPrompt, modified }) => ({
      sessionId: id,
      cwd: folder,
      title: title ?? firstPrompt ?? null,
      updatedAt: modified,
    })),
    ...(all.length > from + PAGE && { nextCursor: String(from + PAGE) }),
  };
}

async function folderOf(cwd: string): Promise<string> {
  const fail = (reason: string, fault?: unknown) => errors.create('ACP_FOLDER', { folder: cwd, reason }, fault);
  if (!isAbsolute(cwd)) throw fail('it is not an absolute path');
  try {
    const real = await realpath(cwd);
    if ((await stat(real)).isDirectory()) return real;
  } catch (fault) {
    throw fail(messageOf(fault), fault);
  }
  throw fail('it is not a folder');
}

/** Faults as answers that say what to do next. */
async function saying<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof RequestError) throw fault;
    if (fault instanceof PromptFailure) throw new RequestError(-32_603, fault.message);
    const isOurs = fault instanceof TenonError;
    if (!isOurs) log.error(`a request of the editor failed: ${messageOf(fault)}`, { error: fault });
    const isInput = isOurs && fault.owner === 'acp';
    throw new RequestError(isInput ? -32_602 : -32_603, faultText(fault), isOurs ? { code: fault.code } : undefined);
  }
}
