/** What stands at the top of the site's first page; the points are those of the README. */
import { readFileSync } from 'node:fs';

import { onDisk } from './pages.mjs';

const POINTS = 9;

/** The front matter of the first page. */
export function frontPage() {
  const readme = readFileSync(onDisk('README.md'), 'utf8');
  const points = [...readme.matchAll(/^- \*\*(.+?)\.?\*\* ([\s\S]*?)(?=\n- \*\*|\n\n)/gm)];
  if (points.length < POINTS)
    throw new Error(`the README names ${points.length} points with \`- **…**\`, not ${POINTS}`);
  return {
    layout: 'home',
    title: 'Tenon',
    hero: {
      name: 'Tenon',
      text: 'A coding agent you can take apart',
      tagline:
        'A small kernel, every feature a plugin, hot paths in Rust. On a screen, from the shell, in your editor, in your program.',
      actions: [
        { theme: 'brand', text: 'Get started', link: '/guide/getting-started' },
        { theme: 'alt', text: 'Cookbook', link: '/cookbook/' },
        { theme: 'alt', text: 'Beside other agents', link: '/comparison' },
      ],
    },
    features: points.slice(0, POINTS).map(([, title, text]) => ({ title, details: plain(text) })),
  };
}

/** Markdown without links, on one line. */
function plain(text) {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('./tenon', 'tenon')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
