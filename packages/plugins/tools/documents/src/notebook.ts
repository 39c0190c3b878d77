/** Jupyter notebooks as their cells. */
import type { DocumentText } from './api.ts';
import { errors } from './errors.ts';

const MAX_OUTPUT_LINES = 20;
const MAX_OUTPUT_CHARS = 2000;

/** A cell as the file has it. */
export interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

/** The parts of a notebook that are looked at. */
export interface Notebook {
  readonly cells: readonly Cell[];
  readonly nbformat?: unknown;
  readonly nbformat_minor?: unknown;
  readonly metadata?: { readonly kernelspec?: { readonly display_name?: unknown } };
}

/** Reads the file; refuses what is no notebook. */
export function readNotebook(bytes: Uint8Array, name: string): Notebook {
  let notebook: Partial<Notebook> | null;
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    notebook = JSON.parse(text.replace(/^\uFEFF/, '')) as typeof notebook;
  } catch (fault) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a notebook', reason: 'it is not valid JSON' }, fault);
  }
  if (!Array.isArray(notebook?.cells)) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a notebook', reason: 'it has no cells' });
  }
  return notebook as Notebook;
}

/** Each cell under a line `# %% [kind] cell:N`, with the text of its outputs as comments. */
export function notebookText(bytes: Uint8Array, name: string): DocumentText {
  const notebook = readNotebook(bytes, name);
  const cells = notebook.cells.map(cellText);
  const kernel = notebook.metadata?.kernelspec?.display_name;
  return {
    text: cells.join('\n'),
    notes: [
      `notebook, ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}${typeof kernel === 'string' ? `, ${kernel}` : ''}; :raw shows its JSON`,
    ],
  };
}

function cellText(cell: Cell, index: number): string {
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type : 'raw';
  return `${[`# %% [${kind}] cell:${index}`, sourceOf(cell), ...outputLines(cell)].join('\n')}\n`;
}

/** The text of a cell; the line break at its end is not shown. */
export function sourceOf({ source }: Cell): string {
  return linesOf(source).replace(/\n$/, '');
}

/** What a cell has printed, as comments. */
export function outputLines({ outputs }: Cell): string[] {
  const texts = (Array.isArray(outputs) ? (outputs as Record<string, unknown>[]) : []).map(outputText);
  return texts.filter((text) => text !== '').flatMap((text) => text.split('\n').map((line) => `# > ${line}`));
}

/** A text of a notebook is a string or a list of lines. */
export function linesOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function outputText(output: Readonly<Record<string, unknown>>): string {
  if (output['output_type'] === 'error') return `${String(output['ename'])}: ${String(output['evalue'])}`;
  const data = (output['data'] ?? {}) as Readonly<Record<string, unknown>>;
  const plain = linesOf(output['text'] ?? data['text/plain']);
  const others = Object.keys(data).filter((type) => type.startsWith('image/'));
  const text = [plain.trimEnd(), ...others.map((type) => `[${type}]`)].filter(Boolean).join('\n');
  const lines = text.slice(0, MAX_OUTPUT_CHARS).split('\n');
  const isCut = lines.length > MAX_OUTPUT_LINES || text.length > MAX_OUTPUT_CHARS;
  return isCut ? [...lines.slice(0, MAX_OUTPUT_LINES), '…'].join('\n') : text;
}
