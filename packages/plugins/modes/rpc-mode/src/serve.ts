import type { LiveAgents } from '@tenon/agent/api';
import { type Logger, messageOf } from '@tenon/kernel';
import { EXIT } from '@tenon/command-line/api';
import type { KernelView } from '@tenon/host';
import type { ModelRegistry } from '@tenon/models/api';
import { IdleMemory, type ModeCall } from '@tenon/modes/api';
import type { Todos } from '@tenon/planning-tools/api';
import type { SessionExporter } from '@tenon/session-export/api';
import type { SlashCommands } from '@tenon/slash-commands/api';
import type { Undo } from '@tenon/undo/api';
import { createHandlers } from './handlers.ts';
import { HostTools } from './host-tools.ts';
import { HostUris, type SchemeTable } from './host-uris.ts';
import { RemoteInterface } from './remote-interface.ts';
import { Seat } from './seat.ts';
import { readyFirst } from './ready-first.ts';
import { RpcServer } from './server.ts';

/** What RPC mode needs of the rest of Tenon. */
export interface ServeParts {
  readonly models: ModelRegistry;
  readonly agents: LiveAgents;
  readonly exporter: SessionExporter;
  readonly kernel: Pick<KernelView, 'diagnostics'>;
  readonly input: NodeJS.ReadableStream & AsyncIterable<Uint8Array | string> & { destroy(): unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly todos: Todos;
  readonly schemes: SchemeTable;
  /** Whether there is a tool of this name, without those of the host. */
  hasTool(name: string): boolean;
  /** What takes calls back; an error where there is no such plugin. */
  undo(): Promise<Undo>;
  slashCommands(): Promise<SlashCommands>;
}

/** How a variable says yes. */
const ON = /^(?:1|true|yes|on)$/i;

/** Serves the program at the other end of standard input and output until it closes the input. */
export async function serveRpc(call: ModeCall, parts: ServeParts): Promise<number> {
  const { signal } = call;
  const writer = readyFirst(call.eventWriter());
  const memory = new IdleMemory({
    isBusy: () => server.isBusy || parts.agents.list().some(({ state }) => state.isStreaming || state.isCompacting),
    onFault: (fault) => parts.log.warn(`memory was not given back: ${messageOf(fault)}`, { error: fault }),
  });
  const send = (frame: { readonly type: string }) => {
    memory.touch();
    writer.send(frame);
  };
  const hostTools = new HostTools(send);
  const hostUris = new HostUris(send, parts.schemes);
  const { environment, models, exporter } = parts;
  const emitsTitle = ['TENON', 'PI', 'OMP'].some((name) => ON.test(environment[`${name}_RPC_EMIT_TITLE`] ?? ''));
  const ui = new RemoteInterface(send, { emitsTitle });
  call.useInterface(ui);

  const seat = new Seat(call, (event) => {
    send(event);
    if (event.type === 'turn_end' || event.type === 'agent_end') server.tellFindings();
  });
  const { todos, hasTool, undo, slashCommands } = parts;
  const handlers = createHandlers({
    seat,
    call,
    models,
    exporter,
    hostTools,
    hostUris,
    todos,
    hasTool,
    undo,
    slashCommands,
  });
  const server = new RpcServer({
    writer,
    handlers,
    hostTools,
    hostUris,
    ui,
    log: parts.log,
    diagnostics: () => parts.kernel.diagnostics(),
  });

  const ended = new AbortController();
  const stop = () => void parts.input.destroy();
  // Asked for by an extension: what the agent does is finished first.
  call.onEnd(() => {
    const end = () => {
      ended.abort();
      stop();
    };
    seat.agent.idle().then(end, end);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const modelFallbackMessage = await seat.open();
    if (modelFallbackMessage !== undefined) ui.notify(modelFallbackMessage, 'warning');
    const { id, repairs } = seat.agent.session;
    for (const repair of repairs) ui.notify(`Session ${id}: ${repair}`, 'warning');
    await server.serve(bytesOf(parts.input, AbortSignal.any([signal, ended.signal]), () => memory.touch()));
    await handlers.abort_bash({});
    await seat.agent.abort();
    await server.settled();
    await writer.finish();
    return EXIT.ok;
  } finally {
    memory.close();
    signal.removeEventListener('abort', stop);
    await seat.dispose();
  }
}

/** The bytes of a stream; one that was closed from here has ended. */
async function* bytesOf(
  input: ServeParts['input'],
  signal: AbortSignal,
  onPart: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of input) {
      onPart();
      yield typeof part === 'string' ? Buffer.from(part) : part;
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
}
