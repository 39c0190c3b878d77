/** What a server printed and what happened to it: a bounded ring in memory, and a bounded file that `tenon mcp logs` reads. */
import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** One line. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  /** Who says it: the server's standard error, its log messages, or Tenon. */
  readonly from: 'stderr' | 'server' | 'tenon';
  readonly level: string;
  readonly text: string;
}

const KEPT_LINES = 300;
const MAX_TEXT = 2_000;
const MAX_FILE_BYTES = 256 * 1024;
const WRITE_AFTER_MS = 250;

/** The file with a server's log. */
export function logFile(stateFolder: string, server: string): string {
  return join(stateFolder, 'mcp', `${server.replace(/[^\w.-]/g, '_')}.log`);
}

/** The log of one server. */
export class ServerLog {
  readonly #file: string;
  readonly #lines: LogLine[] = [];
  #unwritten: LogLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #rest = '';

  constructor(file: string) {
    this.#file = file;
  }

  /** The newest lines. */
  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** What the server printed last on its standard error, for error messages. */
  lastError(): string | undefined {
    const printed = this.#lines.filter(({ from, text }) => from === 'stderr' && text.trim() !== '');
    const telling = printed.findLast(({ text }) => /error|cannot|not found|denied|invalid/i.test(text));
    return (telling ?? printed.at(-1))?.text.trim().slice(0, 300);
  }

  add(from: LogLine['from'], level: string, text: string): void {
    const line = { at: new Date().toISOString(), from, level, text: text.slice(0, MAX_TEXT) };
    if (this.#lines.push(line) > KEPT_LINES) this.#lines.shift();
    // A server that prints without end costs one ring, not the disk.
    if (this.#unwritten.push(line) > KEPT_LINES) this.#unwritten.shift();
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS).unref();
  }

  /** Takes in what came on standard error, in any pieces. */
  addOutput(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-MAX_TEXT);
    for (const line of lines) if (line.trim() !== '') this.add('stderr', 'info', line.trimEnd());
  }

  /** Writes what is not written yet. A log that cannot be written is no reason to stop working. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#rest.trim() !== '') this.add('stderr', 'info', this.#rest.trimEnd());
    this.#rest = '';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#unwritten;
    this.#unwritten = [];
    // A log that cannot be written must not end the connection.
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#write(lines)).catch(() => undefined);
    await this.#writing;
  }

  async #write(lines: readonly LogLine[]): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const size = await stat(this.#file).then(
      (stats) => stats.size,
      () => 0,
    );
    if (size > MAX_FILE_BYTES) await rename(this.#file, `${this.#file}.1`);
    await appendFile(this.#file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  }
}

/** The newest lines of a server's log, oldest first; empty when it never ran. */
export async function readLog(file: string, limit: number): Promise<readonly LogLine[]> {
  const texts = await Promise.all([`${file}.1`, file].map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts
    .join('')
    .split('\n')
    .filter(Boolean)
    .slice(-limit)
    .flatMap((line): LogLine[] => {
      try {
        return [JSON.parse(line) as LogLine];
      } catch {
        return []; // cut off when the machine stopped while it was written
      }
    });
}
