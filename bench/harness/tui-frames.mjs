/**
 * Frames as a person sees them, the same way for every program: output that comes together (with less than 2 ms of silence in
 * it) is one burst, and a burst after which the screen shows other text is a frame. Brackets of synchronized output do not
 * count: not every program writes them around every frame.
 */
import headless from '@xterm/headless';

const SILENCE_MS = 2;

/** @typedef {{ at: number, data: Buffer } | { at: number, size: [columns: number, rows: number] }} Step */

/**
 * Plays all output of a program to a terminal again, when nothing is measured any more, and counts the frames of a time.
 * @param {readonly Step[]} steps since the start of the program @param {{ cols: number, rows: number }} size
 * @param {number} from @param {number} to
 */
export async function countFrames(steps, size, from, to) {
  const terminal = new headless.Terminal({ ...size, scrollback: 100, allowProposedApi: true });
  const written = (data) => new Promise((resolve) => terminal.write(data, () => resolve(undefined)));
  let frames = 0;
  let shown = '';
  for (const burst of bursts(steps)) {
    if ('size' in burst) terminal.resize(...burst.size);
    else await written(burst.data);
    if (burst.at > to) break;
    const before = shown;
    if (burst.at >= from || shown === '') shown = screenText(terminal);
    if (burst.at >= from && shown !== before && before !== '') frames += 1;
  }
  terminal.dispose();
  return frames;
}

/** @param {readonly Step[]} steps @returns {Generator<Step>} */
function* bursts(steps) {
  /** @type {{ at: number, last: number, parts: Buffer[] } | undefined} */
  let open;
  for (const step of steps) {
    const isNext = 'data' in step && open !== undefined && step.at - open.last < SILENCE_MS;
    if (open && isNext) {
      open.parts.push(step.data);
      open.last = step.at;
      continue;
    }
    if (open) yield { at: open.at, data: Buffer.concat(open.parts) };
    open = 'data' in step ? { at: step.at, last: step.at, parts: [step.data] } : undefined;
    if ('size' in step) yield step;
  }
  if (open) yield { at: open.at, data: Buffer.concat(open.parts) };
}

/** @param {import('@xterm/headless').Terminal} terminal */
function screenText(terminal) {
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: terminal.rows }, (_, at) => buffer.getLine(buffer.baseY + at));
  return rows.map((row) => row?.translateToString(true) ?? '').join('\n');
}
