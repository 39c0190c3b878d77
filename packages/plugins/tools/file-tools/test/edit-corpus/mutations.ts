/** Edits as a programmer would make them, worked out on the syntax tree. */
import type { Accelerators } from '@tenon/native';
import { lineChanges } from '../../src/edit/line-changes.ts';
import { Random } from './random.ts';
import type { CorpusSource } from './sources.ts';

/** Lines `start` to before `end` (from 0) become `lines`; every one of them changes. */
export interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** One edit of a file. */
export interface CorpusEdit {
  readonly id: string;
  readonly source: CorpusSource;
  /** What kind of change it is. */
  readonly kind: string;
  /** The file's lines before. */
  readonly before: readonly string[];
  readonly hunks: readonly LineHunk[];
}

type Tree = Extract<Awaited<ReturnType<Accelerators['syntax']['tree']>>, { ok: true }>['value'];

interface Node {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly isLeaf: boolean;
}

/** One replacement of a text, by characters. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Mutation = (source: CorpusSource, nodes: readonly Node[], random: Random) => readonly Change[] | undefined;

const LITERAL = /string_fragment|string_content|interpreted_string_literal_content|number|integer|float|int_literal/;

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'change a literal': (source, nodes, random) => {
    const leaves = nodes.filter(
      ({ kind, isLeaf, start, end }) => isLeaf && LITERAL.test(kind) && isOneLine(source, start, end),
    );
    return leaves.length === 0 ? undefined : [changedLeaf(source, random.pick(leaves), random)];
  },
  'rename in one statement': (source, nodes, random) => {
    const names = nodes.filter(
      ({ kind, isLeaf, start, end }) => isLeaf && /identifier|inline/.test(kind) && isOneLine(source, start, end),
    );
    if (names.length === 0) return undefined;
    const { start, end } = random.pick(names);
    return [{ start, end, text: `${source.text.slice(start, end)}${random.pick(['Next', '2', 'Renamed'])}` }];
  },
  'delete a statement': (source, nodes, random) => {
    const whole = wholeLineNodes(source, nodes);
    if (whole.length === 0) return undefined;
    const { start, end } = random.pick(whole);
    return [{ start: lineStart(source.text, start), end: lineEnd(source.text, end), text: '' }];
  },
  'insert a statement': (source, nodes, random) => {
    const whole = wholeLineNodes(source, nodes);
    if (whole.length === 0) return undefined;
    const { end } = random.pick(whole);
    const other = random.pick(whole);
    const at = lineEnd(source.text, end);
    const text = source.text.slice(lineStart(source.text, other.start), lineEnd(source.text, other.end));
    return [{ start: at, end: at, text: `${changeWords(text, random)}` }];
  },
  'rewrite a statement': (source, nodes, random) => {
    const whole = wholeLineNodes(source, nodes);
    if (whole.length === 0) return undefined;
    const node = random.pick(whole);
    const [start, end] = [lineStart(source.text, node.start), lineEnd(source.text, node.end)];
    const text = source.text.slice(start, end);
    const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
    return [{ start, end, text: `${indent}${comment(source.language, 'rewritten')}\n${changeWords(text, random)}` }];
  },
  'swap two statements': (source, nodes, random) => {
    const whole = wholeLineNodes(source, nodes);
    const pairs = whole.flatMap((one) =>
      whole
        .filter(({ start }) => start > one.end && source.text.slice(one.end, start).trim() === '')
        .map((two) => [one, two] as const),
    );
    if (pairs.length === 0) return undefined;
    const [one, two] = random.pick(pairs);
    const lines = (node: Node) => source.text.slice(lineStart(source.text, node.start), lineEnd(source.text, node.end));
    const between = source.text.slice(lineEnd(source.text, one.end), lineStart(source.text, two.start));
    return [
      {
        start: lineStart(source.text, one.start),
        end: lineEnd(source.text, two.end),
        text: lines(two) + between + lines(one),
      },
    ];
  },
  'change two places': (source, nodes, random) => {
    const leaves = nodes.filter(
      ({ kind, isLeaf, start, end }) =>
        isLeaf && (LITERAL.test(kind) || /identifier|inline/.test(kind)) && isOneLine(source, start, end),
    );
    if (leaves.length < 2) return undefined;
    const [one, two] = [random.pick(leaves), random.pick(leaves)];
    if (one.end + 80 > two.start && two.end + 80 > one.start) return undefined;
    return [changedLeaf(source, one, random), changedLeaf(source, two, random)];
  },
};

/** Makes edits of a source, each of them with a result that differs. */
export async function makeEdits(
  syntax: Accelerators['syntax'],
  source: CorpusSource,
  count: number,
  seed: number,
): Promise<CorpusEdit[]> {
  const tree = await syntax.tree({ content: source.text, language: source.language });
  if (!tree.ok) throw new Error(`${source.path}: ${tree.reason}`);
  const nodes = nodesOf(tree.value, source.text);
  const random = new Random(seed);
  const kinds = Object.keys(MUTATIONS);
  const edits: CorpusEdit[] = [];
  for (let tries = 0; edits.length < count && tries < count * 30; tries++) {
    const kind = kinds[tries % kinds.length] ?? '';
    const changes = MUTATIONS[kind]?.(source, nodes, random);
    const after = changes && applied(source.text, changes);
    if (after === undefined || after === source.text || after.includes('\r')) continue;
    const before = linesOf(source.text);
    const hunks = lineChanges(before, linesOf(after));
    const size = hunks.reduce((sum, { start, end, lines }) => sum + end - start + lines.length, 0);
    if (hunks.length > 0 && size <= 40)
      edits.push({ id: `${source.path}#${edits.length}`, source, kind, before, hunks });
  }
  return edits;
}

/** The lines of a text that ends with a line ending. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Offsets of the tree are bytes. */
function nodesOf(tree: Tree, text: string): Node[] {
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const charAt = (byte: number) => (isAscii ? byte : bytes.toString('utf8', 0, byte).length);
  const nodes: Node[] = [];
  const visit = (node: Tree): void => {
    const children = node.children ?? [];
    if (!node.anonymous) {
      nodes.push({
        kind: node.kind,
        start: charAt(node.start),
        end: charAt(node.end),
        isLeaf: !children.some((child) => !child.anonymous),
      });
    }
    for (const child of children) visit(child);
  };
  visit(tree);
  return nodes;
}

/** Nodes that have lines to themselves, a trailing comma or semicolon aside. */
function wholeLineNodes({ text, language }: CorpusSource, nodes: readonly Node[]): Node[] {
  return nodes.filter(({ start, end, kind }) => {
    if (start === end || kind === 'program' || kind === 'document' || kind === 'source_file' || kind === 'module')
      return false;
    const from = lineStart(text, start);
    const until = lineEnd(text, end);
    const isAlone = text.slice(from, start).trim() === '' && /^[,;]?\s*$/.test(text.slice(end, until));
    const count = text.slice(from, until).split('\n').length - 1;
    return isAlone && count >= 1 && count <= (language === 'markdown' ? 4 : 12);
  });
}

function isOneLine({ text }: CorpusSource, start: number, end: number): boolean {
  return end > start && !text.slice(start, end).includes('\n');
}

function changedLeaf({ text }: CorpusSource, { start, end }: Node, random: Random): Change {
  const old = text.slice(start, end);
  const number = /^\d+$/.test(old) ? String(Number(old) + 1 + random.below(9)) : undefined;
  return { start, end, text: number ?? `${old}${random.pick(['_x', ' more', 'New'])}` };
}

/** Changes some of the words, so that a copy is no exact twin. */
function changeWords(text: string, random: Random): string {
  let changed = false;
  const next = text.replaceAll(/[A-Za-z_]{4,}/g, (word) => {
    if (random.below(4) !== 0) return word;
    changed = true;
    return `${word}${random.pick(['A', 'B', 'Two'])}`;
  });
  return changed ? next : text.replace(/[A-Za-z0-9_]+/, '$&X');
}

function comment(language: string, text: string): string {
  if (language === 'python') return `# ${text}`;
  if (language === 'json') return `"${text}": true,`;
  return language === 'markdown' ? `<!-- ${text} -->` : `// ${text}`;
}

function applied(text: string, changes: readonly Change[]): string | undefined {
  const ordered = [...changes].sort((a, b) => a.start - b.start);
  let result = '';
  let from = 0;
  for (const { start, end, text: substitute } of ordered) {
    if (start < from) return undefined;
    result += text.slice(from, start) + substitute;
    from = end;
  }
  return result + text.slice(from);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Behind the line's ending. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
