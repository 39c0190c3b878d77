/** The ledger: one line of JSON per model call, a file per month, only ever appended to. */
import { appendFileSync, createReadStream, mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** One model call. */
export interface UsageRecord {
  /** When it ended, as an ISO time. */
  readonly at: string;
  readonly session: string;
  /** The folder that the session works in. */
  readonly project: string;
  /** `provider/id`. */
  readonly model: string;
  /** What it was for: a turn of the conversation, a summary of it, or a tool that asks a model itself. */
  readonly purpose: 'turn' | 'summary' | 'tool';
  readonly stopReason: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly totalTokens: number;
  /** US dollars. */
  readonly cost: number;
}

const FILE = /^(\d{4}-\d{2})\.jsonl$/;

/** The ledger of a user, by the folder that holds Tenon's state. */
export const ledgerIn = (state: string) => new Ledger(join(state, 'usage'));

/** Writes and reads the ledger of one folder. */
export class Ledger {
  readonly #folder: string;
  #isReady = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Adds a line. One write each, so that several processes can share a file. At once: a line in the page cache takes
   * microseconds, waiting for it takes many times as much of every turn.
   */
  add(record: UsageRecord): void {
    if (!this.#isReady) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#isReady = true;
    const file = join(this.#folder, `${record.at.slice(0, 7)}.jsonl`);
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  }

  /** All records from a time on, or from the first, oldest file first; `onDamage` is told about lines that are none. */
  async *read(since: string | null, onDamage: (file: string, line: number) => void): AsyncGenerator<UsageRecord> {
    const names = await readdir(this.#folder).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return [];
      throw fault;
    });
    for (const name of names.sort()) {
      const month = FILE.exec(name)?.[1];
      if (month === undefined || (since !== null && month < since.slice(0, 7))) continue;
      const file = join(this.#folder, name);
      let number = 0;
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        number++;
        const record = parse(line);
        if (!record) onDamage(file, number);
        else if (since === null || record.at >= since) yield record;
      }
    }
  }
}

function parse(line: string): UsageRecord | undefined {
  try {
    const value = JSON.parse(line) as Partial<UsageRecord> | null;
    return typeof value?.at === 'string' && typeof value.totalTokens === 'number' ? (value as UsageRecord) : undefined;
  } catch {
    return undefined; // A torn or foreign line: the caller counts it.
  }
}
