/** Finds tools by words: BM25 over what is known about them. */

const K1 = 1.2;
const B = 0.75;

/** A text and how much a word in it counts. */
export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** One thing that can be found. */
export interface IndexedDocument {
  readonly name: string;
  readonly texts: readonly WeightedText[];
}

/** A hit and how well it fits. */
export interface Ranked {
  readonly name: string;
  readonly score: number;
}

/** The words of a text: camelCase is taken apart, everything is lower case, a plural counts as its singular. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
}

/** How much a word counts that is only kin to a word of the query. */
const KIN = 0.6;
/** What fits far worse than the best is no match: each tool that is activated takes room in the prompt. */
const LEAST_OF_BEST = 0.25;
/** Words that say nothing about what a tool does. */
const EMPTY_WORDS = new Set(
  'a an the of or and to in on for with from by at is it as be can i me my do how'.split(' '),
);

/** Whether two words have the same stem: calculator and calculate. */
function areKin(word: string, other: string): boolean {
  // "utf8" and "utf16" are different things.
  if (/\d/.test(word + other)) return false;
  const longest = Math.max(word.length, other.length);
  let same = 0;
  while (same < longest && word[same] === other[same]) same++;
  return same >= 4 && same >= longest * 0.6;
}

interface Counted {
  readonly name: string;
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

/** An index that is made once and searched often. */
export class ToolIndex {
  readonly #documents: readonly Counted[];
  readonly #vocabulary: ReadonlySet<string>;
  readonly #meanLength: number;

  constructor(documents: readonly IndexedDocument[]) {
    this.#documents = documents.map(({ name, texts }) => {
      const words = new Map<string, number>();
      for (const { text, weight } of texts) {
        for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
      }
      return { name, words, length: [...words.values()].reduce((sum, count) => sum + count, 0) };
    });
    this.#vocabulary = new Set(this.#documents.flatMap(({ words }) => [...words.keys()]));
    const total = this.#documents.reduce((sum, { length }) => sum + length, 0);
    this.#meanLength = total / Math.max(1, documents.length);
  }

  /** What fits the query, best first; of equals, by name. */
  search(query: string): Ranked[] {
    const words = [...new Set(wordsOf(query))];
    const telling = words.filter((word) => !EMPTY_WORDS.has(word));
    const scores = new Map<Counted, number>();
    for (const word of telling.length > 0 ? telling : words) {
      for (const [document, score] of this.#scoresOf(word)) {
        scores.set(document, (scores.get(document) ?? 0) + score);
      }
    }
    const best = Math.max(0, ...scores.values());
    return [...scores]
      .filter(([, score]) => score >= best * LEAST_OF_BEST)
      .map(([{ name }, score]) => ({ name, score }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  }

  #scoresOf(word: string): [Counted, number][] {
    const kin = [...this.#vocabulary].filter((candidate) => candidate !== word && areKin(candidate, word));
    const frequencyIn = ({ words }: Counted) =>
      kin.reduce((sum, relative) => sum + KIN * (words.get(relative) ?? 0), words.get(word) ?? 0);
    const holders = this.#documents
      .map((document) => [document, frequencyIn(document)] as const)
      .filter(([, frequency]) => frequency > 0);
    const rarity = Math.log(1 + (this.#documents.length - holders.length + 0.5) / (holders.length + 0.5));
    return holders.map(([document, frequency]) => {
      const norm = K1 * (1 - B + (B * document.length) / this.#meanLength);
      return [document, (rarity * frequency * (K1 + 1)) / (frequency + norm)];
    });
  }
}
