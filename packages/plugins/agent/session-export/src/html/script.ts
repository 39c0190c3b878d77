/** What the page can do: show another branch, fold and unfold. Without it the active branch is there to read. */
export const SCRIPT = `
'use strict';
const articles = new Map([...document.querySelectorAll('article[data-id]')].map((article) => [article.dataset.id, article]));
const items = new Map([...document.querySelectorAll('nav li[data-id]')].map((item) => [item.dataset.id, item]));
const newestChild = new Map();
for (const [id, article] of articles) if (article.dataset.parent) newestChild.set(article.dataset.parent, id);

function pathThrough(id) {
  let leaf = id;
  while (newestChild.has(leaf)) leaf = newestChild.get(leaf);
  const path = new Set();
  for (let at = leaf; at; at = articles.get(at)?.dataset.parent) path.add(at);
  return path;
}

function show(id) {
  const target = articles.get(id);
  if (!target) return;
  if (target.hidden) {
    const path = pathThrough(id);
    for (const [other, article] of articles) article.hidden = !path.has(other);
    for (const [other, item] of items) item.classList.toggle('on', path.has(other));
  }
  for (const item of items.values()) item.firstElementChild.removeAttribute('aria-current');
  items.get(id)?.firstElementChild.setAttribute('aria-current', 'true');
  target.scrollIntoView({ block: 'start' });
}

document.querySelector('nav').addEventListener('click', (event) => {
  const item = event.target.closest('li[data-id]');
  if (!item) return;
  event.preventDefault();
  history.replaceState(null, '', '#e-' + item.dataset.id);
  show(item.dataset.id);
});
addEventListener('hashchange', () => show(location.hash.slice(3)));
if (location.hash.startsWith('#e-')) show(location.hash.slice(3));

for (const [button, open] of [['unfold', true], ['fold', false]])
  document.getElementById(button).addEventListener('click', () => {
    for (const details of document.querySelectorAll('main details')) details.open = open;
  });
`;
