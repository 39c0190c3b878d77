/** The files of the page. They are built with the program; without them the API works all the same. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  // Loaded only where charts are shown.
  'charts.js': 'text/javascript; charset=utf-8',
  'charts.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
/** The page, seen from the program and from its chunks. */
const CANDIDATES = ['./web-page/', '../web-page/', '../../dist/page/'];
const NOT_BUILT = `The page is not built. Run "npm run setup" in the repository, then start "tenon web" again. The API works: see /api/openapi.json.\n`;

/** Answers for the page. */
export interface Page {
  answer(path: string): Response;
}

/** The page in a folder; the one that comes with the program when none is named. */
export function pageFiles(folder = builtFolder()): Page {
  return {
    answer(path) {
      // Addresses within the page (/sessions/ID) are the page's own business.
      const name = Object.hasOwn(TYPES, path.slice(1)) ? path.slice(1) : 'index.html';
      const file = folder === undefined ? undefined : join(folder, name);
      // A build that was interrupted has left only some of them.
      if (file === undefined || !existsSync(file))
        return new Response(NOT_BUILT, { status: 503, headers: { 'content-type': 'text/plain' } });
      const headers = { 'content-type': TYPES[name] ?? '', 'cache-control': 'no-cache' };
      return new Response(readFileSync(file), { headers });
    },
  };
}

function builtFolder(): string | undefined {
  return CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) =>
    existsSync(`${path}/index.html`),
  );
}
