/** Where exactly an installed plugin came from: enough to fetch the same bytes again. */
import { checkUrl, type SourceRules } from '../catalogue/sources.ts';
import { pathProblem } from '../tree/path-rules.ts';

/** A place and the one state of it. */
export type Pin =
  | {
      readonly kind: 'git';
      readonly url: string;
      readonly commit: string;
      readonly ref?: string;
      readonly path?: string;
      /** What identifies the folder's content, so that commits that do not touch it are no news. */
      readonly folder: string;
    }
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly version: string;
      readonly integrity: string;
      readonly registry?: string;
      /** The versions that the user wanted, where no catalogue says it. */
      readonly range?: string;
    }
  /** An archive of this machine. */
  | { readonly kind: 'archive'; readonly path: string; readonly integrity: string }
  /** A folder of this machine; only the fingerprint says what was in it. */
  | { readonly kind: 'folder'; readonly path: string };

type Fields = Readonly<Record<string, unknown>>;

const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** What is wrong with a pin as it stands in a file, which a stranger may have written. */
export function pinProblem(pin: unknown, reach: SourceRules['reach']): string | undefined {
  if (typeof pin !== 'object' || pin === null) return 'it has no pin';
  const fields = pin as Fields;
  const text = (key: string, pattern: RegExp) => {
    const value = fields[key];
    return typeof value === 'string' && pattern.test(value);
  };
  const optional = (key: string, pattern: RegExp) => fields[key] === undefined || text(key, pattern);
  switch (fields['kind']) {
    case 'git': {
      if (!text('url', /./)) return 'its pin has no address';
      try {
        checkUrl(String(fields['url']), { reach });
      } catch (fault) {
        return fault instanceof Error ? fault.message : String(fault);
      }
      if (!text('commit', /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)) return 'its pin has no commit';
      if (!text('folder', /^[0-9a-f]{40,64}$/)) return 'its pin has no folder id';
      const path = fields['path'];
      if (path === undefined) return undefined;
      return typeof path === 'string' ? pathProblem(path) : 'its pin has a path that is not text';
    }
    case 'npm':
      if (!text('package', /^(?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*$/)) return 'its pin has no package';
      if (!text('version', /^\d[\w.+-]*$/)) return 'its pin has no version';
      if (!text('integrity', INTEGRITY)) return 'its pin has no integrity';
      if (!optional('range', /^[\w.+~^<>=|* -]{1,100}$/)) return 'its pin has a range that is none';
      return optional('registry', /^https?:\/\/\S+$/) ? undefined : 'its pin has a registry that is not an address';
    case 'archive':
      if (!text('integrity', INTEGRITY)) return 'its pin has no integrity';
      return text('path', /^\//) ? undefined : 'its pin has no path';
    case 'folder':
      return text('path', /^\//) ? undefined : 'its pin has no path';
    default:
      return 'its pin is of an unknown kind';
  }
}

/** A pin as people read it. */
export function pinText(pin: Pin): string {
  switch (pin.kind) {
    case 'git':
      return `${pin.url}${pin.path === undefined ? '' : `/${pin.path}`} at ${pin.commit.slice(0, 12)}`;
    case 'npm':
      return `npm:${pin.package}@${pin.version}`;
    default:
      return pin.path;
  }
}

/** Two versions in words; where they have the same number, with what tells them apart. */
export function versionTexts(...versions: readonly VersionState[]): string[] {
  const isTold = new Set(versions.map(({ version }) => version)).size === versions.length;
  return versions.map(({ version, pin, content }) => {
    if (isTold) return version;
    const state = pin.kind === 'git' ? pin.commit : content.replace('sha256-', '');
    return `${version} (${state.slice(0, 8)})`;
  });
}

/** A version and what exactly it is. */
export interface VersionState {
  readonly version: string;
  readonly pin: Pin;
  readonly content: string;
}
