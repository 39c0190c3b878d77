/** One look of one family for one kind of thing. */
import { isAbsolute, join, resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LoadContext, SourceItem, TenonError } from '@tenon/kernel';
import type { Document } from './document-cache.ts';
import { errors } from './errors.ts';
import type { DataFormat } from './formats.ts';
import type { ProjectFolders } from './project-folders.ts';
import type { FolderEntry, Reading, SourceFiles } from './source-files.ts';

/** Whose a thing is. */
export type Level = 'user' | 'project';

/** A file or folder that a family looks at. */
export interface Origin {
  readonly path: string;
  readonly level: Level;
  /** The bundle that it is a part of. */
  readonly bundle?: string;
  /** What `${CLAUDE_PLUGIN_ROOT}` and its like stand for there. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A path inside another. */
export function inside(place: Origin, ...names: readonly string[]): Origin {
  return { ...place, path: names.reduce(below, place.path) };
}

/** What `join` would have to change. */
const NOT_PLAIN = /^\/|\/\/|(?:^|\/)\.\.?(?:\/|$)|\/$|^$/;

/** The path of something in a folder. Families ask for hundreds, nearly all of them plain names, and `join` takes longer than the look. */
function below(folder: string, name: string): string {
  return sep !== '/' || NOT_PLAIN.test(name) || folder.endsWith('/') ? join(folder, name) : `${folder}/${name}`;
}

/** A file of data and the object at its top. */
interface DataFile {
  readonly file: Origin;
  readonly record: Readonly<Record<string, unknown>>;
}

/** What a family says about something that it found. */
export interface Finding<V> {
  readonly key: string;
  readonly value: V;
  readonly place: Origin;
  /** Where it stands in a file that holds many; makes it a thing of its own. */
  readonly part?: string;
  readonly priority?: number;
  /** Why the tool that it was written for would not use it. */
  readonly ignored?: string;
}

/** What the service needs to know about an item beside its value. */
export interface ItemData {
  readonly order: number;
  /** Equal for two items that are the same thing reached in two ways. */
  readonly identity?: string;
  readonly bundle?: string;
  readonly ignored?: string;
}

/** Where a family has its files. */
export interface Roots {
  /** Absolute, or below the home folder. */
  readonly user?: string | readonly string[];
  /** Names inside each folder of the project. */
  readonly project?: string | readonly string[];
  /** What comes first wins; projects do unless the tool has it the other way round. */
  readonly userFirst?: boolean;
}

/** The answers about what is not there. Families ask hundreds of times, and promises of their own would take longer than the looks. */
const ABSENT = Promise.resolve(undefined);
const NO_ENTRIES: Promise<readonly FolderEntry[]> = Promise.resolve([]);
const PAUSE_AFTER = 100;
const MAX_DEPTH = 6;

/** Collects what one family has of one kind. */
export class Search<V> {
  readonly cwd: string;
  readonly home: string;
  readonly files: SourceFiles;
  /** The folders of the family that searches. */
  readonly roots: Roots;
  readonly items: SourceItem<V>[] = [];
  readonly #call: { readonly signal: AbortSignal };
  readonly #problems = new Map<string, TenonError>();
  readonly #identities = new Map<string, string>();

  constructor(context: LoadContext, files: SourceFiles, call: { readonly signal: AbortSignal }, roots: Roots = {}) {
    this.cwd = resolve(context.cwd);
    this.home = resolve(context.home);
    this.files = files;
    this.#call = call;
    this.roots = roots;
  }

  /** Made when somebody looks at it: a search that finds nothing needs none. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** The project's folders, nearest first. */
  get project(): ProjectFolders {
    return this.files.project(this.cwd, this.home);
  }

  /** What could not be used, each once. */
  get problems(): readonly TenonError[] {
    return [...this.#problems.values()];
  }

  /** The paths of a family, those that win first; its own folders unless others are named. */
  places({ user = [], project = [], userFirst = false }: Roots = this.roots): readonly Origin[] {
    const ofUser = [user].flat().map((path): Origin => ({ path: this.fromHome(path), level: 'user' }));
    const names = [project].flat();
    const ofProject = this.project.folders.flatMap((folder) =>
      names.map((name): Origin => ({ path: below(folder, name), level: 'project' })),
    );
    return userFirst ? [...ofUser, ...ofProject] : [...ofProject, ...ofUser];
  }

  /** The folders of the family in the home folder. */
  userPlaces(): readonly Origin[] {
    return this.places({ user: this.roots.user ?? [] });
  }

  /** A path of the user: absolute, with `~`, or below the home folder. */
  fromHome(path: string): string {
    if (path === '~' || path.startsWith('~/')) return join(this.home, path.slice(2));
    return isAbsolute(path) ? path : below(this.home, path);
  }

  /** Adds what was found. */
  add({ key, value, place, part, priority, ignored }: Finding<V>): void {
    const identity = this.#identities.get(place.path) ?? this.files.look(place.path).stamp?.identity;
    const data: ItemData = {
      order: this.items.length,
      ...(identity !== undefined && { identity: part === undefined ? identity : `${identity}#${part}` }),
      ...(place.bundle !== undefined && { bundle: place.bundle }),
      ...(ignored !== undefined && { ignored }),
    };
    this.items.push({
      key,
      value,
      file: place.path,
      level: place.level,
      data: { ...data },
      ...(priority !== undefined && { priority }),
    });
  }

  /** Reports something that cannot be used; the same problem again is the same problem. */
  report(problem: TenonError | undefined): void {
    if (problem) this.#problems.set(problem.message, problem);
  }

  /** Reports that a file does not have the shape it should have. */
  wrong(place: Origin, what: string): void {
    this.report(errors.create('DISCOVERY_SHAPE', { file: place.path, what }));
  }

  /** Whether something is at a path; what cannot be looked at is reported. */
  isThere(place: Origin): boolean {
    const { stamp, problem } = this.files.look(place.path);
    this.report(problem);
    return stamp !== undefined;
  }

  /** Whether nothing is at a path, and nothing is to be said about that. */
  isAbsent({ path }: Origin): boolean {
    const { stamp, problem } = this.files.look(path);
    return stamp === undefined && problem === undefined;
  }

  /** Whether a path may be read: a project's links do not lead everywhere. */
  async #mayRead({ path, level }: Origin): Promise<boolean> {
    if (level === 'user') return true;
    const problem = await this.files.linkProblem(path, this.project.root);
    this.report(problem);
    return problem === undefined;
  }

  /** The entries of a folder, sorted; none when it is not there. */
  list(place: Origin): Promise<readonly FolderEntry[]> {
    return this.isAbsent(place) ? NO_ENTRIES : this.#list(place);
  }

  async #list(place: Origin): Promise<readonly FolderEntry[]> {
    this.signal.throwIfAborted();
    if (!(await this.#mayRead(place))) return [];
    const { value, problem } = await this.files.list(place.path);
    this.report(problem);
    return value ?? [];
  }

  /** The files below a folder whose names end so, with their path inside it. Follows links, but never in circles. */
  async tree(top: Origin, endings: readonly string[]): Promise<readonly { place: Origin; parts: readonly string[] }[]> {
    const files: { place: Origin; parts: readonly string[] }[] = [];
    const visit = async (folder: Origin, parts: readonly string[], above: ReadonlySet<string>): Promise<void> => {
      for (const entry of await this.list(folder)) {
        const { name, path } = entry;
        if (name.startsWith('.') || name === 'node_modules') continue;
        const here = { ...top, path };
        const isNamed = endings.some((ending) => name.endsWith(ending));
        if (entry.type === 'file') {
          if (isNamed) files.push({ place: here, parts: [...parts, name] });
          continue;
        }
        const { stamp, problem } = this.files.look(path);
        this.report(problem);
        if (stamp?.type === 'folder') {
          if (isNamed && !endings.includes('')) this.report(errors.create('DISCOVERY_NOT_A_FILE', { file: path }));
          else if (above.has(stamp.identity)) this.report(errors.create('DISCOVERY_LOOP', { file: path }));
          else if (parts.length < MAX_DEPTH) await visit(here, [...parts, name], new Set([...above, stamp.identity]));
        } else if (stamp && isNamed) {
          files.push({ place: here, parts: [...parts, name] });
        }
      }
    };
    const { stamp } = this.files.look(top.path);
    await visit(top, [], new Set(stamp ? [stamp.identity] : []));
    return files;
  }

  /** Keeps what a reading told beside the value. */
  #taken<T>(place: Origin, { value, problem, identity }: Reading<T>): T | undefined {
    this.report(problem);
    if (identity !== undefined) this.#identities.set(place.path, identity);
    return value;
  }

  /** A text file, if it is there and can be used. */
  text(place: Origin, limit?: number): Promise<string | undefined> {
    return this.isAbsent(place) ? ABSENT : this.#text(place, limit);
  }

  async #text(place: Origin, limit: number | undefined): Promise<string | undefined> {
    return (await this.#mayRead(place)) ? this.#taken(place, await this.files.text(place.path, limit)) : undefined;
  }

  /** A Markdown file, if it is there and can be used. */
  markdown(place: Origin, part?: 'whole' | 'head'): Promise<Document | undefined> {
    return this.isAbsent(place) ? ABSENT : this.#markdown(place, part);
  }

  async #markdown(place: Origin, part: 'whole' | 'head' | undefined): Promise<Document | undefined> {
    return (await this.#mayRead(place)) ? this.#taken(place, await this.files.markdown(place.path, part)) : undefined;
  }

  /** A file of data, whatever it holds. */
  data(place: Origin, format: DataFormat, limit?: number): Promise<unknown> {
    return this.isAbsent(place) ? ABSENT : this.#data(place, format, limit);
  }

  async #data(place: Origin, format: DataFormat, limit: number | undefined): Promise<unknown> {
    if (!(await this.#mayRead(place))) return undefined;
    return this.#taken(place, await this.files.data(place.path, format, limit));
  }

  /** A file of data that must hold an object at its top. */
  record(place: Origin, format: DataFormat, limit?: number): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.isAbsent(place) ? ABSENT : this.#record(place, format, limit);
  }

  async #record(
    place: Origin,
    format: DataFormat,
    limit: number | undefined,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const value = await this.#data(place, format, limit);
    if (value === undefined || isRecord(value)) return value;
    this.wrong(place, 'the top level must be an object');
    return undefined;
  }

  /** The data files among some paths that are there, each with the object that it holds. */
  async records(places: readonly Origin[], format: DataFormat): Promise<readonly DataFile[]> {
    const records: DataFile[] = [];
    for (const file of places) {
      if (this.isAbsent(file)) continue;
      const record = await this.#record(file, format, undefined);
      if (record) records.push({ file, record });
    }
    return records;
  }

  /** Does the same for many, in order. Now and then others get their turn, because files are read synchronously. */
  async each<T, R>(list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const answers: R[] = [];
    for (const [at, item] of list.entries()) {
      if (at % PAUSE_AFTER === PAUSE_AFTER - 1) await nextTurn();
      this.signal.throwIfAborted();
      answers.push(await work(item));
    }
    return answers;
  }
}

/** True for objects that are no lists. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
