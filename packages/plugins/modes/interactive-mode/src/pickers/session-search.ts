/** Finds sessions by what was said in them. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SessionSummary } from '@tenon/sessions/api';
import { contentText } from './entry-texts.ts';

/** How many files are read at once. */
const AT_ONCE = 4;

/** The sessions in which the user or the model said these words. */
export async function sessionsSaying(
  sessions: readonly SessionSummary[],
  words: string,
  signal: AbortSignal,
): Promise<ReadonlySet<SessionSummary>> {
  const found = new Set<SessionSummary>();
  const waiting = [...sessions].reverse();
  const work = async () => {
    for (let next = waiting.pop(); next && !signal.aborted; next = waiting.pop()) {
      if (await isSaid(next.file, words.toLowerCase(), signal)) found.add(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function isSaid(file: string, needle: string, signal: AbortSignal): Promise<boolean> {
  // A line of JSON holds its text with escapes; only lines that may hold the words are parsed.
  const escaped = JSON.stringify(needle).slice(1, -1);
  const lines = createInterface({ input: createReadStream(file, { encoding: 'utf8' }), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      if (signal.aborted) return false;
      if (line.toLowerCase().includes(escaped) && saidIn(line).toLowerCase().includes(needle)) return true;
    }
  } catch {
    // A session that was removed meanwhile, or cannot be read, is not found; opening it says why.
  } finally {
    lines.close();
  }
  return false;
}

interface Line {
  readonly message?: { readonly role?: unknown; readonly content?: unknown };
}

function saidIn(line: string): string {
  let entry: Line;
  try {
    entry = JSON.parse(line) as Line;
  } catch {
    return ''; // a line that was cut: the store repairs it when the session is opened
  }
  const { role, content } = entry?.message ?? {};
  if (role !== 'user' && role !== 'assistant') return '';
  return typeof content === 'string' || Array.isArray(content) ? contentText(content) : '';
}
