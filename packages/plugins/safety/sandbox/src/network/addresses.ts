/**
 * Which addresses belong to the public network: the one list behind the sandbox's proxy, the fetches of packs and the web tools.
 * A name or a page that somebody else wrote must not lead to this machine, its network or a cloud's metadata service.
 */
import { BlockList, isIP } from 'node:net';

/** Of IPv4 all is public but this machine, private and shared networks, documentation, benchmarks, multicast and the rest. */
const CLOSED_V4 = lazyList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/** Of IPv6 only this is given to public networks. Everything local and every form of NAT64 lies outside. */
const OPEN_V6 = lazyList('ipv6', ['2000::/3']);

/** Inside of it: protocols such as Teredo, documentation, and 6to4, which carries IPv4 addresses of any kind. */
const CLOSED_V6 = lazyList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Made with the first question: every start reads this file, and few ask. */
function lazyList(family: 'ipv4' | 'ipv6', networks: readonly string[]): (address: string) => boolean {
  let list: BlockList | undefined;
  return (address) => (list ??= blockList(family, networks)).check(address, family);
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address belongs to the public network. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  // A zone such as %eth0 says on which wire of this machine an address is.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !CLOSED_V4(address);
  if (family === 0) return false;
  const inner = mappedIPv4(address);
  if (inner !== undefined) return isPublicAddress(inner);
  return OPEN_V6(address) && !CLOSED_V6(address);
}

/** The IPv4 address in `::ffff:a.b.c.d`, however it is written. */
function mappedIPv4(address: string): string | undefined {
  const [, high, low] =
    /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 0xff])
    .join('.');
}

/** A host in one spelling: lower case, without brackets and last dots, and IPv4 addresses as four decimal numbers. */
export function plainHost(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
  if (isIP(bare) !== 0 || !/^[0-9a-fx.]+$/.test(bare) || !URL.canParse(`http://${bare}`)) return bare;
  // Octal, hexadecimal and shortened spellings mean an address to every resolver.
  return new URL(`http://${bare}`).hostname;
}

/** Whether a host says by itself that it is not public: a private address in any spelling, or a name of this machine. */
export function isPrivateHost(host: string): boolean {
  const plain = plainHost(host);
  return isIP(plain) === 0 ? /(?:^|\.)localhost$/.test(plain) : !isPublicAddress(plain);
}
