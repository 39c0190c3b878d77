/** What an SGR parameter does: sets the attribute in a slot, or ends those from a slot up to another. */
type Effect = { readonly set: number } | { readonly from: number; readonly to: number };

/** Intensity has two slots because bold and faint can be on together, and end together. */
const EFFECTS = new Map<number, Effect>([
  ...[
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 3],
    [21, 3],
    [5, 4],
    [6, 4],
    [7, 5],
    [8, 6],
    [9, 7],
    [58, 10],
    [53, 11],
  ].map(([code, slot]) => [code!, { set: slot! }] as const),
  ...codes(30, 38)
    .concat(codes(90, 97))
    .map((code) => [code, { set: 8 }] as const),
  ...codes(40, 48)
    .concat(codes(100, 107))
    .map((code) => [code, { set: 9 }] as const),
  [22, { from: 0, to: 2 }],
  ...[
    [23, 2],
    [24, 3],
    [25, 4],
    [27, 5],
    [28, 6],
    [29, 7],
    [39, 8],
    [49, 9],
    [59, 10],
    [55, 11],
  ].map(([code, slot]) => [code!, { from: slot!, to: slot! + 1 }] as const),
]);

/** The style (SGR) that is in force at a point of the text, kept small however often it was set. */
export class Style {
  #slots: (string | undefined)[] = [];

  /** True when nothing is in force. */
  get isPlain(): boolean {
    return this.#slots.every((slot) => slot === undefined);
  }

  /** The sequence that puts this style in force; empty when it is plain. */
  get opening(): string {
    return this.isPlain ? '' : `\x1b[${this.#slots.filter((slot) => slot !== undefined).join(';')}m`;
  }

  /** Takes in the parameters of one SGR sequence (`1;31` of `ESC[1;31m`). */
  apply(parameters: string): void {
    const parts = parameters.split(';');
    for (let at = 0; at < parts.length; at++) {
      let value = parts[at]!;
      const code = Number(value.split(':', 1)[0]);
      if (value === '38' || value === '48' || value === '58') {
        // The colour follows as parameters of its own: 5;n or 2;r;g;b.
        const mode = parts[at + 1];
        const fields = parts.slice(at + 1, at + 2 + (mode === '5' ? 1 : mode === '2' ? 3 : 0));
        value = [value, ...fields].join(';');
        at += fields.length;
      }
      const effect = EFFECTS.get(code);
      if (code === 0) this.#slots = [];
      else if (effect && 'set' in effect) this.#slots[effect.set] = value === '4:0' ? undefined : value;
      else if (effect) for (let slot = effect.from; slot < effect.to; slot++) this.#slots[slot] = undefined;
    }
  }
}

/** The length of an SGR sequence at `at`, or 0. */
export function styleLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x5b) return 0;
  let end = at + 2;
  for (let code = text.charCodeAt(end); code >= 0x30 && code <= 0x3b; code = text.charCodeAt(end)) end++;
  return text.charCodeAt(end) === 0x6d ? end + 1 - at : 0;
}

function codes(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
