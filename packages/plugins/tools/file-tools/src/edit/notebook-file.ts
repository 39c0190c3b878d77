/** Notebooks in edits: modes see the text of the cells, the file keeps its JSON. */
import { type Documents, kindOf, type NotebookCells } from '@tenon/documents/api';
import { TenonError } from '@tenon/kernel';
import type { EditFile, PlannedEdit } from '../api.ts';
import { errors } from '../errors.ts';

/** What is in the file behind the text that a mode sees. */
const notebooks = new WeakMap<EditFile, { readonly stored: Uint8Array; readonly cells: NotebookCells }>();

/** The file as its cells, if it is a notebook. */
export async function asCells(file: EditFile, documents: () => Promise<Documents>): Promise<EditFile> {
  const { content, path, shownPath } = file;
  if (!content || kindOf(path, content) !== 'notebook') return file;
  const service = await documents();
  const open = async (bytes: Uint8Array) => {
    try {
      return await service.cells(bytes, shownPath);
    } catch (fault) {
      if (!(fault instanceof TenonError)) throw fault;
      throw errors.create('FILE_TOOLS_NOTEBOOK', { reason: fault.message.replace(/\.$/, '') }, fault);
    }
  };
  const cells = await open(content);
  const seen: Uint8Array[] = [];
  // What was seen before the file became a notebook is no view of its cells.
  for (const view of file.seen) if (kindOf(path, view) === 'notebook') seen.push(Buffer.from((await open(view)).text));
  const shown = { ...file, content: Buffer.from(cells.text), seen };
  notebooks.set(shown, { stored: content, cells });
  return shown;
}

/** What the file holds now. */
export function storedContent(file: EditFile): Uint8Array | undefined {
  return notebooks.get(file)?.stored ?? file.content;
}

/** What the file will hold when its text becomes `after`. */
export function storedForm(
  file: EditFile,
  after: NonNullable<PlannedEdit['after']>,
): NonNullable<PlannedEdit['after']> {
  const notebook = notebooks.get(file);
  if (!notebook) return after;
  const text = after instanceof Uint8Array ? after : Buffer.concat(after);
  try {
    return notebook.cells.withText(Buffer.from(text).toString('utf8'));
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    const reason = fault.message.replace(/\.$/, '');
    throw errors.create('FILE_TOOLS_NOTEBOOK', { reason }, fault);
  }
}
