import { PLUGIN_GROUPS, pluginPackages } from '../workspace.mjs';
import { floorPackages } from './plugins-page.mjs';

const WIDTH = 1060;
const MARGIN = 20;
const LABEL = 172;
const GAP = 8;
/** About the width of a letter, in parts of its size; the browser's font decides, so there is some room. */
const LETTER = 0.6;
const NAME_SIZE = 13;
const SLOT_SIZE = 11;
const SLOT_HEIGHT = 14;
/** More slots than these stand in columns beside each other. */
const SLOTS_IN_COLUMN = 6;

/**
 * docs/design/architecture.svg: programs, floors of plugins with the slots they define, and the ground they stand on; all from
 * the manifests. It has its own background, light or dark as the reader's system is.
 * @param {string} root
 */
export function architecturePicture(root) {
  const plugins = pluginPackages(root).map(({ folder, json }) => {
    const [, , group, name] = folder.split('/');
    return { group, name, lines: json.tenon.defines?.slots ?? [] };
  });
  const floors = Object.entries(PLUGIN_GROUPS)
    .toReversed()
    .map(([group, purpose]) => ({
      title: group,
      text: purpose,
      boxes: plugins.filter((plugin) => plugin.group === group),
      kind: 'floor',
    }));
  const bands = [
    {
      title: 'programs',
      text: 'They choose the plugins that run together.',
      boxes: [box('packages/cli'), box('packages/sdk')],
      kind: 'program',
    },
    ...floors,
    {
      title: 'packages',
      text: 'What many plugins need and none owns.',
      boxes: floorPackages(root).map((name) => box(name)),
      kind: 'ground',
    },
    {
      title: 'native',
      text: 'Hot paths in Rust; each has a twin.',
      boxes: [box('native', ['addon in Rust', 'JavaScript and', 'WebAssembly twins'])],
      kind: 'ground',
    },
  ];
  const parts = [];
  let top = 64;
  for (const band of bands) {
    const { text, height } = drawBand(band, top);
    parts.push(text);
    top += height + GAP;
  }
  const slots = plugins.reduce((sum, { lines }) => sum + lines.length, 0);
  const head = `${plugins.length} plugins on ${floors.length} floors, with ${slots} slots. A plugin imports from its own floor and from those below, never from above.`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top + MARGIN - GAP}" role="img" aria-labelledby="title">
<!-- Made by \`npm run generate\`. Do not edit. -->
<title id="title">The architecture of Tenon: ${escape(head)}</title>
<style>
svg { --back: #ffffff; --text: #1f2328; --dim: #59636e; --line: #d1d9e0; --floor: #f6f8fa; --box: #ffffff; --slot: #0a5cba; --program: #fff4e0; --ground: #eaf5ec; background: var(--back); }
@media (prefers-color-scheme: dark) { svg { --back: #0d1117; --text: #f0f6fc; --dim: #9198a1; --line: #3d444d; --floor: #151b23; --box: #212830; --slot: #79b8ff; --program: #2d2411; --ground: #12261a; } }
text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--text); }
.head { font-size: 20px; font-weight: 600; } .dim { fill: var(--dim); font-size: 11px; } .title { font-size: 14px; font-weight: 600; }
.name { font-size: ${NAME_SIZE}px; } .slot { font-size: ${SLOT_SIZE}px; fill: var(--slot); font-family: ui-monospace, monospace; }
.floor { fill: var(--floor); } .program { fill: var(--program); } .ground { fill: var(--ground); } .band { stroke: var(--line); } .box { fill: var(--box); stroke: var(--line); }
</style>
<rect width="100%" height="100%" fill="var(--back)"/>
<text class="head" x="${MARGIN}" y="30">Tenon</text>
<text class="dim" x="${MARGIN}" y="50">${escape(head)} <tspan class="slot">Slots</tspan> are where others contribute.</text>
${parts.join('\n')}
</svg>
`;
  return { path: 'docs/design/architecture.svg', text };
}

function box(name, lines = []) {
  return { name, lines };
}

/** One floor: its name and purpose on the left, its boxes in rows on the right. */
function drawBand({ title, text, boxes, kind }, top) {
  const rows = [];
  const left = MARGIN + LABEL;
  let [x, y, rowHeight] = [left, top + GAP, 0];
  for (const { name, lines } of boxes) {
    const columns = inColumns(lines);
    const widths = columns.map(
      (column) => Math.ceil(Math.max(...column.map((line) => line.length)) * SLOT_SIZE * LETTER) + 12,
    );
    const slotsWidth = widths.reduce((sum, value) => sum + value, 0);
    const width = Math.max(Math.ceil(name.length * NAME_SIZE * LETTER), slotsWidth) + 18;
    const height = 26 + Math.max(0, ...columns.map((column) => column.length)) * SLOT_HEIGHT;
    if (x > left && x + width > WIDTH - MARGIN - GAP) [x, y, rowHeight] = [left, y + rowHeight + GAP, 0];
    rows.push(
      `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/><text class="name" x="${x + 9}" y="${y + 17}">${escape(name)}</text>`,
      ...columns.flatMap((column, at) => {
        const columnLeft = x + 9 + widths.slice(0, at).reduce((sum, value) => sum + value, 0);
        return column.map(
          (line, index) =>
            `<text class="slot" x="${columnLeft}" y="${y + 32 + index * SLOT_HEIGHT}">${escape(line)}</text>`,
        );
      }),
    );
    x += width + GAP;
    rowHeight = Math.max(rowHeight, height);
  }
  const purpose = wrapped(text, 25);
  const height = Math.max(y + rowHeight + GAP - top, 30 + purpose.length * 14);
  const label = [
    `<text class="title" x="${MARGIN + 10}" y="${top + 22}">${escape(title)}</text>`,
    ...purpose.map(
      (line, index) => `<text class="dim" x="${MARGIN + 10}" y="${top + 38 + index * 14}">${escape(line)}</text>`,
    ),
  ];
  const band = `<rect class="band ${kind}" x="${MARGIN}" y="${top}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="6"/>`;
  return { text: [band, ...label, ...rows].join('\n'), height };
}

/** @param {readonly string[]} lines @returns {string[][]} */
function inColumns(lines) {
  const count = Math.ceil(lines.length / SLOTS_IN_COLUMN);
  return Array.from({ length: count }, (_, at) => lines.slice(at * SLOTS_IN_COLUMN, (at + 1) * SLOTS_IN_COLUMN));
}

/** @param {string} text @param {number} length @returns {string[]} */
function wrapped(text, length) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '' || last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`.trim();
    else lines.push(word);
  }
  return lines;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
