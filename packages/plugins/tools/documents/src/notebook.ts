/** Jupyter notebooks as their cells. */
import type { DocumentText } from './api.ts';
import { errors } from './errors.ts';

const MAX_OUTPUT_LINES = 20;
const MAX_OUTPUT_CHARS = 2000;

interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

/** Each cell under a line `# %% [kind] cell:N`, with the text of its outputs as comments. */
export function notebookText(bytes: Uint8Array, name: string): DocumentText {
  let notebook: { cells?: unknown; metadata?: { kernelspec?: { display_name?: unknown } } };
  try {
    notebook = JSON.parse(Buffer.from(bytes).toString('utf8')) as typeof notebook;
  } catch (fault) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a notebook', reason: 'it is not valid JSON' }, fault);
  }
  if (!Array.isArray(notebook?.cells)) {
    throw errors.create('DOCUMENTS_UNREADABLE', { name, kind: 'a notebook', reason: 'it has no cells' });
  }
  const cells = (notebook.cells as Cell[]).map(cellText);
  const kernel = notebook.metadata?.kernelspec?.display_name;
  return {
    text: cells.join('\n'),
    notes: [
      `notebook, ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}${typeof kernel === 'string' ? `, ${kernel}` : ''}; :raw shows its JSON`,
    ],
  };
}

function cellText(cell: Cell, index: number): string {
  const source = linesOf(cell.source);
  const outputs = (Array.isArray(cell.outputs) ? (cell.outputs as Record<string, unknown>[]) : []).map(outputText);
  const shown = outputs.filter((text) => text !== '').map((text) => text.replaceAll(/^/gm, '# > '));
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type : 'raw';
  return `${[`# %% [${kind}] cell:${index}`, source.replace(/\n$/, ''), ...shown].join('\n')}\n`;
}

/** A text of a notebook is a string or a list of lines. */
function linesOf(value: unknown): string {
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
