/**
 * Programs of blocks that are almost the same, and what people do to them as blocks: move, sort, wrap, copy and adapt them, rename a word everywhere,
 * take one away. Every line keeps its identity, so that the right results are known.
 */
import type { CorpusEdit, LineHunk } from './mutations.ts';
import type { Random } from './random.ts';
import type { RepeatCase } from './repeats.ts';

type Rewrite = (line: string) => string;

/** A line, and which line of the file as it was read it is. */
interface Row {
  readonly origin: number | undefined;
  text: string;
  /** It does not say what it did. */
  isChanged: boolean;
  /** How its indentation was changed; new lines in its place are indented alike. */
  rewrites: readonly Rewrite[];
}

interface World {
  rows: Row[];
  readonly random: Random;
  ending: '\n' | '\r\n';
  /** Where the first line of the edit is. */
  readonly target: () => number;
}

const NAMES = ['User', 'Order', 'Item', 'Cart', 'Token', 'Cart1'];
const SHARED_WORDS = ['row', 'log', 'id', 'answer', 'server', 'count', 'name', 'app'];

const BLOCKS: readonly ((name: string) => string[])[] = [
  (name) => [
    ...[`function load${name}(id) {`, '  if (!id) {', '    return null;', '  }'],
    ...[`  const row = db.get('${name}', id);`, '  log(row);', '  return row;', '}', ''],
  ],
  (name) => [
    ...[
      `function save${name}(row) {`,
      '  try {',
      `    db.put('${name}', row);`,
      '  } catch (error) {',
      '    log(error);',
    ],
    ...['    throw error;', '  }', '}', ''],
  ],
  (name) => [
    ...[`  it('handles ${name}', async () => {`, '    const server = await start();'],
    ...[`    const answer = await server.get('/${name}');`, '    expect(answer.status).toBe(200);', '  });', ''],
  ],
  (name) => [`    case '${name}':`, '      count += 1;', '      break;'],
  (name) => [`const ${name} = {`, '  id: 0,', "  name: '',", '  active: true,', '};', ''],
  (name) => [`class ${name}:`, '    def reset(self):', '        self.id = 0', '        self.name = ""', '', ''],
  (name) => [`  - name: ${name}`, '    image: app:latest', '    ports:', '      - 80', '    restart: always'],
];

/** One case; undefined when the text does not tell what has happened. */
export function nearIdenticalCase(random: Random): RepeatCase | undefined {
  const before = program(random);
  const hunks = drawHunks(before, random);
  const first = hunks[0];
  if (!first || hunks.some((hunk) => canSlide(before, hunk))) return undefined;
  const target = first.start === first.end ? first.start - 1 : first.start;
  const world: World = {
    rows: before.map((text, origin) => ({ origin, text, isChanged: false, rewrites: [] })),
    random,
    ending: '\n',
    target: () => world.rows.findIndex(({ origin }) => origin === target),
  };
  const steps: string[] = [];
  for (let count = 1 + random.below(3); count > 0 && world.rows.length > 0; count--) {
    const name = random.pick(Object.keys(DRIFTS));
    DRIFTS[name]?.(world);
    steps.push(name);
  }
  const { rows, ending } = world;
  if (rows.length === 0 || (ending === '\n' && rows.every(({ text }, at) => text === before[at]))) return undefined;
  if (!isTold(before, rows)) return undefined;
  const source = { path: 'a.ts', language: 'typescript', text: textOf(before, '\n') };
  const id = hunks.map(({ start, end, lines }) => `${start}-${end}: ${lines.length}`).join(', ');
  const edit = { id, source, kind: 'replace', before, hunks } as CorpusEdit;
  const results = resultsOf(before, rows, hunks).map((lines) => textOf(lines, ending));
  // Between two changes in one text, no one can say which of equal lines has had which blanks behind it.
  const compared = (text: string) => (hunks.length > 1 ? text.replaceAll(/[ \t]+(?=\r?\n)/g, '') : text);
  const isRight = (result: string) => results.some((text) => compared(text) === compared(result));
  return {
    edit,
    content: textOf(
      rows.map(({ text }) => text),
      ending,
    ),
    isRight,
    steps,
  };
}

function program(random: Random): string[] {
  const lines = random.below(3) === 0 ? ['// header', ''] : [];
  const names = random.below(3) === 0 ? NAMES.slice(0, 2) : NAMES;
  for (let count = random.below(4); count > 0; count--)
    lines.push(`import { ${random.pick(['log', 'db'])} } from './${random.pick(['log', 'db', 'both'])}.js';`);
  const only = random.below(2) === 0 ? random.pick(BLOCKS) : undefined;
  for (let count = 2 + random.below(6); count > 0; count--)
    lines.push(...(only ?? random.pick(BLOCKS))(random.pick(names)));
  return lines;
}

function drawHunks(before: readonly string[], random: Random): LineHunk[] {
  const indent = (line: number) => /^\s*/.exec(before[line] ?? '')?.[0] ?? '';
  const start = 1 + random.below(before.length - 1);
  const kind = random.pick(['replace', 'replace', 'delete', 'insert'] as const);
  const end = kind === 'insert' ? start : Math.min(before.length, start + 1 + random.below(4));
  const lines = Array.from({ length: 1 + random.below(3) }, (_, index) => `${indent(start)}edited${index}();`);
  const hunks: LineHunk[] = [{ start, end, lines: kind === 'delete' ? [] : lines }];
  const second = end + 2 + random.below(40);
  if (second < before.length - 1) hunks.push({ start: second, end: second + 1, lines: [`${indent(second)}second();`] });
  return hunks;
}

/** Whether taking away the lines above or below leaves the same: then a mode that knows only texts cannot say which are meant. */
function canSlide(before: readonly string[], { start, end, lines }: LineHunk): boolean {
  return lines.length === 0 && (before[start - 1] === before[end - 1] || before[start] === before[end]);
}

/** What people do to such a file. One that has no room for it stays as it is. */
const DRIFTS: Readonly<Record<string, (world: World) => void>> = {
  'a word renamed everywhere': ({ rows, random }) => {
    const word = random.pick(SHARED_WORDS);
    for (const row of rows) change(row, row.text.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), `${word}2`));
  },
  'a block wrapped': (world) => {
    const { start, end } = someBlock(world);
    for (const row of world.rows.slice(start, end)) rewrite(row, (line) => (line.trim() === '' ? line : `  ${line}`));
    world.rows.splice(end, 0, fresh('}'));
    world.rows.splice(start, 0, fresh('if (ready) {'));
  },
  'all indented otherwise': ({ rows, random }) => {
    const unit = random.pick(['\t', '    ']);
    for (const row of rows) rewrite(row, (line) => line.replace(/^ +/, (blanks) => blanks.replaceAll('  ', unit)));
  },
  'a block moved': (world) => {
    const { start, end } = someBlock(world);
    const block = world.rows.splice(start, end - start);
    world.rows.splice(blockAt(world, world.random.below(world.rows.length + 1)).start, 0, ...block);
  },
  'blocks sorted': (world) => {
    const blocks: Row[][] = [];
    for (let at = 0; at < world.rows.length;) {
      const { end } = blockAt(world, at);
      blocks.push(world.rows.slice(at, end));
      at = end;
    }
    world.rows = blocks.toSorted(([a], [b]) => ((a?.text ?? '') < (b?.text ?? '') ? -1 : 1)).flat();
  },
  'a block removed': (world) => {
    const { start, end } = someBlock(world);
    world.rows.splice(start, end - start);
  },
  'a block copied and one of the two adapted': (world) => {
    const { start, end } = someBlock(world);
    const block = world.rows.slice(start, end);
    const copy = block.map(({ text }) => fresh(text));
    world.rows.splice(world.random.below(2) === 0 ? start : end, 0, ...copy);
    const row = world.random.pick(world.random.below(2) === 0 ? copy : block);
    change(
      row,
      row.text.replace(/[A-Z]\w*|\w+/, (word) => `${word}Copy`),
    );
  },
  'another block added': (world) => {
    const block = world.random.pick(BLOCKS)(world.random.pick(NAMES));
    world.rows.splice(someBlock(world).start, 0, ...block.map(fresh));
  },
  'lines beside it removed': (world) => {
    const at = world.target();
    if (at > 0) world.rows.splice(Math.max(0, at - 2 + world.random.below(4)), 1 + world.random.below(2));
  },
  'a line changed': ({ rows, random }) => {
    const row = random.pick(rows);
    change(row, random.pick([`${row.text} // note`, `// ${row.text}`]));
  },
  'an import twice': ({ rows }) => {
    const at = rows.findIndex(({ text }) => text.startsWith('import'));
    if (at >= 0) rows.splice(at, 0, fresh(rows[at]?.text ?? ''));
  },
  'blanks at line ends': ({ rows, random }) => {
    for (const row of rows) if (random.below(3) === 0) row.text += '  ';
  },
  'other line endings': (world) => {
    world.ending = '\r\n';
  },
};

function fresh(text: string): Row {
  return { origin: undefined, text, isChanged: false, rewrites: [] };
}

function change(row: Row, text: string): void {
  row.isChanged ||= text !== row.text;
  row.text = text;
}

function rewrite(row: Row, how: Rewrite): void {
  row.text = how(row.text);
  row.rewrites = [...row.rewrites, how];
}

/** A block, mostly one near the edit. */
function someBlock(world: World): { start: number; end: number } {
  const target = world.target();
  const near = target >= 0 && world.random.below(3) > 0 ? target - 6 + world.random.below(13) : -1;
  const at = near < 0 ? world.random.below(world.rows.length) : near;
  return blockAt(world, Math.min(at, world.rows.length - 1));
}

/** The lines between blank ones, with the blank one behind them. */
function blockAt({ rows }: World, at: number): { start: number; end: number } {
  const isBlank = (line: number) => rows[line]?.text.trim() === '';
  let start = at;
  while (start > 0 && !isBlank(start - 1)) start--;
  let end = at;
  while (end < rows.length && !isBlank(end)) end++;
  return { start, end: Math.min(rows.length, end + 1) };
}

/** Whether no simpler story ends in the same text: of equal blocks, nobody sees which one was moved, or copied and taken away. */
function isTold(before: readonly string[], rows: readonly Row[]): boolean {
  const bare = (line: string | undefined) => line?.trim();
  const byText = longestInOrder(before.length, rows.length, (line, at) => bare(before[line]) === bare(rows[at]?.text));
  const byLine = longestInOrder(
    before.length,
    rows.length,
    (line, at) => rows[at]?.origin === line && bare(before[line]) === bare(rows[at]?.text),
  );
  return byLine >= byText;
}

function longestInOrder(lines: number, places: number, isSame: (line: number, at: number) => boolean): number {
  let row = new Uint16Array(places + 1);
  for (let line = 0; line < lines; line++) {
    const next = new Uint16Array(places + 1);
    for (let at = 0; at < places; at++)
      next[at + 1] = isSame(line, at) ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0);
    row = next;
  }
  return row[places] ?? 0;
}

interface Place {
  readonly at: number;
  readonly size: number;
  readonly lines: readonly string[];
}

/** All results that are right: an insert belongs to either of its neighbours, and none is left when lines of the edit are changed or apart. */
function resultsOf(before: readonly string[], rows: readonly Row[], hunks: readonly LineHunk[]): string[][] {
  let all: Place[][] = [[]];
  for (const hunk of hunks) {
    const places = placesOf(before, rows, hunk);
    all = all.flatMap((chosen) => places.map((place) => [...chosen, place]));
  }
  return all.map((places) => {
    const lines = rows.map(({ text }) => text);
    for (const { at, size, lines: added } of places.toSorted((a, b) => b.at - a.at || b.size - a.size))
      lines.splice(at, size, ...added);
    return lines;
  });
}

function placesOf(before: readonly string[], rows: readonly Row[], { start, end, lines }: LineHunk): Place[] {
  const isOf = (at: number, line: number) => {
    const row = rows[at];
    return row?.origin === line && !row.isChanged && row.text.trim() === before[line]?.trim();
  };
  /** Which of equal lines in a row is which nobody can tell, and nothing depends on it. */
  const isInRun = (at: number, line: number) =>
    [-1, 1].some((way) => {
      for (let other = at; rows[other]?.text.trim() === rows[at]?.text.trim() && other in rows; other += way)
        if (isOf(other, line)) return true;
      return false;
    });
  const written = (at: number, size: number, like: Row | undefined): Place => ({
    at,
    size,
    lines: lines.map((line) => (like?.rewrites ?? []).reduce((text, how) => how(text), line)),
  });
  if (end > start) {
    const inside = Array.from({ length: end - start }, (_, index) => index);
    return rows.flatMap((_, at) =>
      inside.every((index) => isInRun(at + index, start + index))
        ? rows.slice(at, at + inside.length).map((row) => written(at, inside.length, row))
        : [],
    );
  }
  return rows.flatMap((row, at) => {
    if (row.origin !== start - 1 && row.origin !== start) return [];
    const gap = row.origin === start ? at : at + 1;
    return [rows[gap - 1], rows[gap]].map((like) => written(gap, 0, like));
  });
}

function textOf(lines: readonly string[], ending: string): string {
  return lines.map((line) => line + ending).join('');
}
