/** The accessibility tree as Playwright writes it: one element on each line, deeper ones indented. */

const BOX = / \[box=(-?[\d.]+),(-?[\d.]+),([\d.]+),([\d.]+)\]/;
/** Elements of frames have places of their own. */
const FRAME = /\[ref=f\d+e\d+\]/;

/** Without the places of elements. */
export function withoutBoxes(snapshot: string): string {
  return snapshot
    .split('\n')
    .map((line) => line.replace(BOX, ''))
    .join('\n');
}

/** Only what lies in the viewport, and what is written below it without a place of its own. */
export function onlyVisible(
  snapshot: string,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const kept: string[] = [];
  /** How deep the element is that was left out last; what is deeper and has no place goes with it. */
  let outside = Number.POSITIVE_INFINITY;
  for (const line of snapshot.split('\n')) {
    const depth = line.search(/\S/);
    const box = BOX.exec(line);
    if (box && !FRAME.test(line)) {
      const [x = 0, y = 0, w = 0, h = 0] = box.slice(1).map(Number);
      const isVisible = x < width && y < height && x + w > 0 && y + h > 0 && w > 0 && h > 0;
      outside = isVisible ? Number.POSITIVE_INFINITY : depth;
      if (isVisible) kept.push(line.replace(BOX, ''));
    } else if (depth <= outside) {
      outside = Number.POSITIVE_INFINITY;
      kept.push(line.replace(BOX, ''));
    }
  }
  return kept.join('\n');
}
