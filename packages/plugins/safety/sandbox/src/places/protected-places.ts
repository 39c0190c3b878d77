/**
 * The one list of places that need care, for sandboxes, packs, trust and approval. A plugin that reads files of a project or of
 * the home folder declares them in its manifest (`contributes["protected-places"]`), so that they are known without its code and
 * also while it is disabled. A declaration only ever adds protection.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, slot } from '@tenon/kernel';
import { FIXED_PLACES } from './fixed-places.ts';

/**
 * Places by what they need. `./` starts in any folder of a project, `~/` in the home folder, `/` at the root of the machine. `*` stands
 * for any part of one name, except in `runsCode` of a project. Everything below a place belongs to it.
 */
export interface PlaceDeclaration {
  /** Keys and passwords: sandboxed programs do not see them, and reading them needs approval. */
  readonly secrets?: readonly string[];
  /** Accounts, histories and the like: sandboxed programs do not see them. */
  readonly private?: readonly string[];
  /**
   * Whoever changes them makes Tenon, another agent, an editor or a shell run something. In a project, sandboxed programs and packs
   * cannot change them, and a new one ends the trust in the project.
   */
  readonly runsCode?: readonly string[];
  /** Changing them needs approval, as it does for all of the above. */
  readonly guarded?: readonly string[];
}

/** All protected places. */
export type Places = Required<PlaceDeclaration>;

/** Where plugins declare protected places. Readers use the manifests alone, see `protectedPlacesOf`. */
export const protectedPlaces = slot<PlaceDeclaration>('protected-places');

const KINDS = ['secrets', 'private', 'runsCode', 'guarded'] as const;
/** No empty and no climbing parts, and none that is only `*`: that would protect a whole project. */
const PLACE = /^(?:~|\.)?(?:\/(?!(?:\.{0,2}|\*+)(?:\/|$))[^/\0]+)+$/;

/** Whether a text is a place that can be protected. */
export function isPlace(text: unknown): text is string {
  return typeof text === 'string' && PLACE.test(text);
}

let known: { readonly declarations: readonly unknown[]; readonly places: Places } | undefined;

/** The fixed places and those that the manifests of all installed plugins declare, disabled ones included. */
export function protectedPlacesOf(manifests: readonly Manifest[]): Places {
  const declarations = manifests.flatMap(({ contributes }) => Object.values(contributes?.[protectedPlaces.id] ?? {}));
  const isKnown =
    known?.declarations.length === declarations.length &&
    declarations.every((declaration, index) => known?.declarations[index] === declaration);
  if (known === undefined || !isKnown) known = { declarations, places: merge([FIXED_PLACES, ...declarations]) };
  return known.places;
}

function merge(declarations: readonly { readonly [K in keyof PlaceDeclaration]?: unknown }[]): Places {
  const listed = KINDS.map((kind) => {
    // A pack's manifest may hold anything; what is no place protects nothing.
    const all = declarations.flatMap((declaration) => declaration[kind] ?? []).filter(isPlace);
    const isUsable = (place: string) => kind !== 'runsCode' || !(place.startsWith('./') && place.includes('*'));
    return [kind, [...new Set(all)].filter(isUsable)] as const;
  });
  return Object.fromEntries(listed) as unknown as Places;
}

/** The places of a project, as paths from a folder of it. */
export function inProject(places: readonly string[]): string[] {
  return places.filter((place) => place.startsWith('./')).map((place) => place.slice(2));
}

/** The places of the home folder and of the machine, as absolute paths of what a `*` stands for just now. */
export function onMachine(places: readonly string[], home: string): string[] {
  return places
    .filter((place) => !place.startsWith('./'))
    .map((place) => (place.startsWith('~/') ? join(home, place.slice(2)) : place))
    .flatMap(expand);
}

function expand(path: string): string[] {
  if (!path.includes('*')) return [path];
  const parts = path.split('/');
  const at = parts.findIndex((part) => part.includes('*'));
  const folder = parts.slice(0, at).join('/') || '/';
  const rest = parts.slice(at + 1);
  return namesIn(folder)
    .filter((name) => namePattern(parts[at] ?? '').test(name))
    .flatMap((name) => expand([folder === '/' ? '' : folder, name, ...rest].join('/')));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Absent or out of reach: nothing there can be named.
  }
}

/** What one name of a place stands for; `*` is any part of it. */
function namePattern(name: string): RegExp {
  return new RegExp(`^${patternText(name)}$`, 's');
}

function patternText(place: string): string {
  return place.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
}

/**
 * A test for paths from `~/`, `./` or `/` on, without that beginning: true for places and for everything below them. `anywhere`
 * finds them in every folder on the way, `exact` takes only the places themselves. Capital letters count in `exact` alone, which names
 * what is allowed: many file systems (macOS, Windows, drives of Windows in WSL) do not tell `.GIT` from `.git`.
 */
export function placeTest(paths: readonly string[], how: 'below' | 'anywhere' | 'exact' = 'below'): RegExp {
  const start = how === 'anywhere' ? '(?:^|/)' : '^';
  const end = how === 'exact' ? '$' : '(?:/|$)';
  return new RegExp(`${start}(?:${paths.map(patternText).join('|') || '(?!)'})${end}`, how === 'exact' ? 's' : 'is');
}
