/** The way to the server: the token of the link, kept for this browser, and whether the server answers. */
import { signal } from '@preact/signals';
import { ApiClient, ApiFault, type StreamedEvent } from '../../client.ts';

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

/** Does something; a failure is shown and undefined given. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    fault.value = '';
    return await work();
  } catch (reason) {
    failed(reason);
    return undefined;
  }
}

/** Follows a stream until `signal` aborts. */
export async function follow(
  path: string,
  options: { readonly after?: string; readonly signal: AbortSignal; onState?(isConnected: boolean): void },
  take: (event: StreamedEvent) => void,
): Promise<void> {
  try {
    for await (const event of client.follow(path, options)) take(event);
  } catch (reason) {
    if (!options.signal.aborted) failed(reason);
  }
}

function failed(reason: unknown): void {
  if (reason instanceof ApiFault && reason.status === 401) {
    localStorage.removeItem(KEY);
    token.value = '';
  }
  fault.value = reason instanceof Error ? reason.message : String(reason);
}
