import { isIP } from 'node:net';

/** True for this machine, as it stands in an address: no TLS is needed to reach it. */
export function isNearHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
