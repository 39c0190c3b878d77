/** Addresses of files, as language servers write them. */
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The address of a file. */
export function uriOfPath(path: string): string {
  return pathToFileURL(path).href;
}

/** The file of an address; undefined for what is none. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith('file://')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined; // A host, or signs that no path has.
  }
}
