/** What other plugins may use of the language servers: the slot for servers, and the slot for those who find servers by folder. */
import { slot } from '@tenon/kernel';

/** A program that checks a whole project, with the arguments for it. */
export interface ProjectCheck {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is known about a language server without starting it. */
export interface LanguageServerData {
  /** The program, looked up in the project (when it is trusted) and in PATH. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Language ids by extension (`.ts`) or whole file name (`Dockerfile`). */
  readonly languages: Readonly<Record<string, string>>;
  /** Names that stand in the root folder of a project; `*` stands for any letters. */
  readonly rootMarkers?: readonly string[];
  /** True when the server is of use only where a marker is: a linter without configuration has nothing to say. */
  readonly needsMarker?: boolean;
  /** True when it only gives diagnostics, fixes and formatting: it is never asked where something is. */
  readonly linter?: boolean;
  /** Of servers of one family that fit a file, only the first that is installed is used. */
  readonly family?: string;
  /** Its place among servers for the same file: lower comes first; 50 when absent. */
  readonly order?: number;
  /** The npm package that holds the program, and the lowest major version that can be used. */
  readonly npm?: { readonly name: string; readonly atLeast: number };
  readonly initializationOptions?: unknown;
  /** What the server is told when it asks for its settings; sections are the keys. */
  readonly settings?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  /** True when it runs a slow check after a file was saved, and shows progress meanwhile. */
  readonly checksOnSave?: boolean;
  /** Checks the whole project. */
  readonly check?: ProjectCheck;
  /** False: it is not used. */
  readonly enabled?: boolean;
}

/** Language servers by name. The data of an entry is a `LanguageServerData`; the value is not used. */
export const languageServers = slot<unknown>('language-servers');

/** A server that somebody has configured for a folder. */
export interface FoundServer {
  readonly name: string;
  readonly data: LanguageServerData;
  /** The file that says so. */
  readonly file: string;
  /** True when that file belongs to the project: the server then starts only in a trusted folder. */
  readonly ofProject: boolean;
}

/** Finds servers that are configured for a folder: by other tools, by installed plugins. */
export interface LanguageServerSource {
  find(folder: string): Promise<readonly FoundServer[]>;
}

/** Who finds servers by folder. */
export const languageServerSources = slot<LanguageServerSource>('language-server-sources');

export { errors } from './errors.ts';
