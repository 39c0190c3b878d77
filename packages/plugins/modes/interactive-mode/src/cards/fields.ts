/** Reads inputs and results that may have any shape: the model still writes them, or a stranger made them. */
import type { ToolView } from '@tenon/screen-slots/api';

/** An object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty one. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The value if it is a text, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a finite number. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The value if it is a list, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The texts of a list; a single text counts as a list of one, as models write it. */
export const textsOf = (value: unknown): string[] =>
  (typeof value === 'string' ? [value] : listOf(value)).filter((entry) => typeof entry === 'string');

/** The facts of a result. */
export const detailsOf = ({ result }: Pick<ToolView, 'result'>): Fields => fieldsOf(fieldsOf(result)['details']);

/** The text of a result. */
export function resultText({ result }: Pick<ToolView, 'result'>): string {
  const parts = listOf(fieldsOf(result)['content']).map(fieldsOf);
  return parts.flatMap((part) => (part['type'] === 'text' ? [textOf(part['text'])] : [])).join('\n');
}

/** One note for each image of a result: its kind and size. */
export function imageNotes({ result }: Pick<ToolView, 'result'>): string[] {
  const parts = listOf(fieldsOf(result)['content']).map(fieldsOf);
  return parts.flatMap((part) => {
    if (part['type'] !== 'image') return [];
    const bytes = Math.floor((textOf(part['data']).length * 3) / 4);
    return [`[${textOf(part['mimeType']) || 'image'}, ${Math.max(1, Math.round(bytes / 1024))} KB]`];
  });
}

/** True when there is a result and it says that the call failed. */
export const isFailure = ({ result, state }: Pick<ToolView, 'result' | 'state'>): boolean =>
  state === 'failed' || fieldsOf(result)['isError'] === true;
