/** The tables and the plot of the edit corpus. */
import { readFileSync, writeFileSync } from 'node:fs';

const MARKS = /(<!-- corpus: made by `npm run bench -- edit-corpus` -->)([\s\S]*?)(<!-- end of corpus -->)/;
const COLORS = ['#c2571a', '#2d6cdf', '#2f8f5b', '#8a5bd1', '#b8860b'];

/** What a person reads: rows by drift with percentages, and sizes by mode. */
export function summaryOf({ edits, tally, payload }) {
  const drifts = Object.entries(tally).map(([name, modes]) => {
    const cells = Object.entries(modes).map(([mode, { exact, refused, wrong }]) => ({ mode, exact, refused, wrong }));
    const runs = Math.max(...cells.map((cell) => cell.exact + cell.refused + cell.wrong));
    const mustRefuse = name.startsWith('target ');
    return { name, runs, mustRefuse, cells };
  });
  const sizes = Object.entries(payload).map(([mode, bytes]) => ({ mode, bytes: bytes / edits }));
  return { edits, drifts, sizes };
}

/** Puts the tables into the page. */
export function fillPage(path, summary) {
  const page = readFileSync(path, 'utf8');
  if (!MARKS.test(page)) throw new Error(`${path} has no marks for the tables`);
  writeFileSync(path, page.replace(MARKS, `$1\n\n${tables(summary)}\n\n$3`));
}

function tables({ edits, drifts, sizes }) {
  const modes = sizes.map(({ mode }) => mode);
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const line = row(['---', '---:', ...modes.map(() => '---:')]);
  const share = ({ exact, refused, wrong }) => `${Math.round((1000 * exact) / (exact + refused + wrong)) / 10}%`;
  const body = drifts.map(({ name, runs, mustRefuse, cells }) =>
    row([name, runs, ...cells.map((cell) => (mustRefuse ? `${cell.refused} refused` : share(cell)))]),
  );
  const wrong = drifts.flatMap(({ cells }) => cells).reduce((sum, cell) => sum + cell.wrong, 0);
  const total = drifts.reduce(
    (sum, { cells }) => sum + cells.reduce((all, cell) => all + cell.exact + cell.refused + cell.wrong, 0),
    0,
  );
  const least = Math.min(...sizes.map(({ bytes }) => bytes));
  const size = [
    row(['', ...modes]),
    row(['---', ...modes.map(() => '---:')]),
    row(['bytes per edit', ...sizes.map(({ bytes }) => Math.round(bytes))]),
    row(['about tokens (4 bytes each)', ...sizes.map(({ bytes }) => Math.round(bytes / 4))]),
    row(['in relation to the smallest', ...sizes.map(({ bytes }) => (bytes / least).toFixed(2))]),
  ];
  return [
    `${edits} edits, ${total.toLocaleString('en')} runs: **${wrong} wrong files**. Byte-exact results, the rest was refused:`,
    '',
    row(['drift', 'edits', ...modes]),
    line,
    ...body,
    '',
    '![Byte-exact edits by drift and mode](../../bench/results/edit-drift.svg)',
    '',
    'Size of the arguments:',
    '',
    ...size,
  ].join('\n');
}

/** Bars of byte-exact results, one group for each drift that can be survived. */
export function driftPlot({ edits, drifts, sizes }) {
  const modes = sizes.map(({ mode }) => mode);
  const shown = drifts.filter(({ mustRefuse }) => !mustRefuse);
  const [width, label, bar, gap, top] = [860, 220, 9, 14, 84];
  const room = width - label - 80;
  const parts = [];
  let y = top;
  for (const { name, cells } of shown) {
    parts.push(text(label - 10, y + (bar * cells.length) / 2 + 4, name, 'text-anchor="end"'));
    for (const [index, { exact, refused, wrong }] of cells.entries()) {
      const share = exact / Math.max(1, exact + refused + wrong);
      parts.push(
        `<rect x="${label}" y="${y}" width="${Math.max(1, share * room).toFixed(1)}" height="${bar - 1}" fill="${COLORS[index]}"/>`,
      );
      y += bar;
    }
    const best = Math.max(...cells.map(({ exact, refused, wrong }) => exact / Math.max(1, exact + refused + wrong)));
    parts.push(
      text(
        label + Math.max(1, best * room) + 8,
        y - (bar * cells.length) / 2 + 4,
        `${Math.round(best * 1000) / 10}%`,
        'class="dim"',
      ),
    );
    y += gap;
  }
  const legend = modes.map((mode, index) => {
    const x = label + index * 110;
    return `<rect x="${x}" y="56" width="12" height="12" fill="${COLORS[index]}"/>${text(x + 18, 67, mode)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 10}" width="${width}" height="${y + 10}" role="img" aria-label="Byte-exact edits by drift and mode">
<style>text{font:13px system-ui,sans-serif;fill:#1f2733}.dim{fill:#5b6575;font-size:12px}.title{font-size:17px;font-weight:600}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(16, 28, 'Byte-exact edits by drift and mode', 'class="title"')}
${text(16, 46, `${edits} edits; the rest was refused, no file came out wrong. The number is the best mode's.`, 'class="dim"')}
${legend.join('\n')}
${parts.join('\n')}
</svg>
`;
}

function text(x, y, content, attributes = '') {
  const safe = String(content).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${Number(x.toFixed(1))}" y="${Number(y.toFixed(1))}" ${attributes}>${safe}</text>`;
}
