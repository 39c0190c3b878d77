/** Which servers there are for a file or a folder, and the way to a running one. */
import { realpath } from 'node:fs/promises';
import { isInside } from '@tenon/host';
import type { Entry } from '@tenon/kernel';
import type { LanguageServerData } from '../api.ts';
import { errors } from '../errors.ts';
import type { LspHost } from '../host.ts';
import { type FittingServer, type KnownServer, serversForFile, serversForFolder, workspaceTop } from './fit.ts';
import type { LanguageServer } from './language-server.ts';
import { ServerPool } from './pool.ts';
import { findProgram, type FoundProgram } from './program.ts';

/** Where a call works. */
export interface Workplace {
  /** The real path of the working folder. */
  readonly cwd: string;
  /** The top of its workspace: the root of the repository, or the folder itself. */
  readonly top: string;
  readonly trusted: boolean;
  /** Whether servers run in a sandbox here. Where they do not, they start only in a trusted folder: many run code of the project. */
  readonly confined: boolean;
}

/** A server that fits and is installed. */
export interface AvailableServer extends FittingServer {
  readonly program: FoundProgram;
}

/** A server of `status`. */
export interface ServerChoice extends FittingServer {
  readonly program: FoundProgram | undefined;
  /** Why it is not used although it is there. */
  readonly unused?: string;
}

/** Finds and starts servers. */
export class ServerDesk {
  readonly pool: ServerPool;
  readonly #host: LspHost;

  constructor(host: LspHost) {
    this.#host = host;
    this.pool = new ServerPool(host);
  }

  /** Where a call in this folder works. */
  async workplace(folder: string): Promise<Workplace> {
    const cwd = await realpath(folder);
    const top = workspaceTop(cwd, this.#host.folders.home);
    const state = await (await this.#host.trust())?.stateOf(top);
    const profile = await (await this.#host.sandboxes())?.profileFor({ cwd: top });
    return { cwd, top, trusted: state === 'trusted', confined: profile !== undefined && profile !== 'full' };
  }

  /** All servers that are known for a folder, whether they are installed or not. */
  async known({ top }: Pick<Workplace, 'top'>): Promise<readonly KnownServer[]> {
    const found = new Map<string, KnownServer>();
    for (const entry of this.#host.servers.list()) found.set(entry.key, ofEntry(entry));
    for (const { name, data, file, ofProject } of await this.#host.found.find(top)) {
      // A file of a project never takes the place of what the user or Tenon says.
      if (ofProject && found.has(name)) continue;
      found.set(name, { name, data, ...(ofProject && { projectFile: file }) });
    }
    for (const [name, own] of Object.entries(this.#host.config.servers)) {
      const { data, foreign } = found.get(name) ?? {};
      const merged = { languages: {}, ...data, ...own } as LanguageServerData;
      if (typeof merged.command === 'string' && merged.command !== '')
        found.set(name, { name, data: merged, ...(foreign && own.command === undefined && { foreign }) });
      else if (data && own.enabled === false) found.delete(name);
    }
    return [...found.values()].filter(
      ({ name, foreign }) => !foreign || this.#host.config.servers[name]?.enabled === true,
    );
  }

  /** The installed servers for a file; of each family the first. */
  async forFile(path: string, place: Workplace): Promise<readonly AvailableServer[]> {
    return this.#available(serversForFile(await this.known(place), path, place.top), place);
  }

  /** The installed servers for a folder; of each family the first. */
  async forFolder(place: Workplace): Promise<readonly AvailableServer[]> {
    const known = await this.known(place);
    const folders = [...new Set([place.top, place.cwd])];
    const running = this.pool.all().filter(({ identity }) => isInside(identity.root, place.top));
    const fitting = [
      ...folders.flatMap((folder) => serversForFolder(known, folder)),
      // Projects further down are known once somebody has asked about a file of theirs.
      ...running.map(({ identity }) => identity),
    ];
    return this.#available(fitting, place);
  }

  /** The servers for navigation in a file; throws what is missing when there is none. */
  async primary(path: string, place: Workplace, shown: string): Promise<AvailableServer> {
    const [first] = (await this.forFile(path, place)).filter(({ data }) => !data.linter);
    if (first) return first;
    throw await this.missing(path, place, shown);
  }

  /** The error that says which servers would fit a file. */
  async missing(path: string, place: Workplace, shown: string): Promise<Error> {
    const fitting = serversForFile(await this.known(place), path, place.top);
    const commands = [...new Set(fitting.map(({ data }) => data.command))];
    const why = place.trusted
      ? 'not found'
      : place.confined
        ? 'not found in PATH; programs of an untrusted folder are not used'
        : 'no sandbox works here, so servers run only in a folder that the user trusts (`tenon trust`)';
    const tried = commands.length > 0 ? ` Looked for ${commands.slice(0, 5).join(', ')}: ${why}.` : '';
    return errors.create('LSP_NO_SERVER', { what: shown, tried });
  }

  /** Everything that is known for a folder with what is found of it, for `status`. */
  async survey(place: Workplace): Promise<readonly ServerChoice[]> {
    const known = await this.known(place);
    const [fitting, choices] = [new Set(await this.forFolder(place)), [] as ServerChoice[]];
    for (const server of known) {
      const used = [...fitting].find(({ name }) => name === server.name);
      const root = used?.root ?? place.top;
      const program = used?.program ?? this.#programOf({ ...server, root }, place);
      choices.push({ ...server, root, program, ...(!used && { unused: 'no file of the project asks for it' }) });
    }
    return choices;
  }

  /** A running server. */
  open(server: AvailableServer): Promise<LanguageServer> {
    return this.pool.get(server, server.program);
  }

  async #available(fitting: readonly FittingServer[], place: Workplace): Promise<AvailableServer[]> {
    const families = new Set<string>();
    const roots = new Set<string>();
    const available: AvailableServer[] = [];
    for (const server of fitting) {
      const { family } = server.data;
      const key = `${server.name} ${server.root}`;
      const group = family === undefined ? undefined : `${family} ${server.root}`;
      if (roots.has(key) || (group !== undefined && families.has(group))) continue;
      if (!(await this.#mayRun(server, place))) continue;
      const program = this.#programOf(server, place);
      if (!program) continue;
      roots.add(key);
      if (group !== undefined) families.add(group);
      available.push({ ...server, program });
    }
    return available;
  }

  /** A server that a file of the project configures is a program of the project. */
  async #mayRun({ name, data, projectFile }: KnownServer, { top, trusted, confined }: Workplace): Promise<boolean> {
    if (projectFile === undefined) return trusted || confined;
    if (!trusted) return false;
    const program = { name: `the language server "${name}"`, file: projectFile, definition: data };
    return (await (await this.#host.trust())?.stateOf(top, [program])) === 'trusted';
  }

  #programOf({ data, root }: FittingServer, { top, trusted }: Workplace): FoundProgram | undefined {
    return findProgram(data, { root, top, trusted, env: this.#host.env });
  }
}

/** The manifest of a pack may hold anything: what is missing is filled so that the server fits nothing. */
function ofEntry({ key, data, source }: Entry<unknown>): KnownServer {
  const { command, languages } = data as Partial<LanguageServerData>;
  const isUsable = typeof command === 'string' && typeof languages === 'object' && languages !== null;
  const usable = (isUsable ? data : { command: '', languages: {} }) as unknown as LanguageServerData;
  return { name: key, data: usable, ...(source.foreign && { foreign: true }) };
}
