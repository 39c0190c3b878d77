/** Where the person is: the path of the address. */
import { signal } from '@preact/signals';
import { fault } from './connection.ts';

/** The path, without the slash at its end. */
export const place = signal(location.pathname);

addEventListener('popstate', () => (place.value = location.pathname));

/** Goes to another place. */
export function go(path: string): void {
  if (path === place.value) return;
  fault.value = '';
  history.pushState(undefined, '', path);
  place.value = path;
}
