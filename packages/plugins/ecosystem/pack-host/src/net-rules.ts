/** Which hosts a pack may reach. Names are compared here; addresses are checked again when a connection is made. */
import { BlockList, isIP } from 'node:net';

/** A `net` permission, taken apart. */
export interface NetRule {
  readonly host: string;
  /** True for `*.host`: any name below it, but not itself. */
  readonly wildcard: boolean;
  readonly port: number | undefined;
  /** Whether addresses of the own machine or network are meant. */
  readonly isPrivate: boolean;
}

/** Takes `example.org`, `*.example.org`, `example.org:8443`, `localhost:3000`, `10.0.0.7` or `private:wiki.corp` apart. */
export function parseNetPermission(value: string): NetRule | { readonly reason: string; readonly instead: string } {
  const instead =
    'Write a host such as "api.example.org", "*.example.org" or "localhost:3000", without scheme and path.';
  const match = /^(private:)?(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?$/i.exec(value);
  if (!match) return { reason: 'it is no host', instead };
  const [, marked, star, name = '', digits] = match;
  const host = normalHost(name);
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return { reason: `there is no port ${port}`, instead };
  if (star !== undefined && (isIP(host) !== 0 || !host.includes('.')))
    return { reason: 'its `*.` covers too much', instead };
  const isPrivate = marked !== undefined || host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0;
  return { host, wildcard: star !== undefined, port, isPrivate };
}

/** The rule that allows a request to this URL, if there is one. */
export function ruleFor(url: URL, permissions: readonly string[]): NetRule | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const host = normalHost(url.hostname);
  const usual = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? usual : Number(url.port);
  for (const permission of permissions) {
    const rule = parseNetPermission(permission);
    if ('reason' in rule) continue;
    const named = rule.wildcard ? host.endsWith(`.${rule.host}`) : host === rule.host;
    if (named && (rule.port === undefined ? port === usual : port === rule.port)) return rule;
  }
  return undefined;
}

const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv6');
}

/** True for addresses of the own machine, the own network, or no single machine at all. */
export function isReservedAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  const plain = mapped?.[1] ?? address;
  const family = isIP(plain);
  // Anything that is no address is treated as the worst it could be.
  return family === 0 || reserved.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function normalHost(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
