/** Which styles are on at a place of a text. */

/** Codes that turn a kind of style on, by the kind. */
const KINDS: readonly (readonly [kind: string, isOn: (code: number) => boolean, off: readonly number[]])[] = [
  ['bold', (code) => code === 1, [22]],
  ['dim', (code) => code === 2, [22]],
  ['italic', (code) => code === 3, [23]],
  ['underline', (code) => code === 4 || code === 21, [24]],
  ['blink', (code) => code === 5 || code === 6, [25]],
  ['inverse', (code) => code === 7, [27]],
  ['hidden', (code) => code === 8, [28]],
  ['strike', (code) => code === 9, [29]],
  ['fg', (code) => (code >= 30 && code <= 37) || (code >= 90 && code <= 97), [39]],
  ['bg', (code) => (code >= 40 && code <= 47) || (code >= 100 && code <= 107), [49]],
];

// oxlint-disable-next-line no-control-regex -- it is a control sequence
const STYLE = /^\u001b\[([\d;:]*)m$/;

/** Follows the styles of a text. */
export class StyleState {
  readonly #on = new Map<string, string>();

  /** Takes note of a sequence; those that are no styles mean nothing. */
  note(sequence: string): void {
    const body = STYLE.exec(sequence)?.[1];
    if (body === undefined) return;
    const codes = body.split(';');
    for (let at = 0; at < codes.length; at++) {
      const code = Number(codes[at]?.split(':')[0] || 0);
      if (code === 38 || code === 48) {
        // `38;5;N` and `38;2;R;G;B`, or all of it with colons.
        const length = codes[at]?.includes(':') === true ? 1 : codes[at + 1] === '5' ? 3 : 5;
        this.#on.set(code === 38 ? 'fg' : 'bg', codes.slice(at, at + length).join(';'));
        at += length - 1;
      } else this.#noteCode(code);
    }
  }

  #noteCode(code: number): void {
    if (code === 0) this.#on.clear();
    for (const [kind, isOn, off] of KINDS) {
      if (isOn(code)) this.#on.set(kind, String(code));
      else if (off.includes(code)) this.#on.delete(kind);
    }
  }

  /** The sequence that turns on what is on. */
  open(): string {
    return this.#on.size === 0 ? '' : `\u001b[${[...this.#on.values()].join(';')}m`;
  }

  /** The sequence that ends what is on; it stays noted. */
  close(): string {
    return this.#on.size === 0 ? '' : '\u001b[0m';
  }
}
