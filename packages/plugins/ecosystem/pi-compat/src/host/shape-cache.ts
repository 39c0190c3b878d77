/** What the extensions of a folder registered when they were loaded last, so that the next start need not wait for them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { replaceFileSync } from '@tenon/state-files';
import type { ExtensionShape, FlagShape } from '../protocol.ts';
import type { Freshness } from './freshness.ts';
import type { FoundModule } from './modules.ts';
import type { ExtensionServices } from './services.ts';

/** One extension of a folder. */
interface Entry {
  readonly name: string;
  /** Where it was found, as in `FoundModule`. */
  readonly from: string;
  readonly code: string;
  readonly key: string;
  /** The values that its flags had. */
  readonly values: string;
  /** Absent when it has to be loaded to know: it brings providers, or its registrations changed without its files. */
  readonly shape?: ExtensionShape;
  readonly flags: readonly FlagShape[];
}

interface Content {
  readonly version: 1;
  readonly entries: Readonly<Record<string, Entry>>;
}

const MAX_FILE = 8 * 1024 * 1024;
const NAMED = 'command line';

/** The file for a folder. */
export function cacheFile(cache: string, cwd: string): string {
  const name = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  return join(cache, 'extensions', `${name}.json`);
}

/** What is known of the extensions of one folder. */
export class ShapeCache {
  readonly #file: string;
  readonly #log: ExtensionServices['log'];
  readonly #entries: Map<string, Entry>;
  readonly #values: Readonly<Record<string, unknown>>;

  /** `values` are those of all flags. */
  constructor(
    { folders, log }: Pick<ExtensionServices, 'folders' | 'log'>,
    cwd: string,
    values: Readonly<Record<string, unknown>>,
  ) {
    this.#file = cacheFile(folders.cache, cwd);
    this.#log = log;
    this.#entries = new Map(Object.entries(readEntries(this.#file)));
    this.#values = values;
  }

  /** What it registers, if that is known for these files, this sandbox and these values of its flags. */
  find(file: string, freshness: Freshness | undefined): ExtensionShape | undefined {
    const entry = this.#entries.get(file);
    return entry && freshness && this.#fits(entry, freshness) ? entry.shape : undefined;
  }

  /** The flags of an extension whose files are as they were. */
  flags(file: string, code: string | undefined): readonly FlagShape[] {
    const entry = this.#entries.get(file);
    return entry && entry.code === code ? entry.flags : [];
  }

  /** The name of an extension that was here without being named on the command line. */
  residentName(file: string): string | undefined {
    const entry = this.#entries.get(file);
    return entry?.from === NAMED ? undefined : entry?.name;
  }

  #fits({ key, flags, values }: Entry, freshness: Freshness): boolean {
    return key === freshness.key && values === this.#valuesOf(flags);
  }

  /** An extension sees the values of its own flags only. */
  #valuesOf(flags: readonly FlagShape[]): string {
    return JSON.stringify(flags.map(({ name }) => [name, this.#values[name] ?? null]));
  }

  /** All files that are known. */
  files(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Keeps what an extension registered. With the same files it registered something else before: then it is not believed again. */
  keep(
    { file, name, from }: Pick<FoundModule, 'file' | 'name' | 'from'>,
    freshness: Freshness,
    shape: ExtensionShape,
    isWhole: boolean,
  ): void {
    const { flags } = shape;
    const before = this.#entries.get(file);
    const entry: Entry = {
      name,
      from,
      code: freshness.code,
      key: freshness.key,
      flags,
      values: this.#valuesOf(flags),
    };
    if (!before || !this.#fits(before, freshness)) this.#entries.set(file, { ...entry, ...(isWhole && { shape }) });
    else if (before.shape === undefined || JSON.stringify(before.shape) === JSON.stringify(shape)) return;
    else this.#entries.set(file, entry);
    this.#write();
  }

  /** Forgets the extensions that the folder no longer has. Those of a command line come and go with it. */
  keepOnly(files: readonly string[]): void {
    const isGone = ([file, { from }]: [string, Entry]) => (from === NAMED ? !existsSync(file) : !files.includes(file));
    const gone = [...this.#entries].filter(isGone);
    for (const [file] of gone) this.#entries.delete(file);
    if (gone.length > 0) this.#write();
  }

  #write(): void {
    const content: Content = { version: 1, entries: Object.fromEntries(this.#entries) };
    try {
      replaceFileSync(this.#file, JSON.stringify(content), { flush: false });
    } catch (fault) {
      // Without it the next start only takes longer.
      this.#log.warn(`what extensions register could not be kept: ${messageOf(fault)}`);
    }
  }
}

function readEntries(file: string): Content['entries'] {
  try {
    if (!existsSync(file) || statSync(file).size > MAX_FILE) return {};
    const content = JSON.parse(readFileSync(file, 'utf8')) as Partial<Content>;
    return content.version === 1 && typeof content.entries === 'object' ? content.entries : {};
  } catch {
    return {}; // A cache that cannot be read is no cache.
  }
}
