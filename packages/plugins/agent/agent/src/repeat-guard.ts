import { createHash } from 'node:crypto';
import type { ToolResult } from '@tenon/tools/api';

/** Longer texts are remembered by their hash. For short ones Node's cryptography need not be loaded, which takes as long as a small tool. */
const MAX_KEY = 4_096;

/**
 * Notices when the model makes the same call and gets the same result, over and over. The result is part of what is
 * compared: a poll whose answer changes, or an edit that is followed by a test run, is no loop.
 */
export class RepeatGuard {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #recent: string[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a finished call; gives how often it was seen when that is worth pointing out. */
  note(tool: string, args: unknown, result: ToolResult): number | undefined {
    const key = keyOf(JSON.stringify([tool, args, result.content]));
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    // Only the near past counts: a check repeated after other work is no loop.
    this.#recent.push(key);
    const forgotten = this.#recent.length > this.#limit * 4 ? this.#recent.shift() : undefined;
    if (forgotten !== undefined) this.#drop(forgotten);
    return count >= this.#limit ? count : undefined;
  }

  #drop(key: string): void {
    const count = (this.#counts.get(key) ?? 1) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }

  /** A new prompt begins: what was repeated before does not matter. */
  reset(): void {
    this.#counts.clear();
    this.#recent = [];
  }
}

function keyOf(call: string): string {
  return call.length <= MAX_KEY ? call : createHash('sha1').update(call).digest('base64');
}
