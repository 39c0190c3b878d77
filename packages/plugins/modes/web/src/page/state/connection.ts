/** The way to the server: the token of the link, kept for this browser, and whether the server answers. */
import { signal } from '@preact/signals';
import { ApiClient, ApiFault, isAnswer, type StreamedEvent } from '../../client.ts';
import { type Followed, type FollowOptions, PageStream } from './stream.ts';

const KEY = 'tenon-token';
const AGAIN_MS = [250, 500, 1_000, 2_000];
const AT_LAST_MS = 2_000;

/** The token; empty when the page was opened without one. */
export const token = signal(takeToken());
/** False while the server cannot be reached. */
export const isConnected = signal(true);
/** What went wrong last, for the person. */
export const fault = signal('');

/** The client of this page. */
export const client = new ApiClient({ base: '', token: token.value });
const stream = new PageStream(client);

/** The token of the address, which it then leaves: it must not be in a history or a screenshot. */
function takeToken(): string {
  const [, given] = /[#&]token=([\w-]+)/.exec(location.hash) ?? [];
  if (given !== undefined) {
    localStorage.setItem(KEY, given);
    history.replaceState(undefined, '', location.pathname);
  }
  return given ?? localStorage.getItem(KEY) ?? '';
}

/** Whether what went wrong was something that the page wanted by itself. */
let isOwnFault = false;

/** Does what the person wants; a failure is shown, until they do something else, and undefined given. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  fault.value = '';
  return tried(work, false);
}

/**
 * Gets what the page needs, with more than one attempt: nobody else asks for it again when a connection breaks. With `wanted` it goes on
 * until that aborts. Success takes back only what the page itself has failed at: the person reads the rest.
 */
export async function fetched<T>(work: () => Promise<T>, wanted?: AbortSignal): Promise<T | undefined> {
  const found = await tried(() => persistent(work, wanted), true);
  if (found !== undefined && isOwnFault) fault.value = '';
  return found;
}

async function persistent<T>(work: () => Promise<T>, wanted?: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (reason) {
      const wait = AGAIN_MS[failures] ?? (wanted?.aborted === false ? AT_LAST_MS : undefined);
      // The server itself says what is wrong, or nobody wants it any more.
      if (wait === undefined || isAnswer(reason) || isAborted(reason)) throw reason;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

function isAborted(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'AbortError';
}

async function tried<T>(work: () => Promise<T>, isOwn: boolean): Promise<T | undefined> {
  try {
    return await work();
  } catch (reason) {
    // What nobody waits for any more has not failed.
    if (!isAborted(reason)) failed(reason, isOwn);
    return undefined;
  }
}

/** Follows what the page shows, until it is over or `signal` aborts. What the server refuses is shown; gives whether it came to its end. */
export async function follow(
  what: Followed,
  options: FollowOptions,
  take: (event: StreamedEvent) => void,
): Promise<boolean> {
  try {
    await stream.follow(what, options, take);
    return !options.signal.aborted;
  } catch (reason) {
    if (!options.signal.aborted) failed(reason, false);
    return false;
  }
}

function failed(reason: unknown, isOwn: boolean): void {
  if (reason instanceof ApiFault && reason.status === 401) {
    localStorage.removeItem(KEY);
    token.value = '';
  }
  isOwnFault = isOwn && !isAnswer(reason);
  fault.value = reason instanceof Error ? reason.message : String(reason);
}
