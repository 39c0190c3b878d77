import { existsSync, readFileSync } from 'node:fs';

/** A JSON file's object; undefined where there is none. A file that cannot be read is no project's description. */
export function readJsonObject(path: string): Readonly<Record<string, unknown>> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // The package manager itself will say what is wrong with it, when it is run.
  }
}
