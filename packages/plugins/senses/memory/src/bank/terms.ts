/** The words of a text as they are indexed and compared: without case, endings and words that say nothing. */

/** Functions, because tables of letters take a millisecond to make, and a start without memories needs none. */
const wordPattern = () => /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words: pairs of characters stand for words. */
const unspacedPattern = () =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const humpPattern = () => /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;

const COMMON: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing done for from
  got had has have having he her here him his how i if in into is it its just me more most my need of on one or
  our out over please say she should so some such tell than that the their them then there these they this those to too up us use
  very want was we were what when where which while who why will with would you your`.split(/\s+/),
);

/** Every word in its order, those that say nothing too. */
export function words(text: string): string[] {
  const found: string[] = [];
  const unspaced = unspacedPattern();
  for (const [word] of text.normalize('NFKC').matchAll(wordPattern())) {
    if (unspaced.test(word)) found.push(...pairs(word));
    else found.push(stem(word.toLowerCase()));
  }
  return found;
}

/** The different words that say something; parts of names like `parseConfig` are words of their own, too. */
export function terms(text: string): Set<string> {
  const found = new Set<string>();
  const [unspaced, hump] = [unspacedPattern(), humpPattern()];
  for (const [word] of text.normalize('NFKC').matchAll(wordPattern())) {
    const isUnspaced = unspaced.test(word);
    const forms = isUnspaced ? pairs(word) : [word, ...(hump.test(word) ? word.split(hump) : [])];
    for (const form of forms) {
      const lower = form.toLowerCase();
      if (!COMMON.has(lower)) found.add(isUnspaced ? lower : stem(lower));
    }
  }
  return found;
}

function pairs(word: string): string[] {
  const letters = [...word];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Takes the endings off that only bend a word. Coarse, and the same for queries and facts. */
function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word))
    return word.length === 4 && /^[a-z]+[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const bare = word.replace(/(?:ies)$/, 'y').replace(/(?:ing|edly|ed|ly)$/, '');
  const cut = bare.length >= 3 ? bare : word;
  const singular = cut.length > 3 ? cut.replace(/(?<=[sxz]|[cs]h)es$|(?<=[^su])s$/, '') : cut;
  return singular.replace(/([bdfglmnprt])\1$/, '$1').replace(/(?<=.{3})e$/, '');
}
