/** Takes internal addresses apart. The URL class is not used: it resolves `..` before anybody could refuse it. */
import { errors } from './errors.ts';

/** An address in parts. */
export interface Address {
  readonly scheme: string;
  /** Decoded, and safe to be joined to a folder: no `..`, no separators, no control characters. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Names that Windows gives to devices in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Splits and decodes an address; what could lead out of a folder is refused. `form` shows how it should look. */
export function parseAddress(url: string, form: string): Address {
  const refuse = (reason: string) => errors.create('URLS_INVALID', { url: visible(url), reason, form });
  const [, scheme, path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is.exec(url) ?? [];
  if (scheme === undefined) throw refuse('it has no scheme');
  if (path.startsWith('/') && path !== '/') throw refuse('it is an absolute path');
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      const name = decode(part);
      const problem =
        name === undefined ? 'a percent sign is not followed by two hexadecimal digits' : segmentProblem(name);
      if (name === undefined || problem !== undefined) throw refuse(problem ?? '');
      return name;
    });
  return { scheme: scheme.toLowerCase(), segments, query: new URLSearchParams(query) };
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // Malformed; the caller says so.
  }
}

function segmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return 'it must not go up';
  if (/[/\\]/.test(name)) return 'a name in it contains a slash';
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'it contains control characters';
  if (Buffer.byteLength(name) > 255) return 'a name in it is too long';
  if (process.platform === 'win32' && (/[:*?"<>|]|[. ]$/.test(name) || DEVICE.test(name)))
    return 'a name in it is reserved';
  return undefined;
}

/** Errors show the address; they must not carry control characters to a terminal. */
function visible(url: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return url.slice(0, 300).replaceAll(/[\u0000-\u001f\u007f]/g, '�');
}

/** Segments as they stand in an address. */
export function addressOf(scheme: string, segments: readonly string[]): string {
  return `${scheme}://${segments.map((segment) => encodeURIComponent(segment).replaceAll('%20', ' ')).join('/')}`;
}
