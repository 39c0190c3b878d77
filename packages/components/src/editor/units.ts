/** Units: pastes and attachments that stand in a text as one character each, and are shown by a label. */

/** Something that is one grapheme to the editor. */
export interface Unit {
  /** What is shown. */
  readonly label: string;
  /** What it stands for in the text that is submitted. */
  readonly value: string;
}

/** The end of the last private plane. Fonts with icons use other private characters. */
const FIRST = 0x10f000;
const LAST = 0x10fffd;
const UNIT = /[\u{10f000}-\u{10fffd}]/gu;

/** Whether a text may contain units; quick. */
export const hasUnits = (text: string): boolean => /[\udbfc-\udbff]/.test(text);

/** The text with something else for units. */
export const unitsAs = (text: string, other: string): string => (hasUnits(text) ? text.replaceAll(UNIT, other) : text);

/** The text with nothing in it that could be taken for a unit. */
export const withoutUnits = (text: string): string => unitsAs(text, '\ufffd');

/** Says which character stands for which unit. */
export class Units {
  readonly #units = new Map<string, Unit>();
  #next = FIRST;

  /** The character for a new unit; nothing when all are taken. */
  add(unit: Unit): string | undefined {
    for (let tries = FIRST; tries <= LAST; tries += 1) {
      const character = String.fromCodePoint(this.#next);
      this.#next = this.#next === LAST ? FIRST : this.#next + 1;
      if (this.#units.has(character)) continue;
      this.#units.set(character, unit);
      return character;
    }
    return undefined;
  }

  /** The unit of a character. */
  get(character: string): Unit | undefined {
    return this.#units.get(character);
  }

  /** The units in a text, in order. */
  in(text: string): Unit[] {
    if (!hasUnits(text)) return [];
    return [...text.matchAll(UNIT)].flatMap(([character]) => this.#units.get(character) ?? []);
  }

  /** The text with values for units. */
  expand(text: string): string {
    return this.#exchange(text, (unit) => unit.value);
  }

  /** The text with labels for units. */
  show(text: string): string {
    return this.#exchange(text, (unit) => unit.label);
  }

  /** Forgets the units that are in none of the texts. */
  keepOnly(texts: readonly string[]): void {
    if (this.#units.size === 0) return;
    const used = new Set(texts.filter(hasUnits).flatMap((text) => text.match(UNIT) ?? []));
    for (const character of this.#units.keys()) if (!used.has(character)) this.#units.delete(character);
  }

  #exchange(text: string, part: (unit: Unit) => string): string {
    if (!hasUnits(text)) return text;
    return text.replaceAll(UNIT, (character) => {
      const unit = this.#units.get(character);
      return unit ? part(unit) : '';
    });
  }
}
