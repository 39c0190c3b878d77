import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inCheckout } from './plugins.ts';

/**
 * A folder for tests of sandboxes that is not a temporary one: those are private inside a sandbox, so a file "outside" would look
 * like a file that does not exist. The checkout itself may stand in one.
 */
export function workFolder(): string {
  const folder = inCheckout('node_modules', '.tenon-test');
  const isTemporary = [tmpdir(), '/tmp', '/var/tmp'].some((parent) => folder.startsWith(`${parent}/`));
  return isTemporary ? join(homedir(), '.cache', 'tenon-test') : folder;
}
