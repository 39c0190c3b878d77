/** What every action of the tool works with. */
import { lstat, realpath } from 'node:fs/promises';
import { messageOf } from '@tenon/kernel';
import { displayPath, resolvePath, type ToolScope } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { LspHost } from '../host.ts';
import type { ServerDesk, Workplace } from '../servers/desk.ts';
import type { LanguageServer } from '../servers/language-server.ts';
import { tellChanges } from '../servers/watched-files.ts';
import type { TextDocument } from '../text-document.ts';
import { uriOfPath } from '../uris.ts';
import { positionIn } from './place-in-file.ts';

/** The input of the tool. */
export interface LspInput {
  readonly action: string;
  readonly file?: string;
  readonly line?: number;
  readonly symbol?: string;
  readonly query?: string;
  readonly new_name?: string;
  readonly apply?: boolean;
  readonly timeout?: number;
  readonly payload?: string;
}

/** One call. */
export interface LspCall {
  readonly host: LspHost;
  readonly desk: ServerDesk;
  readonly input: LspInput;
  /** The model's id of the call. */
  readonly callId: string;
  readonly scope: ToolScope;
  readonly place: Workplace;
  /** Aborts when the caller does, or when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** What an action gives: the text, and facts for programs. */
export interface ActionResult {
  readonly text: string;
  readonly server?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A file that a server has open, with the position that a call means. */
export interface OpenPlace {
  readonly server: LanguageServer;
  readonly path: string;
  readonly document: TextDocument;
  /** `textDocument` and `position` of a request. */
  readonly params: {
    readonly textDocument: { readonly uri: string };
    readonly position: { readonly line: number; readonly character: number };
  };
}

const [SHORTEST_S, USUAL_S, LONGEST_S] = [5, 20, 60];

/** How long a call may take. */
export function secondsOf({ timeout = USUAL_S }: Pick<LspInput, 'timeout'>): number {
  return Math.min(Math.max(timeout, SHORTEST_S), LONGEST_S);
}

/** A field that the action needs. */
export function need(input: LspInput, field: 'file' | 'query' | 'new_name', hint = ''): string {
  const value = input[field];
  if (value !== undefined && value !== '') return value;
  throw errors.create('LSP_INPUT_MISSING', { action: input.action, field, hint });
}

/** True when the call is about the whole workspace. */
export function isWorkspaceWide({ file }: LspInput): boolean {
  return file === undefined || file === '' || file === '*';
}

/** The real path of the file that a call names. */
export async function fileOf({ input, place }: Pick<LspCall, 'input' | 'place'>): Promise<string> {
  const path = resolvePath(place.cwd, need(input, 'file'));
  try {
    const real = await realpath(path);
    if (!(await lstat(real)).isFile()) throw new Error('it is not a file');
    return real;
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw errors.create('LSP_FILE_MISSING', { path: displayPath(place.cwd, path) }, fault);
    throw errors.create('LSP_FILE_UNREADABLE', { path: displayPath(place.cwd, path), reason: messageOf(fault) }, fault);
  }
}

/** A running server that knows what has happened to the files meanwhile. */
export async function freshServer(call: LspCall, server: Parameters<ServerDesk['open']>[0]): Promise<LanguageServer> {
  const open = await waitFor(call.desk.open(server), call.signal);
  await tellChanges(open);
  await open.refresh();
  return open;
}

/** Opens the file of a call in the server for it, at the position that is meant. */
export async function openPlace(call: LspCall): Promise<OpenPlace> {
  const { input, place, desk } = call;
  const path = await fileOf(call);
  const shown = displayPath(place.cwd, path);
  const server = await freshServer(call, await desk.primary(path, place, shown));
  const document = await server.openFile(path);
  const position = positionIn(document, { line: input.line ?? 1, symbol: input.symbol }, shown);
  return { server, path, document, params: { textDocument: { uri: uriOfPath(path) }, position } };
}

/** Waits until a server has loaded its project, but not for all of a call's time. */
export async function waitForProject(server: LanguageServer, signal: AbortSignal): Promise<void> {
  await server.settle(AbortSignal.any([signal, AbortSignal.timeout(PROJECT_LOAD_MS)]));
  signal.throwIfAborted();
}

const PROJECT_LOAD_MS = 15_000;

/** Waits for work that goes on for others even when this call is aborted. */
export async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    work.catch(() => undefined); // Told to whoever still waits.
    aborted.catch(() => undefined);
    signal.removeEventListener('abort', abort);
  }
}
