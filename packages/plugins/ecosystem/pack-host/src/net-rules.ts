/** Which hosts a pack may reach. Names are compared here; addresses are checked again when a connection is made. */
import { isIP } from 'node:net';
import { isPrivateHost, plainHost } from '@tenon/sandbox/api';

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
  if (!match) return { reason: 'it is not a host', instead };
  const [, marked, star, name = '', digits] = match;
  const host = plainHost(name);
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return { reason: `there is no port ${port}`, instead };
  if (star !== undefined && (isIP(host) !== 0 || !host.includes('.')))
    return { reason: 'its `*.` covers too much', instead };
  const isPrivate = marked !== undefined || isIP(host) !== 0 || isPrivateHost(host);
  return { host, wildcard: star !== undefined, port, isPrivate };
}

/** The rule that allows a request to this URL, if there is one. */
export function ruleFor(url: URL, permissions: readonly string[]): NetRule | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const host = plainHost(url.hostname);
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
