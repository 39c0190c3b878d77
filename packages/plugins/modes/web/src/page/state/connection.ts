/** The way to the server: the token of the link, kept for this browser, and whether the server answers. */
import { signal } from '@preact/signals';
import { ApiClient, ApiFault, type StreamedEvent } from '../../client.ts';
import { inView, outOfView } from './visibility.ts';

const KEY = 'tenon-token';

/** The token; empty when the page was opened without one. */
export const token = signal(takeToken());
/** False while the server cannot be reached. */
export const isConnected = signal(true);
/** What went wrong last, for the person. */
export const fault = signal('');

/** The client of this page. */
export const client = new ApiClient({ base: '', token: token.value });

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

/** Gets what the page needs. Success takes back only what the page itself has failed at: the person reads the rest. */
export async function fetched<T>(work: () => Promise<T>): Promise<T | undefined> {
  const found = await tried(work, true);
  if (found !== undefined && isOwnFault) fault.value = '';
  return found;
}

async function tried<T>(work: () => Promise<T>, isOwn: boolean): Promise<T | undefined> {
  try {
    return await work();
  } catch (reason) {
    // What nobody waits for any more has not failed.
    if (!(reason instanceof DOMException && reason.name === 'AbortError')) failed(reason, isOwn);
    return undefined;
  }
}

/**
 * Follows a stream until `signal` aborts. A page that nobody sees lets go of it and catches up later: browsers have six connections for
 * a server without TLS, and the tabs of a day would leave none for what the person does.
 */
export async function follow(
  path: string,
  options: { readonly after?: string; readonly signal: AbortSignal; onState?(isConnected: boolean): void },
  take: (event: StreamedEvent) => void,
): Promise<void> {
  let last = options.after;
  while (!options.signal.aborted) {
    await inView(options.signal);
    const hidden = outOfView();
    const signal = AbortSignal.any([options.signal, hidden.signal]);
    try {
      for await (const event of client.follow(path, {
        ...options,
        ...(last !== undefined && { after: last }),
        signal,
      })) {
        if (event.id !== '') last = event.id;
        take(event);
      }
      if (!hidden.signal.aborted) return;
    } catch (reason) {
      if (options.signal.aborted) return;
      if (!hidden.signal.aborted) return failed(reason, false);
    } finally {
      hidden.end();
    }
    options.onState?.(false);
  }
}

function failed(reason: unknown, isOwn: boolean): void {
  if (reason instanceof ApiFault && reason.status === 401) {
    localStorage.removeItem(KEY);
    token.value = '';
  }
  isOwnFault = isOwn && !(reason instanceof ApiFault);
  fault.value = reason instanceof Error ? reason.message : String(reason);
}
