/** Runs commands as the shell would, and records what they write. */
import { Readable } from 'node:stream';
import { type CommandCall, cliCommands, type CommandIo } from '@tenon/command-line/api';
import type { Kernel } from '@tenon/kernel';

/** What a command wrote and gave. */
export interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  /** The last value that it gave to programs. */
  readonly json?: unknown;
}

interface Written {
  out: string;
  err: string;
  json?: unknown;
}

/** Input and output of a command; `written` grows as it writes. Values go to `out` as lines of JSON. */
export function recordedIo(more: Partial<CommandIo> = {}): { io: CommandIo; written: Written } {
  const written: Written = { out: '', err: '' };
  const io: CommandIo = {
    out: async (text) => void (written.out += text),
    err: async (text) => void (written.err += text),
    json: async (value) => {
      written.json = value;
      written.out += `${JSON.stringify(value)}\n`;
    },
    color: false,
    interactive: false,
    width: 80,
    ...more,
  };
  return { io, written };
}

/** How a command is called. */
export type CallOptions = Partial<Pick<CommandCall, 'args' | 'flags' | 'cwd' | 'signal'>> & {
  readonly io?: Partial<CommandIo>;
};

/** Runs a command by its words. */
export async function runCommand(kernel: Kernel, words: string, call: CallOptions = {}): Promise<CommandRun> {
  const { io, written } = recordedIo(call.io);
  const command = await kernel.read(cliCommands).resolve(words);
  const { args = {}, flags = {}, cwd = process.cwd(), signal = new AbortController().signal } = call;
  const code = await command.run({ args, flags, io, cwd, signal });
  return { ...written, code: code ?? 0 };
}

/** Runs the command `agent` with this text on standard input; without a text, standard input is a terminal. */
export async function runAgent(
  kernel: Kernel,
  words: readonly string[],
  options: Omit<CallOptions, 'args'> & { readonly piped?: string | Buffer } = {},
): Promise<CommandRun> {
  const { flags = { print: true }, piped, ...call } = options;
  const stdin = Object.assign(
    Readable.from(piped === undefined ? [] : [typeof piped === 'string' ? Buffer.from(piped) : piped]),
    {
      isTTY: piped === undefined,
    },
  );
  const real = Object.getOwnPropertyDescriptor(process, 'stdin');
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  try {
    return await runCommand(kernel, 'agent', { args: { prompt: [...words] }, flags, ...call });
  } finally {
    if (real) Object.defineProperty(process, 'stdin', real);
  }
}
