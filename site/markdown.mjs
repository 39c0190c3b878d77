/** How the site reads our Markdown: as a forge does. Links between files become links between pages. */
import { existsSync, statSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';

import { anchorOf } from '../scripts/docs/links.mjs';
import { addressOf, isPage, onDisk, ROOT } from './pages.mjs';

/** Files that pages link to and that are no pages; the site offers them below `/files/`. @type {Set<string>} */
export const linkedFiles = new Set();

/** Options of VitePress' Markdown. */
export const markdown = {
  // A brace behind a word is a brace.
  attrs: { disable: true },
  anchor: { slugify: anchorOf },
  // The table of contents beside a page.
  headers: { level: [2, 3] },
  languageAlias: { console: 'sh', jsonc: 'json', mermaid: 'text', prompt: 'text' },
  config(md) {
    // `:name:` is no picture, and Vue's braces are text.
    md.core.ruler.disable('emoji', true);
    md.core.ruler.push('tenon-links', ({ tokens, env }) => tokens.forEach((token) => mendLinks(token, env)));
    const { text, code_inline: code } = md.renderer.rules;
    md.renderer.rules.text = (...args) => withoutBraces(text(...args));
    md.renderer.rules.code_inline = (...args) => breakable(withoutBraces(code(...args)));
  },
};

function withoutBraces(html) {
  return html.replaceAll('{{', '&#123;&#123;');
}

/** Long names may go on in the next line where they have a joint; the cells of tables are narrow. */
function breakable(html) {
  return html.length < 30 ? html : html.replaceAll(/(?<=[\w>][./_,-])(?=\w)/g, '<wbr>');
}

function mendLinks(token, env) {
  const open = [];
  for (const child of token.children ?? []) {
    if (child.type === 'link_open') {
      const href = child.attrGet('href') ?? '';
      const target = targetOf(href, env.realPath ?? env.path);
      open.push(target);
      if (target === null) blank(child);
      else if (target !== href) child.attrSet('href', target);
      if (target?.startsWith('/files/')) child.attrSet('target', '_blank');
    } else if (child.type === 'link_close' && open.pop() === null) blank(child);
  }
}

/** Takes a mark away and leaves the words beside it. */
function blank(token) {
  token.type = 'text';
  token.content = '';
}

/**
 * Where a link leads on the site.
 * @param {string} href @param {string} page the file of the page
 * @returns {string | null} null if the site has nothing to show there
 */
export function targetOf(href, page) {
  if (href === '' || /^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(href)) return href;
  const [target = '', anchor] = href.split('#', 2);
  const from = relative(ROOT, page).split(sep).join('/');
  let path = posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(target))).replace(/\/$/, '');
  if (path.startsWith('..') || !existsSync(onDisk(path))) throw new Error(`${from}: the link ${href} leads nowhere`);
  if (statSync(onDisk(path)).isDirectory()) path += '/README.md';
  if (isPage(path) && existsSync(onDisk(path))) return addressOf(path) + (anchor ? `#${anchor}` : '');
  const source = process.env.TENON_SITE_SOURCE;
  if (source) return `${source.replace(/\/$/, '')}/${path.replace(/\/README\.md$/, '')}`;
  if (!existsSync(onDisk(path))) return null;
  linkedFiles.add(path);
  return `/files/${path}`;
}
