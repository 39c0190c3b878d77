/** `docs://PATH`: Tenon's own documentation, which comes with it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf, parseAddress } from '../address.ts';
import type { UrlScheme } from '../api.ts';
import { filesInside, pathInside, readInside } from '../contained-folder.ts';
import { errors } from '../errors.ts';

const FORM = 'docs://PATH.md, or docs://?q=WORDS to search; docs:// lists the pages';
const MAX_FOUND = 10;
const LINES_PER_PAGE = 3;

interface Page {
  readonly segments: readonly string[];
  readonly title: string;
  readonly lines: readonly string[];
}

/** The scheme over a folder of documentation. */
export function docsScheme(folder: () => string | undefined = docsFolder): UrlScheme {
  let pages: Promise<readonly Page[]> | undefined;
  const root = () => {
    const path = folder();
    if (path === undefined) throw errors.create('URLS_DOCS_MISSING');
    return path;
  };
  const find = async (url: string, segments: readonly string[]) => {
    const last = segments.at(-1) ?? '';
    for (const tried of [segments, [...segments.slice(0, -1), `${last}.md`], [...segments, 'README.md']]) {
      const page = await readInside(root(), tried, url);
      if (page !== undefined && page !== 'folder') return { found: page, segments: tried };
    }
    return undefined;
  };
  return {
    async read(url, { signal }) {
      const { segments, query } = parseAddress(url, FORM);
      const words = query.get('q');
      if (words === null && segments.length > 0) {
        const page = await find(url, segments);
        if (page) return { ...page.found, immutable: true };
      }
      pages ??= loadPages(root(), signal).catch((fault: unknown) => {
        pages = undefined; // Cancelled or unreadable: the next reader tries again.
        throw fault;
      });
      const below = (await pages).filter((page) => segments.every((name, index) => page.segments[index] === name));
      if (below.length === 0) {
        const close = search(await pages, segments.join(' ')).slice(0, 3);
        const hint =
          close.length > 0
            ? `Perhaps: ${close.map(({ page }) => address(page)).join(', ')}.`
            : 'docs:// lists the pages.';
        throw errors.create('URLS_NOT_FOUND', { url, hint });
      }
      const content =
        words === null ? below.map((page) => `${address(page)}  ${page.title}`).join('\n') : foundText(below, words);
      return { content, contentType: 'text/plain', ...(words !== null && { isExtract: true }) };
    },
    async locate(url) {
      const { segments } = parseAddress(url, FORM);
      const page = segments.length > 0 ? await find(url, segments) : undefined;
      return page && pathInside(root(), page.segments, url);
    },
  };
}

function address({ segments }: Page): string {
  return addressOf('docs', segments);
}

async function loadPages(root: string, signal: AbortSignal): Promise<readonly Page[]> {
  const { files } = await filesInside(root, [], 'docs://');
  const pages: Page[] = [];
  for (const { path, segments } of files) {
    if (!path.endsWith('.md')) continue;
    const lines = (await readFile(path, { encoding: 'utf8', signal })).split('\n');
    const title =
      lines
        .find((line) => line.startsWith('# '))
        ?.slice(2)
        .trim() ?? '';
    pages.push({ segments, title, lines });
  }
  return pages;
}

interface Hit {
  readonly page: Page;
  readonly score: number;
  readonly words: readonly string[];
}

/** Pages that have the most of the words, rare words counting more; a word in a title or heading counts for several. */
function search(pages: readonly Page[], wanted: string): readonly Hit[] {
  const words = [
    ...new Set(
      wanted
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word.length > 1),
    ),
  ];
  const counts = pages.map((page) => words.map((word) => countIn(page, word)));
  const rarity = words.map((_, index) => {
    const having = counts.filter((row) => (row[index] ?? 0) > 0).length;
    return Math.log(1 + pages.length / Math.max(1, having));
  });
  const hits = pages.map((page, at): Hit => {
    const score = words.reduce((sum, _, index) => {
      const count = counts[at]?.[index] ?? 0;
      return sum + (rarity[index] ?? 0) * (count / (count + 2));
    }, 0);
    return { page, score, words };
  });
  return hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

function countIn({ title, segments, lines }: Page, word: string): number {
  let count = title.toLowerCase().includes(word) || segments.some((name) => name.includes(word)) ? 8 : 0;
  for (const line of lines) {
    if (line.toLowerCase().includes(word)) count += line.startsWith('#') ? 3 : 1;
  }
  return count;
}

function foundText(pages: readonly Page[], wanted: string): string {
  const hits = search(pages, wanted);
  if (hits.length === 0) return `No page has any of: ${wanted}. docs:// lists the pages.`;
  const shown = hits.slice(0, MAX_FOUND).map(({ page, words }) => {
    const lines = page.lines
      .map((line, index) => ({ line, index, fits: words.filter((word) => line.toLowerCase().includes(word)).length }))
      .filter(({ fits }) => fits > 0)
      .sort((a, b) => b.fits - a.fits || a.index - b.index)
      .slice(0, LINES_PER_PAGE)
      .sort((a, b) => a.index - b.index);
    return [
      `${address(page)}  ${page.title}`,
      ...lines.map(({ line, index }) => `  ${index + 1}: ${line.trim().slice(0, 200)}`),
    ].join('\n');
  });
  return shown.join('\n\n');
}

/**
 * Where the documentation is: in the repository that this code runs from, which is always up to date, else beside the program
 * (`scripts/build-program.mjs` puts a copy there).
 */
export function docsFolder(): string | undefined {
  const start = dirname(fileURLToPath(import.meta.url));
  const above: string[] = [];
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) above.push(folder);
  const isRepository = (folder: string) =>
    existsSync(join(folder, 'docs', 'glossary.md')) && existsSync(join(folder, 'packages', 'kernel'));
  const repository = above.find(isRepository);
  if (repository !== undefined) return join(repository, 'docs');
  return above
    .slice(0, 3)
    .map((folder) => join(folder, 'docs'))
    .find((folder) => existsSync(join(folder, 'glossary.md')));
}
