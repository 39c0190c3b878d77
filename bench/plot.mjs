/** Draws a result as horizontal bars, one group per case. Hand-written SVG: no library, readable in a diff and on GitHub. */

const WIDTH = 860;
const LABEL_WIDTH = 210;
const VALUE_WIDTH = 130;
const BAR = 18;
const BAR_GAP = 4;
const GROUP_GAP = 22;
const TOP = 64;
const COLORS = { ours: '#c2571a', peers: ['#8a94a6', '#a9b3c3', '#6d7789', '#c3cad6', '#565f70'] };

/**
 * Every case has its own scale, because cases differ by orders of magnitude; inside a case bars compare directly.
 * @param {import('./harness/report.mjs').Result & { machine?: Record<string, unknown> }} result @returns {string}
 */
export function plot({ title, name, unit, rows, machine }) {
  const parts = [];
  let y = TOP;
  for (const row of rows) {
    parts.push(text(16, y + 13, row.case, 'class="case"'));
    const ratio = `ratio ${round(row.ratio)}${row.target === undefined ? '' : ` (target ${row.target})`}`;
    parts.push(text(WIDTH - 16, y + 13, ratio, 'text-anchor="end" class="dim"'));
    y += 22;
    const bars = [
      ['Tenon', row.ours, COLORS.ours],
      ...Object.entries(row.peers).map(([peer, value], index) => [peer, value, peerColor(index)]),
    ];
    const most = Math.max(...bars.map(([, value]) => value), Number.MIN_VALUE);
    for (const [label, value, color] of bars) {
      const length = Math.max(1, (value / most) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH));
      parts.push(text(LABEL_WIDTH - 10, y + 13, label, 'text-anchor="end"'));
      parts.push(
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" rx="2" fill="${color}"/>`,
      );
      parts.push(text(LABEL_WIDTH + length + 8, y + 13, `${round(value)} ${unit}`));
      y += BAR + BAR_GAP;
    }
    y += GROUP_GAP;
  }
  const height = y + 16;
  const where = machine ? `${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, Node ${machine.node}` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title ?? name)}">
<style>text{font:13px system-ui,sans-serif;fill:#1f2733}.dim{fill:#5b6575;font-size:12px}.case{font-weight:600}.title{font-size:17px;font-weight:600}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(16, 28, title ?? name, 'class="title"')}
${text(16, 46, `${unit}, shorter bars are better; each case has its own scale. ${where}`, 'class="dim"')}
${parts.join('\n')}
</svg>
`;
}

function peerColor(index) {
  return COLORS.peers[index % COLORS.peers.length];
}

function text(x, y, content, attributes = '') {
  return `<text x="${Number(x.toFixed(1))}" y="${y}" ${attributes}>${escape(content)}</text>`;
}

function escape(value) {
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}
