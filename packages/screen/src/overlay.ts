/** Overlays lie on the live rows, never on finished ones: those belong to the terminal. */
import { CURSOR_MARKER, type Component, type TextColumns } from './component.ts';
import { isImage } from './image-rows.ts';

/** Where an overlay lies and how wide it is. */
export interface OverlayOptions {
  /** Columns; the whole width unless given. Cut to the screen. */
  readonly width?: number;
  /** Where it lies from left to right; in the middle unless given. */
  readonly align?: 'left' | 'center' | 'right';
}

/** A component and where it lies. */
export interface Overlay extends OverlayOptions {
  readonly component: Component;
}

/** The live rows with the overlay on them, at their foot; blank rows come on top where it is taller. */
export function layOver(rows: readonly string[], overlay: Overlay, width: number, text: TextColumns): string[] {
  const columns = Math.max(1, Math.min(width, Math.floor(overlay.width ?? width)));
  const over = overlay.component.render(columns);
  const free = width - columns;
  const left = { left: 0, center: free >> 1, right: free }[overlay.align ?? 'center'];
  const missing = Array.from({ length: Math.max(0, over.length - rows.length) }, () => '');
  // The caret is the overlay's while one is shown.
  const under = [...missing, ...rows].map((row) => row.replaceAll(CURSOR_MARKER, ''));
  const from = under.length - over.length;
  return under.map((row, at) => {
    const top = over[at - from];
    if (top === undefined) return row;
    // An image cannot be covered in part.
    const plain = text.sanitize(isImage(row) ? '' : row, { keepStyle: true, keepLinks: true });
    const fit = fitTo(top, columns, text);
    return fitTo(plain, left, text) + fit + text.slice(plain, left + columns, width);
  });
}

/** The row in exactly this many columns; the caret's marker stays where it was. */
function fitTo(row: string, columns: number, text: TextColumns): string {
  const marker = row.indexOf(CURSOR_MARKER);
  const clean = (part: string) => text.sanitize(part, { keepStyle: true, keepLinks: true }).replaceAll(/[\n\t]/g, ' ');
  const plain = clean(row.replaceAll(CURSOR_MARKER, ''));
  const cut = text.slice(plain, 0, columns);
  const padded = cut + ' '.repeat(Math.max(0, columns - text.width(cut)));
  if (marker < 0) return padded;
  const at = Math.min(text.width(clean(row.slice(0, marker))), columns);
  return text.slice(padded, 0, at) + CURSOR_MARKER + text.slice(padded, at, columns);
}
