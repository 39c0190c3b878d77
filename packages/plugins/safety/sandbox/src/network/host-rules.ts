/** Which hosts an allow list names. */
import { isIP } from 'node:net';
import { errors } from '../errors.ts';
import { isPublicAddress, plainHost } from './addresses.ts';

/** One entry of an allow list. */
export interface HostRule {
  /** In lower case, without the leading `*.`. */
  readonly host: string;
  /** Whether names below it count too. */
  readonly below: boolean;
  readonly port: number | undefined;
}

/** Every host of the public network. The empty name is that of no host. */
export const PUBLIC_HOSTS: HostRule = { host: '', below: true, port: undefined };

const NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** Reads an allow list; an entry that is no host is an error, because it would silently allow nothing. */
export function parseHostRules(entries: readonly string[]): HostRule[] {
  return entries.map((entry) => {
    const refuse = (reason: string) => errors.create('SANDBOX_HOST_INVALID', { host: entry, reason });
    const text = entry.trim().toLowerCase();
    if (/[/@\s]/.test(text)) throw refuse('it is a URL or has blanks; give the host alone');
    const [, bracketed, name, digits] = /^(?:\[([0-9a-f:.]+)\]|(\*\.[^:*]+|[^:*]+))(?::(\d+))?$/.exec(text) ?? [];
    const bare = isIP(text) === 6 ? text : (bracketed ?? name);
    if (bare === undefined)
      throw refuse(text.includes('*') ? 'only a leading "*." may stand for names' : 'it cannot be read');
    const below = bare.startsWith('*.');
    const host = below ? bare.slice(2) : bare;
    if (isIP(host) === 0 && !NAME.test(host)) throw refuse('it has characters that no host name has');
    const port = digits === undefined || isIP(text) === 6 ? undefined : Number(digits);
    if (port !== undefined && (port < 1 || port > 65535)) throw refuse('its port is out of range');
    return { host, below, port };
  });
}

/** The rule that lets a connection through, if one does. */
export function findRule(rules: readonly HostRule[], host: string, port: number): HostRule | undefined {
  const wanted = plainHost(host);
  return rules.find(
    (rule) =>
      (rule.port === undefined || rule.port === port) &&
      (rule === PUBLIC_HOSTS || (rule.below ? wanted.endsWith(`.${rule.host}`) : wanted === rule.host)),
  );
}

/** Whether a rule may lead to an address: a name to public ones only, an address or `localhost` to what it says. */
export function mayLeadTo(rule: HostRule, address: string): boolean {
  return isIP(rule.host) !== 0 || rule.host === 'localhost' || isPublicAddress(address);
}
