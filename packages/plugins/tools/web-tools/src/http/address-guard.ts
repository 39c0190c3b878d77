/**
 * Keeps requests out of this machine and of private networks. A page that a model was told to read must not make Tenon ask a
 * router, a database or a cloud's metadata service. Names are checked by the addresses they lead to, at the moment of
 * connecting, so that a name cannot change its meaning in between.
 */
import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { isPrivateHost, isPublicAddress, plainHost } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';

/** What the user allows. */
export interface AddressPolicy {
  readonly privateAddresses: 'refuse' | 'allow';
  /** `host`, `host:port` or a range of addresses such as `10.0.0.0/8`. */
  readonly allowHosts: readonly string[];
}

/** Says who may be asked. */
export interface AddressGuard {
  /** True when this host and port may be asked whatever address they have. */
  isAllowed(url: URL): boolean;
  /** Throws when the host of a URL is a private address itself. */
  checkLiteral(url: URL): void;
  /** For sockets: resolves a name and fails when any of its addresses is private. */
  lookup(hostname: string, options: LookupOptions, done: LookupDone): void;
}

type LookupDone = (fault: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Makes a guard from the settings. */
export function createGuard({ privateAddresses, allowHosts }: AddressPolicy): AddressGuard {
  const names = new Set<string>();
  const ranges = new BlockList();
  for (const entry of allowHosts) addAllowed(entry.trim().toLowerCase(), names, ranges);
  const isOpen = (address: string) =>
    privateAddresses === 'allow' ||
    isPublicAddress(address) ||
    ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const isAllowed = (url: URL) => {
    const host = plainHost(url.hostname);
    return privateAddresses === 'allow' || names.has(host) || names.has(`${host}:${portOf(url)}`);
  };
  return {
    isAllowed,
    checkLiteral(url) {
      const host = plainHost(url.hostname);
      if (isAllowed(url)) return;
      if (isIP(host) > 0 && !isOpen(host)) throw refusal(url.host, host);
      // Names that mean this machine whatever a resolver says.
      if (isIP(host) === 0 && isPrivateHost(host) && !isOpen('127.0.0.1')) throw refusal(url.host, 'loopback');
    },
    lookup(hostname, options, done) {
      resolveName(hostname, { ...options, all: true }, (fault, addresses) => {
        if (fault) return done(fault, []);
        const closed = addresses.find(({ address }) => !isOpen(address));
        if (closed) return done(refusal(hostname, closed.address), []);
        const [first] = addresses;
        if (options.all || !first) return done(null, addresses);
        done(null, first.address, first.family);
      });
    },
  };
}

function refusal(host: string, address: string) {
  return errors.create('WEB_PRIVATE', { host, address });
}

function addAllowed(entry: string, names: Set<string>, ranges: BlockList): void {
  const [, network = '', prefix = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(network);
  if (family > 0 && Number(prefix) <= (family === 6 ? 128 : 32)) {
    ranges.addSubnet(network, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  } else if (isIP(entry) > 0) {
    ranges.addAddress(entry, isIP(entry) === 6 ? 'ipv6' : 'ipv4');
  } else if (/^(?:\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.test(entry)) {
    names.add(entry.replaceAll(/[[\]]/g, ''));
  } else {
    throw errors.create('WEB_ALLOW_HOSTS', { entry });
  }
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
