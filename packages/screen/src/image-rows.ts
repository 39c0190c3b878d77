/**
 * Rows that carry an image. The first row holds the sequence behind a mark that only this process knows, so that no text
 * can pass for one; the rows below it are blank. Frames write such a row whole or not at all.
 */
import { randomUUID } from 'node:crypto';

let mark = '';

/** Made when the first image is: most sessions show none. */
const markOf = (): string => (mark ||= `\x1b_tenon-image:${randomUUID()};`);

/** What a row says about its image. */
interface ImageRow {
  readonly columns: number;
  readonly rows: number;
  /** Kitty's number for the image; 0 where cells hold it, and writing over them removes it. */
  readonly id: number;
  readonly sequence: string;
}

/** The rows for an image of this size: the first draws it, the others keep its place. */
export function markedRows(image: ImageRow): string[] {
  const first = `${markOf()}${image.columns};${image.rows};${image.id};${image.sequence}`;
  return [first, ...Array.from({ length: image.rows - 1 }, () => '')];
}

/** Whether the row carries an image. */
export function isImage(row: string): boolean {
  return mark !== '' && row.startsWith(mark);
}

/** What the row says about its image. */
export function readImage(row: string): ImageRow | undefined {
  if (!isImage(row)) return undefined;
  const [columns = '', rows = '', id = ''] = row.slice(mark.length, mark.length + 40).split(';', 3);
  const start = mark.length + columns.length + rows.length + id.length + 3;
  return { columns: Number(columns), rows: Number(rows), id: Number(id), sequence: row.slice(start) };
}

/** How many rows below this one a drawn image blanks itself. */
export function rowsBlanked(row: string): number {
  return (readImage(row)?.rows ?? 1) - 1;
}

/** Takes images off the screen that no longer stand where they were; those that cells hold go with their cells. */
export function removedImages(before: readonly string[], next: readonly string[]): string {
  if (mark === '') return '';
  let out = '';
  for (const [at, row] of before.entries()) {
    const id = row === next[at] ? 0 : (readImage(row)?.id ?? 0);
    if (id > 0) out += `\x1b_Ga=d,d=i,i=${id},q=2\x1b\\`;
  }
  return out;
}

/** The rows with images that do not stand in them whole taken out: a cut image would cover what is below. */
export function wholeImages(rows: readonly string[], columns: number, height: number): readonly string[] {
  if (mark === '' || !rows.some(isImage)) return rows;
  return rows.map((row, at) => {
    const image = readImage(row);
    if (!image) return row;
    const room = rows.slice(at + 1, at + image.rows).filter((below) => below === '').length + 1;
    return image.columns <= columns && image.rows <= height && room === image.rows ? row : '(image)'.slice(0, columns);
  });
}
