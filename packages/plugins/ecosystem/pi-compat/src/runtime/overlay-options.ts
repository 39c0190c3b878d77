/** Where pi's extensions want their overlays, as data. */
const NUMBERS = ['minWidth', 'offsetX', 'offsetY'] as const;
const LENGTHS = ['width', 'maxHeight', 'row', 'col'] as const;
const SIDES = ['top', 'right', 'bottom', 'left'] as const;

/** The part of pi's overlay options that crosses to Tenon. */
export function placementOf(options: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const placement: Record<string, unknown> = {};
  for (const name of NUMBERS) if (isNumber(options[name])) placement[name] = options[name];
  for (const name of LENGTHS) if (isLength(options[name])) placement[name] = options[name];
  if (typeof options['anchor'] === 'string') placement['anchor'] = options['anchor'];
  const { margin } = options;
  if (isNumber(margin)) placement['margin'] = margin;
  else if (typeof margin === 'object' && margin !== null) {
    const sides = margin as Readonly<Record<string, unknown>>;
    placement['margin'] = Object.fromEntries(
      SIDES.flatMap((side) => (isNumber(sides[side]) ? [[side, sides[side]]] : [])),
    );
  }
  return placement;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isLength(value: unknown): boolean {
  return isNumber(value) || (typeof value === 'string' && /^\d+(?:\.\d+)?%$/.test(value));
}
