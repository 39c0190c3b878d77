/** Where the commands of `tenon shell` come from: a person at a terminal, or a pipe. */
import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** Commands, one after the other. */
export interface ConsoleInput {
  readonly commands: AsyncIterable<string>;
  /** Carries out one; its signal aborts when the person stops it. */
  whileRunning<T>(run: (stop: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

/** How a terminal is used. */
export interface TerminalOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly bash: string | undefined;
  prompt(): string;
  readonly signal: AbortSignal;
}

const MORE = '> ';

/** The commands that come through a pipe, each as soon as it is whole. */
export function pipedCommands(input: NodeJS.ReadStream, bash: string | undefined, signal: AbortSignal): ConsoleInput {
  const lines = createInterface({ input, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  return {
    commands: wholeCommands(lines, bash, { hold: () => undefined, begin: () => undefined, dropped: () => false }),
    whileRunning: (run) => run(signal),
    close() {
      signal.removeEventListener('abort', stop);
      lines.close();
      // A writer that goes on must not keep this process alive.
      input.destroy();
    },
  };
}

/** The commands that somebody types: with a prompt, the arrow keys, and Ctrl-C for the line or the command that runs. */
export function typedCommands({ input, output, bash, prompt, signal }: TerminalOptions): ConsoleInput {
  const lines = createInterface({ input, output, terminal: true });
  let running: AbortController | undefined;
  let isDropped = false;
  const show = (text: string) => {
    lines.setPrompt(text);
    if (!running) lines.prompt();
  };
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  lines.on('SIGINT', () => {
    output.write('^C\n');
    if (running) return running.abort(new DOMException('Stopped.', 'AbortError'));
    isDropped = true;
    lines.write(null, { ctrl: true, name: 'e' });
    lines.write(null, { ctrl: true, name: 'u' });
    show(prompt());
  });
  // Ctrl-D leaves the cursor behind the prompt.
  lines.once('close', () => void output.write('\n'));
  return {
    commands: wholeCommands(lines, bash, {
      begin: () => show(prompt()),
      hold: () => show(MORE),
      dropped: () => {
        const was = isDropped;
        isDropped = false;
        return was;
      },
    }),
    async whileRunning(run) {
      running = new AbortController();
      try {
        return await run(running.signal);
      } finally {
        running = undefined;
      }
    },
    close() {
      signal.removeEventListener('abort', stop);
      lines.close();
    },
  };
}

interface Progress {
  /** A new command begins. */
  begin(): void;
  /** The command goes on in the next line. */
  hold(): void;
  /** Whether the lines so far were taken back. */
  dropped(): boolean;
}

async function* wholeCommands(lines: Interface, bash: string | undefined, progress: Progress): AsyncGenerator<string> {
  let text = '';
  progress.begin();
  for await (const line of lines) {
    if (progress.dropped()) text = '';
    text += `${line}\n`;
    if (text.trim() !== '' && (await isUnfinished(text, bash))) {
      progress.hold();
      continue;
    }
    const command = text;
    text = '';
    if (command.trim() !== '') yield command;
    progress.begin();
  }
  // The input ended within a command: bash says what is missing.
  if (text.trim() !== '' && !progress.dropped()) yield text;
}

const GOES_ON = /unexpected (?:end of file|EOF)|here-document .* delimited by end-of-file/;

/** Whether bash would wait for another line. It reads the text and runs nothing of it. */
async function isUnfinished(text: string, bash = 'bash'): Promise<boolean> {
  if (/(?:^|[^\\])(?:\\\\)*\\\n$/.test(text)) return true;
  const { PATH } = process.env;
  const child = spawn(bash, ['--norc', '-n', '-O', 'extglob', '-s'], {
    env: { LC_ALL: 'C', ...(PATH !== undefined && { PATH }) },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  // Bash may have seen enough before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  await new Promise<void>((resolve) => {
    // Without bash the shell itself says why it cannot start.
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return GOES_ON.test(said);
}
