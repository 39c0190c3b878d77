/** Serves the editor at the other end of standard input and output until it closes the input. */
import { Readable, Writable } from 'node:stream';
import { type InitializeRequest, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { LiveAgents } from '@tenon/agent/api';
import type { Approvals } from '@tenon/approval/api';
import { EXIT } from '@tenon/command-line/api';
import type { EditPreview, FileViews } from '@tenon/file-tools/api';
import { type Logger, messageOf } from '@tenon/kernel';
import type { McpHub } from '@tenon/mcp/api';
import type { ModelRegistry } from '@tenon/models/api';
import { IdleMemory, type ModeCall } from '@tenon/modes/api';
import type { PlanMode, Todos } from '@tenon/planning-tools/api';
import type { SessionStore } from '@tenon/sessions/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import { agentApp } from './agent-app.ts';
import { Editor } from './editor.ts';
import { editorFiles } from './editor-files.ts';
import { editorInterface } from './editor-interface.ts';
import { Outbox } from './outbox.ts';
import { plannedChanges } from './planned-changes.ts';
import { Relay } from './relay.ts';
import { EditorSessions } from './sessions.ts';

/** What serving an editor needs of the rest of Tenon. */
export interface ServeParts {
  readonly version: string;
  readonly log: Logger;
  readonly models: ModelRegistry;
  readonly agents: LiveAgents;
  readonly approvals: Approvals | undefined;
  readonly plans: PlanMode;
  readonly todos: Todos;
  readonly views: FileViews;
  readonly input: Readable;
  readonly output: Writable;
  readonly program: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Why nobody is asked here: an agent has started this program, and would answer its own questions. */
  readonly agentSign: string | undefined;
  store(): Promise<SessionStore>;
  mcp(): Promise<McpHub | undefined>;
  editPreview(): Promise<EditPreview | undefined>;
  slashCommands(): Promise<SlashCommands>;
  mask<T>(value: T): T;
}

/** Serves one editor. */
export async function serveEditor(call: ModeCall, parts: ServeParts): Promise<number> {
  const { cwd, signal } = call;
  const { log, input } = parts;
  const relays = new Map<string, Relay>();
  const places = new Map<string, Relay>();
  let introduction: InitializeRequest = { protocolVersion: PROTOCOL_VERSION };
  // Both need each other: the app answers over the connection that the editor is told by.
  const outbox = new Outbox((notification) => {
    memory.touch();
    return connection.client.notify('session/update', notification);
  });
  const memory = new IdleMemory({
    isBusy: () => parts.agents.list().some(({ state }) => state.isStreaming || state.isCompacting),
    onFault: (fault) => log.warn(`memory was not given back: ${messageOf(fault)}`, { error: fault }),
  });
  const client: ConstructorParameters<typeof Editor>[0] = {
    request: (...words: Parameters<typeof connection.client.request>) => connection.client.request(...words),
  } as typeof connection.client;
  const editor = new Editor(client, outbox, (value) => parts.mask(value));
  const sessions = new EditorSessions({ ...parts, editor, call });
  const relayTo = (folder: string): Relay => {
    const known = relays.get(folder);
    if (known && !known.hasEnded) return known;
    const relay = new Relay(folder, {
      program: parts.program,
      environment: parts.environment,
      editor: connection.client,
      introduction: () => introduction,
      onError: (text) => void call.io.err(text),
    });
    relays.set(folder, relay);
    return relay;
  };
  const app = agentApp({
    ...parts,
    cwd,
    editor,
    sessions,
    relayTo,
    relayOf: (session) => places.get(session),
    placed: (session, relay) => void (relay ? places.set(session, relay) : places.delete(session)),
    introduced: (request) => void (introduction = request),
  });

  const askerFor = (session?: string) => (session === undefined ? sessions.inUse() : sessions.owning(session));
  if (parts.agentSign === undefined)
    call.useInterface(editorInterface({ editor, askerFor, changesOf: plannedChanges(parts) }));
  else await call.io.err(`Questions are not asked, because ${parts.agentSign}.\n`);
  const release = parts.views.useEditor(editorFiles({ editor, log, sessionOf: (session) => sessions.owning(session) }));

  const stop = () => void input.destroy();
  call.onEnd(stop);
  signal.addEventListener('abort', stop, { once: true });
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(parts.output), Readable.toWeb(input) as ReadableStream<Uint8Array>),
  );
  // Ctrl-C may have come while this was loaded: nobody would hear of it any more.
  if (signal.aborted) stop();
  // After the stream of the connection, which decides when the input flows.
  const touch = () => memory.touch();
  input.on('data', touch);
  try {
    await connection.closed;
    return EXIT.ok;
  } finally {
    memory.close();
    input.off('data', touch);
    signal.removeEventListener('abort', stop);
    release();
    outbox.close();
    await Promise.all([sessions.closeAll(), ...[...relays.values()].map((relay) => relay.close())]);
  }
}
