/** A program in a real pseudo-terminal with a terminal of xterm.js in front, whose screen can be drawn as a picture. */
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';

/** @typedef {{ text: string, fg: string, bg: string, bold: boolean, italic: boolean, dim: boolean, underline: boolean, column: number, width: number }} Piece */

const PALETTES = {
  dark: { background: '#12161c', foreground: '#d8dbe2' },
  light: { background: '#ffffff', foreground: '#24292f' },
};
/** xterm's sixteen colours. */
const SIXTEEN = [
  '#000000',
  '#cd3131',
  '#0dbc79',
  '#e5e510',
  '#2472c8',
  '#bc3fbc',
  '#11a8cd',
  '#e5e5e5',
  '#666666',
  '#f14c4c',
  '#23d18b',
  '#f5f543',
  '#3b8eea',
  '#d670d6',
  '#29b8db',
  '#ffffff',
];

/** Starts a program; `background` is what the terminal says when it is asked. */
export class TerminalView {
  constructor(program, words, { cwd, env, columns = 100, rows = 28, background = 'dark' }) {
    this.columns = columns;
    this.rows = rows;
    this.palette = PALETTES[background];
    this.xterm = new headless.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
    this.child = pty.spawn(program, words, {
      cols: columns,
      rows,
      cwd,
      env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...env },
    });
    this.child.onData((data) => this.#take(data));
    this.xterm.onData((data) => this.child.write(data));
    this.ended = new Promise((resolve) => this.child.onExit(resolve));
  }

  #take(data) {
    // xterm.js without a page does not know its colours; the program asks for the background.
    if (data.includes('\x1b]11;?')) {
      const [r, g, b] = [1, 3, 5].map((at) => this.palette.background.slice(at, at + 2));
      this.child.write(`\x1b]11;rgb:${r}${r}/${g}${g}/${b}${b}\x1b\\`);
    }
    this.xterm.write(data);
  }

  type(...keys) {
    for (const key of keys) this.child.write(key);
  }

  get text() {
    const { active } = this.xterm.buffer;
    return Array.from(
      { length: this.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    ).join('\n');
  }

  /** Waits until the screen shows a text. */
  async shows(wanted, limit = 30_000) {
    const started = Date.now();
    while (!this.text.includes(wanted)) {
      if (Date.now() - started > limit) throw new Error(`the screen does not show "${wanted}":\n${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    // What belongs to the same frame comes at once.
    await new Promise((resolve) => setTimeout(resolve, 250));
  }

  /** The rows of the screen in pieces of one look. @returns {Piece[][]} */
  pieces() {
    const { active } = this.xterm.buffer;
    return Array.from({ length: this.rows }, (_, row) =>
      rowPieces(active.getLine(active.viewportY + row), this.columns, this.palette),
    );
  }

  close() {
    this.child.kill('SIGKILL');
  }
}

function rowPieces(line, columns, palette) {
  if (!line) return [];
  const pieces = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    const width = cell?.getWidth() ?? 0;
    if (!cell || width === 0) continue;
    const look = lookOf(cell, palette);
    const last = pieces.at(-1);
    const text = cell.getChars() || ' ';
    if (last && width === 1 && last.width === last.text.length && sameLook(last, look)) {
      last.text += text;
      last.width += 1;
    } else pieces.push({ text, column, width, ...look });
  }
  return pieces.filter(({ text, bg }) => text.trim() !== '' || bg !== palette.background);
}

function lookOf(cell, palette) {
  const isInverse = Boolean(cell.isInverse());
  const [ink, ground] = [colour(cell, 'Fg', palette.foreground), colour(cell, 'Bg', palette.background)];
  return {
    fg: isInverse ? ground : ink,
    bg: isInverse ? ink : ground,
    bold: Boolean(cell.isBold()),
    italic: Boolean(cell.isItalic()),
    dim: Boolean(cell.isDim()),
    underline: Boolean(cell.isUnderline()),
  };
}

const sameLook = (a, b) => ['fg', 'bg', 'bold', 'italic', 'dim', 'underline'].every((key) => a[key] === b[key]);

function colour(cell, which, otherwise) {
  const value = cell[`get${which}Color`]();
  if (cell[`is${which}RGB`]()) return `#${value.toString(16).padStart(6, '0')}`;
  if (!cell[`is${which}Palette`]()) return otherwise;
  if (value < 16) return SIXTEEN[value];
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`;
  const level = (part) => [0, 95, 135, 175, 215, 255][part % 6].toString(16).padStart(2, '0');
  const at = value - 16;
  return `#${level(Math.floor(at / 36))}${level(Math.floor(at / 6))}${level(at)}`;
}

const LETTER = 8.43;
const LINE = 18;

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The rows as elements of an SVG. @param {Piece[][]} rows @param {string} background */
export function svgRows(rows, background) {
  return rows.flatMap((pieces, row) =>
    pieces.flatMap(({ text, column, width, fg, bg, bold, italic, dim, underline }) => {
      const [x, y] = [16 + column * LETTER, 40 + row * LINE];
      const ground =
        bg === background
          ? []
          : [
              `<rect x="${x.toFixed(1)}" y="${y - 13}" width="${(width * LETTER).toFixed(1)}" height="${LINE}" fill="${bg}"/>`,
            ];
      if (text.trim() === '') return ground;
      const style = [
        bold && 'font-weight="700"',
        italic && 'font-style="italic"',
        dim && 'opacity="0.7"',
        underline && 'text-decoration="underline"',
      ]
        .filter(Boolean)
        .join(' ');
      return [
        ...ground,
        `<text x="${x.toFixed(1)}" y="${y}" fill="${fg}" ${style} textLength="${(width * LETTER).toFixed(1)}" xml:space="preserve">${escape(text)}</text>`,
      ];
    }),
  );
}

/** The frame of a window around rows. */
export function svgWindow(content, { columns, rows, background, label, style = '' }) {
  const [width, height] = [Math.ceil(columns * LETTER) + 32, rows * LINE + 44];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">
<style>text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; } ${style}</style>
<rect width="100%" height="100%" rx="8" fill="${background}" stroke="#3d444d"/>
<circle cx="18" cy="16" r="5" fill="#f28b82"/><circle cx="34" cy="16" r="5" fill="#fdd663"/><circle cx="50" cy="16" r="5" fill="#81c995"/>
${content.join('\n')}
</svg>
`;
}
