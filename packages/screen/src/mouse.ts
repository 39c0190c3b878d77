/** The mouse, as terminals report it in SGR form; only the fullscreen asks for it. */

/** Presses and the wheel, in SGR form: no motion, so that a terminal's own selection works with Shift. */
export const TRACK_MOUSE = '\x1b[?1000h\x1b[?1006h';
/** Takes the above back. */
export const IGNORE_MOUSE = '\x1b[?1006l\x1b[?1000l';

/** Something the mouse did; row and column are counted from 0. */
export interface MouseEvent {
  readonly kind: 'press' | 'release' | 'wheel-up' | 'wheel-down';
  readonly button: number;
  readonly row: number;
  readonly column: number;
}

// oxlint-disable-next-line no-control-regex -- it is a control sequence
const SGR_MOUSE = /^\x1b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])$/;
const WHEEL = 64;

/** Reads a report of the mouse; nothing for other reports. */
export function readMouse(report: string): MouseEvent | undefined {
  const match = SGR_MOUSE.exec(report);
  if (!match) return undefined;
  const code = Number(match[1]);
  const place = { row: Number(match[3]) - 1, column: Number(match[2]) - 1 };
  if ((code & WHEEL) !== 0) {
    const direction = code & 3;
    // 2 and 3 are the wheel to the sides.
    if (direction > 1) return undefined;
    return { kind: direction === 0 ? 'wheel-up' : 'wheel-down', button: 0, ...place };
  }
  return { kind: match[4] === 'M' ? 'press' : 'release', button: code & 3, ...place };
}
