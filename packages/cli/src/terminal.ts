import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { AskOptions, CommandIo } from '@tenon/command-line/api';
import { errors } from './errors.ts';
import { EXIT } from '@tenon/command-line/api';
import { terminalText } from '@tenon/wording';
import type { Interrupts } from './interrupts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_WIDTH = 80;

/** Whether a stream shows colours: --no-color, then FORCE_COLOR, then NO_COLOR, then what the stream is. */
export function showsColor(stream: { isTTY?: boolean }, environment: Environment, noColor: boolean): boolean {
  if (noColor) return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (environment['NO_COLOR']) return false;
  // Without a name a terminal promises nothing; Windows gives none, and knows colours.
  const term = environment['TERM'] ?? (process.platform === 'win32' ? 'windows' : '');
  return stream.isTTY === true && term !== 'dumb' && term !== '';
}

/** Connects a command to this process's terminal, pipes or files. */
export function createIo(options: {
  environment: Environment;
  noColor: boolean;
  verbose: boolean;
  interrupts: Interrupts;
}): CommandIo {
  const { environment, noColor, verbose, interrupts } = options;
  const { stdout, stderr } = process;
  stdout.on('error', (fault: NodeJS.ErrnoException) => {
    // A full disk behind `> file` must not look like success, but a closed pipe is no fault.
    interrupts.stop(fault.code === 'EPIPE' ? EXIT.pipeClosed : EXIT.failure);
    if (fault.code !== 'EPIPE') stderr.write(`tenon: the output could not be written: ${fault.message}\n`);
  });
  // No one could read a complaint about stderr.
  stderr.on('error', () => undefined);
  // Most commands never read: standard input becomes a stream when something does.
  const interactive = isatty(0) && stderr.isTTY === true;
  const out = (text: string) => write(stdout, text);
  return {
    out,
    err: (text) => write(stderr, text),
    terminal: stdout.isTTY === true,
    progress: verbose || stderr.isTTY === true,
    verbose,
    json: (value) => out(`${JSON.stringify(value, null, 2)}\n`),
    color: showsColor(stdout, environment, noColor),
    interactive,
    get piped() {
      return isPiped();
    },
    get width() {
      return stdout.columns || Number(environment['COLUMNS']) || DEFAULT_WIDTH;
    },
    ...(interactive && { ask: (question: string, options?: AskOptions) => ask(question, interrupts, options) }),
    handOver: (work) => interrupts.handOver(work),
  };
}

/** A socket does not count: programs that start others leave one open and write nothing. */
function isPiped(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || (stats.isFile() && stats.size > 0);
  } catch {
    return false; // A closed descriptor (0<&-) is as good as an empty one.
  }
}

/** Waits until the text has left the process, so that nothing is lost when it ends and slow readers slow us down. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Programs get every byte; on a terminal, texts of models and names of files must not act.
    stream.write(stream.isTTY ? terminalText(text) : text, (fault) => (fault ? reject(fault) : resolve()));
  });
}

/** Asks on stderr, because stdout may be a pipe. */
async function ask(question: string, interrupts: Interrupts, { secret = false }: AskOptions = {}): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ]);
  const { stdin, stderr } = process;
  // Reading lines shows what is typed by writing it: what goes nowhere is not seen. Nor may an arrow bring a secret back.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = secret
    ? createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
    : createInterface({ input: stdin, output: stderr });
  if (secret) stderr.write(terminalText(question));
  // Reading lines puts the terminal into raw mode, where Ctrl-C is a key and not a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await new Promise<string>((resolve, reject) => {
      // Ctrl-D: without this the question would wait for ever.
      lines.once('close', () => reject(errors.create('CLI_NO_ANSWER')));
      lines.question(terminalText(question), { signal: interrupts.signal }).then(resolve, reject);
    });
  } finally {
    lines.close();
    // The Enter behind a secret was not shown, either.
    if (secret) stderr.write('\n');
  }
}
