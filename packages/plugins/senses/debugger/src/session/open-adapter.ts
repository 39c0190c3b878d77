/** Starts an adapter in the session's sandbox and opens channels to it. */
import { messageOf } from '@tenon/kernel';
import type { KnownAdapter } from '../adapters/definition.ts';
import { fillWords } from '../adapters/definition.ts';
import type { Companion, Program, Wire } from '../companion/companion.ts';
import { errors } from '../errors.ts';
import { channelOver, type DapChannel } from '../protocol/channel.ts';
import type { OutputRing } from './output-ring.ts';
import { TextPieces } from './text-pieces.ts';

/** A running adapter. */
export interface OpenAdapter {
  readonly channel: DapChannel;
  /** The program that was started. */
  readonly program?: string | undefined;
  /** Another connection, for adapters that serve several. */
  readonly openChild: (() => Promise<DapChannel>) | undefined;
}

/** What it needs. */
export interface AdapterStart {
  readonly companion: Companion;
  readonly adapter: KnownAdapter;
  /** Command lines to try. */
  readonly commands: readonly (readonly string[])[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly output: OutputRing;
  readonly timeoutMs: number;
  /** A port that speaks DAP itself; nothing is started then. */
  readonly port?: { readonly host: string; readonly port: number } | undefined;
}

const PROBE_MS = 15_000;
const CONNECT_MS = 5_000;
const KEPT_ERROR_TEXT = 2_000;

/** Starts it. Throws `DEBUG_ADAPTER_MISSING` or `DEBUG_ADAPTER_FAILED`. */
export async function openAdapter(start: AdapterStart): Promise<OpenAdapter> {
  const { adapter, companion } = start;
  if (adapter.transport === 'node-inspector') {
    const { NodeInspectorAdapter } = await import('../adapters/node-inspector/adapter.ts');
    return { channel: new NodeInspectorAdapter(companion, start.commands[0] ?? ['node']), openChild: undefined };
  }
  try {
    if (start.port !== undefined) return await connectedTo(start, start.port);
  } catch (fault) {
    throw errors.create('DEBUG_ADAPTER_FAILED', { adapter: adapter.key, reason: messageOf(fault) }, fault);
  }
  const command = await usableCommand(start);
  try {
    return { ...(await connected(start, command)), program: command[0] };
  } catch (fault) {
    throw errors.create('DEBUG_ADAPTER_FAILED', { adapter: adapter.key, reason: messageOf(fault) }, fault);
  }
}

async function connectedTo(
  { companion }: AdapterStart,
  { host, port }: { host: string; port: number },
): Promise<OpenAdapter> {
  const open = async () => channelOver(await companion.connect(host, port, CONNECT_MS));
  return { channel: await open(), openChild: open };
}

async function usableCommand({ adapter, commands, companion, cwd }: AdapterStart): Promise<readonly string[]> {
  const { probe, install = 'see its documentation' } = adapter;
  if (probe === undefined && commands[0] !== undefined) return commands[0];
  for (const command of commands) {
    const [program = ''] = command;
    if (await companion.succeeds([program, ...(probe ?? [])], cwd, PROBE_MS)) return command;
  }
  const tried = commands.map(([program = '']) => program).join(', ');
  const reason = `none of these can be used: ${tried}`;
  throw errors.create('DEBUG_ADAPTER_MISSING', { adapter: adapter.key, reason, install });
}

async function connected(start: AdapterStart, command: readonly string[]): Promise<OpenAdapter> {
  const { companion, adapter, cwd, env, output, timeoutMs } = start;
  const run = (port?: number) => companion.start({ argv: fillWords(command, { port }), cwd, env });
  switch (adapter.transport) {
    case 'dial': {
      const { port, wire, connected: isConnected } = await companion.accept();
      const program = await run(port);
      writesTo(program, output);
      await orEnd(isConnected, program, output, timeoutMs);
      return { channel: channelOver(endingWith(wire, program, output)), openChild: undefined };
    }
    case 'listen': {
      const port = await companion.freePort();
      const program = await run(port);
      writesTo(program, output);
      const open = async () => channelOver(await companion.connect('127.0.0.1', port, timeoutMs));
      const first = await orEnd(companion.connect('127.0.0.1', port, timeoutMs), program, output, timeoutMs);
      return { channel: channelOver(endingWith(first, program, output)), openChild: open };
    }
    default: {
      const program = await run();
      return { channel: channelOver(withErrorText(program)), openChild: undefined };
    }
  }
}

/** Waits for a connection, unless the adapter ends before. */
async function orEnd<T>(waited: Promise<T>, program: Program, output: OutputRing, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not connect in time')), timeoutMs);
  });
  const ended = program.ended.then(({ error, code }): never => {
    const words = output.text().trim().slice(-KEPT_ERROR_TEXT);
    throw new Error(error ?? `it ended with exit code ${code}${words === '' ? '' : `: ${words}`}`);
  });
  ended.catch(() => undefined); // Its later end is told by the connection.
  try {
    return await Promise.race([waited, ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Adapters on sockets leave their standard streams to the program. */
function writesTo(program: Program, output: OutputRing): void {
  const pieces = { stdout: new TextPieces(), stderr: new TextPieces() };
  program.onData((bytes) => output.push('stdout', pieces.stdout.push(bytes)));
  program.onErrorText((bytes) => output.push('stderr', pieces.stderr.push(bytes)));
}

/** A connection whose end says why, when the adapter has ended before it came. */
function endingWith(wire: Wire, program: Program, output: OutputRing): Wire {
  return {
    ...bound(wire),
    onEnd(take) {
      wire.onEnd(take);
      program.onEnd((reason) => take(`${reason} ${output.text(['stderr']).slice(-KEPT_ERROR_TEXT)}`.trim()));
    },
    close() {
      wire.close();
    },
  };
}

/** Pipes whose end comes with the last words of the adapter. */
function withErrorText(program: Program): Wire {
  const pieces = new TextPieces();
  let words = '';
  program.onErrorText((bytes) => void (words = (words + pieces.push(bytes)).slice(-KEPT_ERROR_TEXT)));
  return {
    ...bound(program),
    onEnd: (take) => program.onEnd((reason) => take([reason, words.trim()].filter(Boolean).join('; '))),
  };
}

function bound(wire: Wire): Wire {
  return {
    write: (bytes) => wire.write(bytes),
    onData: (take) => wire.onData(take),
    onEnd: (take) => wire.onEnd(take),
    close: () => wire.close(),
  };
}
