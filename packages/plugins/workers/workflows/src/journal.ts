/** The journal of a workflow: one line of JSON per step of its life, on the disk before anything else happens. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { didYouMean } from '@tenon/wording';
import { errors } from './errors.ts';
import { after, type JournalEntry, type WorkflowState } from './state.ts';

type Body = JournalEntry extends infer E ? (E extends JournalEntry ? Omit<E, 'at'> : never) : never;

/** A journal that is being written. */
export interface Journal {
  readonly state: WorkflowState;
  /** Writes an entry; resolves when it is on the disk. */
  add(entry: Body): Promise<void>;
}

const FILE = 'journal.jsonl';

/** The folder of all workflows. */
export const workflowsFolder = (state: string) => join(state, 'workflows');

/** Begins a journal. */
export async function beginJournal(
  folder: string,
  body: Omit<Extract<Body, { type: 'began' }>, 'type' | 'id'>,
): Promise<Journal> {
  const id = `${
    body.definition.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 30) || 'workflow'
  }-${randomBytes(3).toString('hex')}`;
  await mkdir(join(folder, id), { recursive: true, mode: 0o700 });
  const entry: JournalEntry = { at: new Date().toISOString(), type: 'began', id, ...body };
  await append(join(folder, id, FILE), entry);
  return writer(join(folder, id, FILE), after(undefined, entry));
}

/** Opens a journal to go on with it. A line that a crash cut off is dropped. */
export async function openJournal(folder: string, id: string): Promise<Journal> {
  const file = join(folder, id, FILE);
  const { state, length } = await replay(file);
  await truncate(file, length);
  return writer(file, state);
}

/** Where a workflow stands. */
export async function readState(folder: string, id: string): Promise<WorkflowState> {
  return (await replay(join(folder, id, FILE))).state;
}

/** The ids of all workflows. */
export async function workflowIds(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((id) => existsSync(join(folder, id, FILE)));
}

/** The id that a name stands for: itself, or the only one that it begins. */
export async function findWorkflow(folder: string, name: string): Promise<string> {
  const ids = await workflowIds(folder);
  if (ids.includes(name)) return name;
  const begun = ids.filter((id) => name !== '' && id.startsWith(name));
  const [only] = begun;
  if (only !== undefined && begun.length === 1) return only;
  const hint = begun.length > 1 ? ` It may be ${begun.join(', ')}.` : didYouMean(name, ids);
  throw errors.create('WORKFLOWS_UNKNOWN', { id: name, hint });
}

/** A name for the run of a step that is the same whenever the step is begun: begun twice, it is one run. */
export function runKey(workflow: string, step: string, attempt: number): string {
  return createHash('sha256').update(`${workflow}\0${step}\0${attempt}`).digest('hex').slice(0, 24);
}

function writer(file: string, begun: WorkflowState): Journal {
  let state = begun;
  // One at a time: two entries must not mix.
  let writing: Promise<unknown> = Promise.resolve();
  return {
    get state() {
      return state;
    },
    add(body) {
      const entry = { at: new Date().toISOString(), ...body } as JournalEntry;
      const written = writing.then(async () => {
        await append(file, entry);
        state = after(state, entry);
      });
      writing = written.catch(() => undefined); // Told to whoever added it.
      return written;
    },
  };
}

async function append(file: string, entry: JournalEntry): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(`${JSON.stringify(entry)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function replay(file: string): Promise<{ state: WorkflowState; length: number }> {
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n');
  // What stands behind the last line break was cut off by a crash.
  const cut = lines.pop() ?? '';
  let state: WorkflowState | undefined;
  for (const [index, line] of lines.entries()) {
    let entry: JournalEntry;
    try {
      entry = JSON.parse(line) as JournalEntry;
    } catch (fault) {
      throw errors.create('WORKFLOWS_JOURNAL', { file, line: index + 1 }, fault);
    }
    state = after(state, entry);
  }
  if (!state) throw errors.create('WORKFLOWS_JOURNAL', { file, line: 1 });
  return { state, length: Buffer.byteLength(text) - Buffer.byteLength(cut) };
}
