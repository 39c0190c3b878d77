import { createHash } from 'node:crypto';
import type { Session } from '@tenon/sessions/api';
import { titleOf } from './markdown.ts';
import { html, Markup } from './markup.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { type ShownEntry, shownTree } from './tree.ts';

const MAX_DEPTH = 12;

/** A session as one page of HTML that needs no network and no other file. */
export function renderPage(session: Session): string {
  const { header } = session;
  const tree = shownTree(session);
  const first = tree.find(({ view }) => view.kind === 'user')?.view.summary;
  const title = titleOf(header.title ?? '') || first || `Session ${session.id}`;
  // Made apart from the rest: the policy knows them by their exact text, blanks included.
  const [style, script] = [new Markup(`<style>${STYLE}</style>`), new Markup(`<script>${SCRIPT}</script>`)];
  // Only this script and this style may run: whatever the transcript holds stays text.
  const policy = `default-src 'none'; img-src data:; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="generator" content="Tenon" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <dl>${facts(session, tree)}</dl>
        </header>
        <nav aria-label="Entries">
          <div class="bar">
            <button id="unfold" type="button">Unfold all</button> <button id="fold" type="button">Fold all</button>
          </div>
          <ol>
            ${tree.map(treeItem)}
          </ol>
        </nav>
        <main>${tree.map(article)}</main>
        ${script}
      </body>
    </html> `.text;
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function facts(session: Session, tree: readonly ShownEntry[]): Markup[] {
  let [tokens, cost] = [0, 0];
  const models = new Set<string>();
  for (const { entry } of tree) {
    if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
    tokens += entry.message.usage?.totalTokens ?? 0;
    cost += entry.message.usage?.cost?.total ?? 0;
    models.add(`${entry.message.provider}/${entry.message.model}`);
  }
  const { id, header } = session;
  const rows: [string, string][] = [
    ['Session', id],
    ['Folder', header.cwd],
    ['Started', header.timestamp],
    ['Models', [...models].join(', ') || 'none'],
    ['Tokens', String(tokens)],
    ['Cost', `$${cost.toFixed(4)}`],
  ];
  return rows.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}

function treeItem({ entry, view, depth, onBranch, label }: ShownEntry): Markup {
  const tag = label === undefined ? undefined : html`<span class="label">${label}</span>`;
  const text = view.summary || view.heading;
  return html`<li
    class="${view.kind}${onBranch ? ' on' : ''}"
    data-id="${entry.id}"
    data-depth="${Math.min(depth, MAX_DEPTH)}"
  >
    <a href="#e-${entry.id}" title="${text}">${tag}${text}</a>
  </li> `;
}

function article({ entry, view, parent, onBranch }: ShownEntry): Markup {
  const heading = view.heading === '' ? undefined : html`<h2>${view.heading}</h2>`;
  return html`<article
    class="${view.kind}"
    id="e-${entry.id}"
    data-id="${entry.id}"
    data-parent="${parent ?? ''}"
    ${!onBranch && html`hidden`}
  >
    ${heading}${view.body}
  </article> `;
}
