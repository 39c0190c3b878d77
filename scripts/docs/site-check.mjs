/** Checks a built site as its readers meet it: every link leads to a page and a heading of it, every picture is there. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import { filesBelow, fromRoot } from '../workspace.mjs';

/** @param {string} folder the built site @param {string} [base] the folder of the server that it is made for @returns {string[]} problems; each names the page */
export function siteProblems(folder, base = '/') {
  const pages = filesBelow(folder).filter((path) => path.endsWith('.html'));
  const ids = new Map(pages.map((path) => [path, idsOf(readFileSync(path, 'utf8'))]));
  return pages.flatMap((path) => {
    const page = fromRoot(path, folder);
    return targetsOf(readFileSync(path, 'utf8')).flatMap((target) => {
      const problem = problemOf(target, page);
      return problem === undefined ? [] : [`${page}: ${target}: ${problem}`];
    });
  });

  function problemOf(target, page) {
    const [path = '', anchor] = target.split('#', 2);
    const from = `/${page === 'index.html' ? '' : dirname(page).replace(/^\.$/, '')}`;
    if (path.startsWith('/') && !path.startsWith(base)) return `is outside of ${base}`;
    const inside = path.startsWith('/') ? path.slice(base.length - 1) : path;
    const file = path === '' ? join(folder, page) : fileOf(posix.resolve(from, decodeURIComponent(inside)), path);
    if (file === undefined) return 'is not there';
    if (!anchor || !ids.has(file)) return undefined;
    return ids.get(file).has(decodeURIComponent(anchor)) ? undefined : 'has no such heading';
  }

  function fileOf(address, written) {
    const plain = join(folder, address);
    const candidates =
      written.endsWith('/') || address === '/' ? [join(plain, 'index.html')] : [plain, `${plain}.html`];
    return candidates.find((path) => existsSync(path) && statSync(path).isFile());
  }
}

/** Links, pictures, scripts and styles of a page that are in the site. */
function targetsOf(html) {
  return [...html.matchAll(/<(?:a|img|script|link)\b[^>]*?\s(?:href|src)="([^"]+)"/g)]
    .map(([, target = '']) => target.replaceAll('&amp;', '&'))
    .filter((target) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

function idsOf(html) {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
}
