/** Holds an edit to the files that its mode declared before the call was approved. A mode may be the code of a pack. */
import { displayPath, resolvePath, type Touches } from '@tenon/tools/api';
import type { EditMode, EditTouchCall, EditTouches } from '../api.ts';
import { errors } from '../errors.ts';
import { realPlace } from '../real-place.ts';

/** Where declared files really were when they were declared: that is what was approved. */
const realPlaces = new WeakMap<Touches, ReadonlyMap<string, string>>();

/** Asks a mode which files an input is about. */
export function declareFiles(
  mode: EditMode,
  input: Readonly<Record<string, unknown>>,
  call: EditTouchCall,
): Touches | Promise<Touches> {
  // Modes of packs are checked by nobody else.
  if (typeof mode.touches !== 'function') throw errors.create('FILE_TOOLS_MODE_SILENT');
  const declared = mode.touches(input, call);
  return declared instanceof Promise ? declared.then((files) => resolved(files, call)) : resolved(declared, call);
}

function resolved(declared: EditTouches, { cwd }: EditTouchCall): Touches {
  const absolute = (paths: readonly string[]) => [...new Set(paths.map((path) => resolvePath(cwd, path)))];
  const touches = { reads: absolute(declared.reads ?? []), writes: absolute(declared.writes) };
  realPlaces.set(touches, new Map(touches.writes.map((path) => [path, placeToWrite(path, cwd)])));
  return touches;
}

/** Where a path really leads; one that leads in a circle, or is no path at all, is said by its name. */
function placeToWrite(path: string, cwd: string): string {
  try {
    return realPlace(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === undefined) throw fault;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: displayPath(cwd, path), reason: code }, fault);
  }
}

/** Says of files whether an edit may open or change them; throws when it may not. */
export interface DeclaredFiles {
  mayOpen(path: string): void;
  mayWrite(path: string): void;
}

/** The files that a call declared. */
export function declaredFiles(touches: Touches, cwd: string): DeclaredFiles {
  const { reads = [], writes = [] } = touches;
  const refuse = (path: string) => errors.create('FILE_TOOLS_UNDECLARED', { path: displayPath(cwd, path) });
  const places = realPlaces.get(touches);
  return {
    mayOpen(path) {
      if (!writes.includes(path) && !reads.includes(path)) throw refuse(path);
    },
    mayWrite(path) {
      // A link that has changed since then would lead an approved name to another file.
      if (!writes.includes(path) || places?.get(path) !== realPlace(path)) throw refuse(path);
    },
  };
}
