import { createRequire } from 'node:module';

/** The ripgrep of npm's @vscode/ripgrep, where it is installed. */
export function ripgrepPath(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    const library: unknown = require('@vscode/ripgrep');
    const path: unknown = typeof library === 'object' && library !== null ? Reflect.get(library, 'rgPath') : undefined;
    return typeof path === 'string' ? path : undefined;
  } catch {
    // Not installed: the suites that compare with it are skipped and say so.
    return undefined;
  }
}
