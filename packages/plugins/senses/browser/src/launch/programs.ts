/** Which browsers are known, and where they are. */
import { existsSync } from 'node:fs';
import { findInPath } from '@tenon/host';
import { errors } from '../errors.ts';

/** A browser that Playwright can drive. */
interface KnownBrowser {
  readonly title: string;
  /** Names in PATH. */
  readonly names: readonly string[];
  /** Paths outside of PATH. */
  readonly paths: readonly string[];
}

/** In the order in which they are taken. */
const BROWSERS: readonly KnownBrowser[] = [
  {
    title: 'Chromium',
    names: ['chromium', 'chromium-browser'],
    paths: ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/snap/bin/chromium'],
  },
  {
    title: 'Chrome',
    names: ['google-chrome', 'google-chrome-stable', 'chrome'],
    paths: ['/opt/google/chrome/chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  },
  {
    title: 'Edge',
    names: ['microsoft-edge', 'microsoft-edge-stable'],
    paths: ['/opt/microsoft/msedge/msedge', '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
  },
  {
    title: 'Brave',
    names: ['brave-browser', 'brave'],
    paths: ['/Applications/Brave Browser.app/Contents/MacOS/Brave Browser'],
  },
];

/** The path of the browser to start. */
export function findBrowser(wanted: string, env: Readonly<Record<string, string | undefined>>): string {
  if (wanted !== '') {
    const program = findInPath(wanted, env);
    if (program === undefined) throw errors.create('BROWSER_PROGRAM', { program: wanted });
    return program;
  }
  for (const { names, paths } of BROWSERS) {
    const found = names.map((name) => findInPath(name, env)).find(Boolean) ?? paths.find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  throw errors.create('BROWSER_MISSING', { names: BROWSERS.flatMap(({ names }) => names).join(', ') });
}
