/** Checks the relative links and anchors of Markdown documents, without building anything. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const FENCE = /^([ >]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ >]*\2`*~*[ \t]*$/gm;

/** A document without its code: blocks become nothing, spans keep their place. */
export function withoutCode(markdown) {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(FENCE, '')
    .replaceAll(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (span) => 'x'.repeat(span.length));
}

/** The anchor that GitHub and the site give to a heading. */
export function anchorOf(heading) {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** All anchors of a document: headings, repeated ones with a number, and `id` or `name` of HTML. */
export function anchorsOf(markdown) {
  const anchors = new Set();
  const seen = new Map();
  const text = markdown.replaceAll(FENCE, '');
  for (const [, heading = ''] of text.matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/gm)) {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`);
    seen.set(anchor, before + 1);
  }
  for (const [, id = ''] of text.matchAll(/<[a-z][^>]*\s(?:id|name)="([^"]+)"/gi)) anchors.add(id);
  return anchors;
}

/** The targets that a document links to and that are in this repository. */
export function linksOf(markdown) {
  const text = withoutCode(markdown);
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...text.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/gm)];
  const images = [...text.matchAll(/<(?:img|a)\b[^>]*\s(?:src|href)="([^"]+)"/gi)];
  return [...inline, ...references, ...images]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/** What is wrong with the links of the documents; each line names the document, the link and the reason. */
export function brokenLinks(root, documents) {
  const anchors = new Map();
  const anchorsIn = (path) => {
    if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(join(root, path), 'utf8')));
    return anchors.get(path);
  };
  return documents.flatMap((document) =>
    linksOf(readFileSync(join(root, document), 'utf8')).flatMap((link) => {
      const problem = problemOf(link);
      return problem === undefined ? [] : [`${document}: ${link}: ${problem}`];

      function problemOf(target) {
        const [path = '', anchor] = target.split('#', 2);
        if (path.startsWith('/')) return 'begins with a slash; link relative to the document';
        const file = path === '' ? document : normalize(join(dirname(document), decodeURIComponent(path)));
        if (file.startsWith('..')) return 'leaves the repository';
        if (!existsSync(join(root, file))) return 'does not exist';
        if (anchor === undefined || anchor === '' || !file.endsWith('.md') || statSync(join(root, file)).isDirectory())
          return undefined;
        return anchorsIn(file).has(decodeURIComponent(anchor).toLowerCase()) ? undefined : 'has no such heading';
      }
    }),
  );
}
