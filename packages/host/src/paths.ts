/** The one test of whether a path lies in a folder: a plain prefix would count `/a/app-evil` as a part of `/a/app`. */
import { sep } from 'node:path';

/** Whether `inner` is `outer` or lies in it. Both are absolute and without `..`; links are not followed. */
export function isInside(inner: string, outer: string): boolean {
  return inner === outer || isBelow(inner, outer);
}

/** Whether `inner` lies in `outer` and is not `outer` itself. */
export function isBelow(inner: string, outer: string): boolean {
  return inner.length > outer.length && inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
