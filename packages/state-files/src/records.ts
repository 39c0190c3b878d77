/** Records by name in a JSON file with a version. */
import { type StateForm, type UpdateOptions, updateState } from './update.ts';

type Records<R> = Readonly<Record<string, R>>;

/** Parses a JSON object of a version, and makes sure that a section is there. Throws an error that says what is wrong. */
export function versionedJson<T extends object>(text: string, version: number, section: keyof T & string): T {
  const content = JSON.parse(text) as ({ readonly version?: unknown } & Partial<T>) | null;
  if (content?.version !== version) throw new Error(`its version is ${String(content?.version)}, not ${version}`);
  const part = content[section];
  if (typeof part !== 'object' || part === null) throw new Error(`it has no "${section}"`);
  return content as T;
}

/** The form of a file `{ "version": …, [section]: { [name]: record } }`. */
export function recordForm<R>(options: {
  readonly version: number;
  readonly section: string;
  /** What is wrong with a record; nothing when it is fine. */
  problem?(name: string, record: R | undefined): string | undefined;
  damaged: StateForm<Records<R>>['damaged'];
}): StateForm<Records<R>> {
  const { version, section, problem, damaged } = options;
  return {
    empty: {},
    parse(text) {
      const records = versionedJson<Record<string, Records<R>>>(text, version, section)[section] ?? {};
      for (const [name, record] of Object.entries(records)) {
        const reason = problem?.(name, record);
        if (reason !== undefined) throw new Error(reason);
      }
      return records;
    },
    write: (records) => `${JSON.stringify({ version, [section]: records }, null, 2)}\n`,
    damaged,
  };
}

/** Changes one record; `change` gets the present one, if any, and gives undefined to forget it. */
export async function changeRecord<R>(
  file: string,
  form: StateForm<Records<R>>,
  name: string,
  change: (record: R | undefined) => R | undefined | Promise<R | undefined>,
  options?: UpdateOptions,
): Promise<R | undefined> {
  const records = await updateState(
    file,
    form,
    async (before) => {
      const { [name]: present, ...others } = before;
      const changed = await change(present);
      return changed === undefined ? others : { ...others, [name]: changed };
    },
    options,
  );
  return records[name];
}
