/** The sidebar and the bar at the top, read from the lists in docs/README.md and the pages of contents it names: nobody keeps a second list. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { addressOf, isPage, onDisk } from './pages.mjs';

/** @typedef {{ text: string, path: string }} Link @typedef {{ text: string, link?: string, items?: Entry[], collapsed?: boolean }} Entry */

/**
 * The parts of the documentation, each with its entries.
 * @returns {{ title: string, entries: Entry[] }[]}
 */
export function outline() {
  return sections('docs/README.md').map(({ title, lines }) => ({ title, entries: lines.flatMap(entriesOf) }));
}

/** VitePress' sidebar: the part that a page belongs to comes first and is open. @returns {Record<string, Entry[]>} by the start of addresses */
export function sidebar() {
  const parts = outline().map(({ title, entries }) => ({ text: title, items: entries }));
  const [guides, reference, design] = parts;
  if (!design) throw new Error('docs/README.md does not list guides, reference and design');
  const cookbook = guides.items.find(({ link }) => link === '/cookbook/');
  const led = (first) => [
    first,
    ...parts.filter((part) => part !== first).map((part) => ({ ...part, collapsed: true })),
  ];
  return {
    '/cookbook/': led({ text: 'Cookbook', items: (cookbook?.items ?? []).map(({ text, items }) => ({ text, items })) }),
    '/reference/': led(reference),
    '/packages/': led(reference),
    '/design/': led(design),
    '/': led(guides),
  };
}

/** Every page that the sidebar leads to. @returns {Set<string>} addresses */
export function listedAddresses() {
  const found = new Set();
  const visit = ({ link, items = [] }) => {
    if (link) found.add(link);
    items.forEach(visit);
  };
  Object.values(sidebar()).flat().forEach(visit);
  return found;
}

/** A line of the list: its first link leads the others. */
function entriesOf(line) {
  const [first, ...more] = linksIn(line, 'docs/README.md');
  if (!first) return [];
  const entries = [first, ...more].map(entryOf);
  const [head, ...rest] = entries;
  if (rest.length < 2) return entries;
  return [{ ...head, items: [...(head.items ?? []), ...rest], collapsed: true }];
}

/** A page; a page of contents with what it lists. @param {Link} link @returns {Entry} */
function entryOf({ text, path }) {
  const entry = { text: capital(text), link: addressOf(path) };
  if (posix.basename(path) !== 'README.md' || path === 'docs/README.md') return entry;
  const folder = `${posix.dirname(path)}/`;
  const parts = sections(path)
    .map(({ title, lines }) => ({
      text: title,
      items: lines
        .flatMap((line) => linksIn(line, path).slice(0, 1))
        .filter((link) => link.path.startsWith(folder) && link.path !== path)
        .map((link) => ({ text: capital(link.text), link: addressOf(link.path) })),
    }))
    .filter(({ items }) => items.length > 0);
  if (parts.length === 0) return entry;
  const items = parts.length === 1 ? parts[0].items : parts.map((part) => ({ ...part, collapsed: true }));
  return { ...entry, items, collapsed: true };
}

/** The lists and tables of a page, each below the heading or the bold word that it follows. */
function sections(path) {
  const found = [];
  for (const line of readFileSync(onDisk(path), 'utf8').split('\n')) {
    const title = /^#{1,3} (.+)$/.exec(line)?.[1] ?? /^\*\*([^*]+)\*\* /.exec(line)?.[1];
    if (title) found.push({ title, lines: [] });
    const last = found.at(-1);
    if (!last) continue;
    if (/^(?:- |\| ?\[)/.test(line)) last.lines.push(line);
    else if (/^ {2,}\S/.test(line) && last.lines.length > 0) last.lines[last.lines.length - 1] += ` ${line.trim()}`;
  }
  return found.filter(({ lines }) => lines.length > 0);
}

/** The pages that a line leads to. @returns {Link[]} */
function linksIn(line, from) {
  return [...line.matchAll(/\[([^\]]+)\]\(([^)#\s]+)\)/g)]
    .map(([, text, target]) => ({ text, path: posix.normalize(posix.join(posix.dirname(from), target)) }))
    .filter(({ path }) => isPage(path) && existsSync(onDisk(path)));
}

/** Names in code keep their case. */
function capital(text) {
  if (text.startsWith('`')) return text.replaceAll('`', '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
