/** Which files of the repository are pages of the site, and where each of them is found there. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root: pages are named by their path from it. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const TOP = { 'CHANGELOG.md': 'changelog.md', 'CONTRIBUTING.md': 'contributing.md', 'AGENTS.md': 'agents.md' };
const PAGE =
  /^(?:docs\/.+|examples\/(?:.+\/)?README|integrations\/.+\/README|packages\/kernel\/api-report|packages\/(?:[^/]+|plugins\/[^/]+\/[^/]+)\/README)\.md$/;

/** Whether a file of the repository is a page. @param {string} path from the root */
export function isPage(path) {
  return path in TOP || (PAGE.test(path) && !/\/(?:node_modules|dist|test|fixtures)\//.test(path));
}

/** The file of the site for a file of the repository: that of `docs/` is its root, a README is the index of its folder. @param {string} path */
export function siteFile(path) {
  return TOP[path] ?? path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The address of a page. @param {string} path from the root */
export function addressOf(path) {
  return `/${siteFile(path)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '')}`;
}

/** What VitePress must not look into: it walks all folders of the repository otherwise. */
export function excluded() {
  const wanted = new Set(['docs', 'examples', 'integrations', 'packages']);
  const others = readdirSync(ROOT, { withFileTypes: true }).filter(({ name }) => !wanted.has(name));
  return [
    ...others.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/**`),
    ...others.map(({ name }) => name).filter((name) => name.endsWith('.md') && !isPage(name)),
    '**/{test,fixtures,src,target}/**',
  ];
}

/** @param {string} path from the root */
export const onDisk = (path) => join(ROOT, path);
