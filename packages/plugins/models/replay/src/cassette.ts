/** A cassette: one JSON line that says what it is, then one line for each request and its answer. */
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { AssistantMessage, ModelMessage, ProviderFailure, ToolChoice } from '@tenon/models/api';
import { errors } from './errors.ts';
import type { Fingerprint } from './fingerprint.ts';

/** The format that this version writes and reads. */
export const CASSETTE_VERSION = 1;

/** A request and what came back. Secrets are masked. */
export interface Exchange {
  readonly type: 'exchange';
  readonly fingerprint: Fingerprint;
  /** For people who read the file: what was new in the request. */
  readonly request: {
    readonly model: string;
    readonly messages: number;
    readonly said: readonly ModelMessage[];
    readonly tools: readonly string[];
    readonly toolChoice?: ToolChoice;
  };
  readonly answer: AssistantMessage;
  readonly failure?: ProviderFailure;
}

/** Adds to cassettes. Writes to one file follow each other; only its owner may read it. */
export class CassetteWriter {
  readonly #file: string;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Makes sure that the file can be written, before anything is asked that costs something. */
  prepare(): Promise<void> {
    return this.#inTurn(async () => {
      const isNew = await this.#isEmpty();
      await appendFile(this.#file, '', { mode: 0o600 });
      // What may never be written must not look like a recording.
      if (isNew) await rm(this.#file, { force: true });
    });
  }

  /** Adds one exchange; resolves when it is in the file. */
  append(exchange: Exchange): Promise<void> {
    return this.#inTurn(async () => {
      const head = (await this.#isEmpty())
        ? `${JSON.stringify({ type: 'cassette', version: CASSETTE_VERSION })}\n`
        : '';
      await appendFile(this.#file, `${head}${JSON.stringify(exchange)}\n`, { mode: 0o600 });
    });
  }

  async #isEmpty(): Promise<boolean> {
    try {
      const info = await stat(this.#file);
      return info.isFile() && info.size === 0;
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
      await makeFolder(dirname(this.#file));
      return true;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work).catch((fault: unknown) => {
      throw errors.create('REPLAY_NOT_WRITTEN', { file: this.#file, reason: messageOf(fault) }, fault);
    });
    // The waiting caller gets the failure of a write; the next one tries again.
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Node's own recursion never ends where the system refuses a folder with ENOENT, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EEXIST') throw fault;
    });
  await make().catch(async (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT' || dirname(path) === path) throw fault;
    await makeFolder(dirname(path));
    await make();
  });
}

/** Reads a cassette. A line that was torn by a crash at the end of the file is left out; anything else is an error. */
export async function readCassette(file: string): Promise<readonly Exchange[]> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') throw errors.create('REPLAY_NO_CASSETTE', { file });
    throw fault;
  });
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const parsed = lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1, file)]));
  if (torn.trim() !== '' && parsed.length === 0)
    throw errors.create('REPLAY_BAD_CASSETTE', { file, line: 1, reason: 'it is not a cassette' });
  const [head, ...exchanges] = parsed;
  if (!head) return [];
  if (head['type'] !== 'cassette' || head['version'] !== CASSETTE_VERSION) {
    throw errors.create('REPLAY_BAD_CASSETTE', {
      file,
      line: 1,
      reason: `it is not a cassette of version ${CASSETTE_VERSION}`,
    });
  }
  return exchanges.map((line, index) => {
    if (line['type'] === 'exchange' && line['fingerprint'] && line['answer']) return line as unknown as Exchange;
    throw errors.create('REPLAY_BAD_CASSETTE', { file, line: index + 2, reason: 'it is not an exchange' });
  });
}

function parseLine(line: string, number: number, file: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (fault) {
    throw errors.create('REPLAY_BAD_CASSETTE', { file, line: number, reason: messageOf(fault) }, fault);
  }
}
