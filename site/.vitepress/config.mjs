import { cpSync, createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { frontPage } from '../front-page.mjs';
import { linkedFiles, markdown } from '../markdown.mjs';
import { sidebar } from '../outline.mjs';
import { excluded, onDisk, ROOT, siteFile } from '../pages.mjs';

/** Files that are linked and no pages, while `npm run docs:dev` serves. */
const serveFiles = {
  name: 'tenon-files',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const path = decodeURIComponent(/\/files\/([^?#]+)/.exec(request.url ?? '')?.[1] ?? '');
      if (!linkedFiles.has(path) || !existsSync(onDisk(path)) || !statSync(onDisk(path)).isFile()) return next();
      createReadStream(onDisk(path)).pipe(response);
    });
  },
};

/** Pages lie outside of this folder, where Node.js and Vite look for no packages; the built pages lie inside of it. */
const findVue = {
  name: 'tenon-vue',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) =>
    ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : null,
};

/** A tenon in its mortise. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#b0682a" d="M1 3h6v3h4v4H7v3H1z"/><path fill="#8a4b16" d="M8 2h7v12H8v-3h4V5H8z"/></svg>';

/** Guides before references, and what only developers read last. It runs in the browser. */
function boostDocument(id) {
  if (/^\/(?:guide|cookbook)\//.test(id)) return 2;
  return /^\/(?:packages|changelog)/.test(id) ? 0.3 : 1;
}

/** Short words are meant as they are typed: `theme` is not `them` and `there`. It runs in the browser. */
function fuzzy(term) {
  return term.length > 5 ? 0.2 : false;
}

export default {
  title: 'Tenon',
  description: 'A coding agent and agent platform: a tiny kernel, everything else a plugin, hot paths in Rust.',
  lang: 'en',
  base: process.env.TENON_SITE_BASE ?? '/',
  cleanUrls: true,
  srcDir: ROOT,
  srcExclude: excluded(),
  rewrites: siteFile,
  outDir: join(ROOT, 'site/dist'),
  cacheDir: join(ROOT, 'site/node_modules/.cache'),
  metaChunk: true,
  // Comments in code have enough contrast in these.
  markdown: { ...markdown, theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' } },
  transformPageData(page) {
    if (page.relativePath === 'index.md') return { frontmatter: frontPage(), title: 'Tenon' };
  },
  buildEnd({ outDir }) {
    for (const path of linkedFiles) cpSync(onDisk(path), join(outDir, 'files', path));
  },
  vite: { plugins: [serveFiles, findVue], build: { chunkSizeWarningLimit: 4000 } },
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  themeConfig: {
    search: {
      provider: 'local',
      options: { detailedView: true, miniSearch: { searchOptions: { boostDocument, fuzzy } } },
    },
    nav: [
      { text: 'Guide', link: '/guide/getting-started', activeMatch: '^/guide/' },
      { text: 'Cookbook', link: '/cookbook/', activeMatch: '^/cookbook/' },
      { text: 'Reference', link: '/reference/commands', activeMatch: '^/reference/' },
      { text: 'Design', link: '/design/layout', activeMatch: '^/design/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before', next: 'Next' },
    footer: { message: 'MIT licence' },
    externalLinkIcon: true,
  },
};
