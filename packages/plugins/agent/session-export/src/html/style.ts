/** How the page looks. Light or dark, as the reader's system is. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #666; --user: #2b6cb0; --bad: #b02a2a; --good: #22673f; --hunk: #6b46c1;
  --added: #22673f1f; --removed: #b02a2a1f; font: 15px/1.55 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  :root { --dim: #a0a0a0; --user: #7ab8f5; --bad: #f28b82; --good: #81c995; --hunk: #c5a8ff; --added: #81c99526; --removed: #f28b8226; }
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template: auto 1fr / minmax(14rem, 22rem) 1fr; height: 100vh; }
body > header { grid-column: 1 / -1; padding: .7rem 1.2rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.1rem; margin: 0; }
dl { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .3rem 0 0; color: var(--dim); font-size: .85rem; }
dl div { display: flex; gap: .4rem; } dd { margin: 0; color: CanvasText; overflow-wrap: anywhere; }
nav { overflow: auto; border-right: 1px solid var(--line); padding: .5rem 0; font-size: .85rem; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .1rem .8rem; color: inherit; text-decoration: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; opacity: .55; }
nav a:hover { background: var(--soft); } nav .on a { opacity: 1; } nav .user a { color: var(--user); font-weight: 600; } nav .failed a { color: var(--bad); }
nav a[aria-current] { background: var(--line); }
${Array.from({ length: 12 }, (_, depth) => `nav [data-depth="${depth + 1}"] a { padding-left: ${0.8 + (depth + 1) * 0.9}rem; }`).join('\n')}
nav .label { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3rem; margin-right: .3rem; }
main { overflow: auto; padding: 1rem clamp(1rem, 4vw, 4rem) 6rem; }
.bar { padding: .3rem .8rem .6rem; } button { font: inherit; cursor: pointer; }
article { max-width: 60rem; margin: 0 0 1rem; } article[hidden] { display: none; }
article:target > h2 { text-decoration: underline; }
.prose h3, .prose h4, .prose h5, .prose h6 { font-size: 1.05rem; margin: 1rem 0 .3rem; } .prose h3 { font-size: 1.2rem; }
article > h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--dim); margin: 0 0 .2rem; }
article.user { border-left: 3px solid var(--user); padding-left: .8rem; }
article.change p { color: var(--dim); margin: 0; font-size: .85rem; }
article footer, .hint { color: var(--dim); font-size: .8rem; } .failure, .failed > summary > b, .failed > summary > .hint { color: var(--bad); }
details.tool, details.thinking { border: 1px solid var(--line); border-radius: 5px; margin: .3rem 0; padding: .2rem .6rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } .subject { font-family: ui-monospace, monospace; font-size: .9em; } .more > summary { color: var(--dim); font-size: .85rem; }
.tool h3 { font-size: .8rem; color: var(--dim); font-weight: 600; margin: .5rem 0 .2rem; }
dl.arguments { display: block; margin: .4rem 0; color: inherit; } .arguments > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .6rem; padding: .1rem 0; }
.arguments dt { color: var(--dim); overflow-wrap: anywhere; } .arguments dd > pre { margin: .2rem 0; } .arguments code { overflow-wrap: anywhere; }
.arguments ul { margin: 0; padding-left: 1.1rem; } .arguments dl { font-size: inherit; margin-top: 0; }
ul.plan { list-style: none; margin: .2rem 0 .5rem; padding: 0; } .plan .mark { display: inline-block; width: 1.2rem; text-align: center; }
.plan .completed .mark { color: var(--good); } .plan .in-progress { font-weight: 600; } .plan .abandoned { color: var(--dim); text-decoration: line-through; } .plan .hint { padding-left: 1.5rem; font-weight: 400; }
pre { overflow: auto; max-height: 36rem; background: var(--soft); border-radius: 5px; padding: .6rem; font: 13px/1.45 ui-monospace, monospace; }
code { font-family: ui-monospace, monospace; } pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
img { max-width: 100%; } table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .2rem .5rem; }
.prose > :first-child { margin-top: 0; } .prose > :last-child { margin-bottom: 0; }
.diff > span { display: block; } .diff .added { background: var(--added); color: var(--good); } .diff .removed { background: var(--removed); color: var(--bad); }
.diff .hunk { color: var(--hunk); } .diff .meta { font-weight: 600; }
@media (max-width: 50rem) { body { display: block; height: auto; } nav { max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } }
@media print { nav { display: none; } body { display: block; height: auto; } main { overflow: visible; } }
`;
