import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A folder for tests of sandboxes that is not in a temporary one: those are private inside of a sandbox, and what is "outside" would
 * look like a file that does not exist. The checkout itself may stand in one.
 */
export function workFolder(): string {
  const inCheckout = fileURLToPath(new URL('../../../../../../node_modules/.tenon-test', import.meta.url));
  const isTemporary = [tmpdir(), '/tmp', '/var/tmp'].some((folder) => inCheckout.startsWith(`${folder}/`));
  return isTemporary ? join(homedir(), '.cache', 'tenon-test') : inCheckout;
}
