/** The ids of tasks: what the model writes, and what `agent://ID` can have. */
import { errors } from './errors.ts';

/** One task of a call. */
export interface Task {
  readonly id: string;
  readonly description: string;
  readonly assignment: string;
}

const MAX_ID = 60;

/** Refuses ids that are empty or the same but for capitals. */
export function checkIds(tasks: readonly Task[]): void {
  const seen = new Map<string, string>();
  for (const { id } of tasks) {
    const key = id.trim().toLowerCase();
    if (key === '') throw errors.create('SUBAGENTS_IDS', { problem: 'one is empty' });
    const same = seen.get(key);
    if (same !== undefined) throw errors.create('SUBAGENTS_IDS', { problem: `"${same}" and "${id}" are the same` });
    seen.set(key, id);
  }
}

/** Gives ids that are unique within a session, also against those of earlier calls. */
export class Ids {
  readonly #reserved = new Map<string, Set<string>>();

  /** `used` are those of results that are kept. */
  take(session: string, wanted: readonly string[], used: readonly string[]): readonly string[] {
    const taken = this.#reserved.get(session) ?? new Set<string>();
    this.#reserved.set(session, taken);
    for (const id of used) taken.add(id.toLowerCase());
    return wanted.map((text) => {
      const base = wordOf(text);
      let id = base;
      for (let number = 2; taken.has(id.toLowerCase()); number++) id = `${base}-${number}`;
      taken.add(id.toLowerCase());
      return id;
    });
  }

  forget(session: string): void {
    this.#reserved.delete(session);
  }
}

function wordOf(text: string): string {
  const word = text
    .trim()
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_ID);
  return word === '' ? 'task' : word;
}
