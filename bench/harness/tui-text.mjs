/** The same made-up conversation in every run: rows of a transcript, and tokens of an answer. */
const WORDS =
  'a plan names each file that it will change and says why so that a reader can stop it early while tests run in the background and the answer grows row by row on the screen'.split(
    ' ',
  );

/** @param {number} seed */
function source(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Paragraphs of this many words. @param {number} count @param {number} seed */
function words(count, seed) {
  const random = source(seed);
  const list = [];
  for (let at = 1; at <= count; at += 1) {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? '';
    list.push(at % 60 === 0 ? `${word}.\n` : `${word} `);
  }
  return list;
}

/** @param {number} count */
export const tokens = (count) => words(count, 7);

/** Rows of at most 100 columns. @param {number} count */
export function transcript(count) {
  const rows = [];
  let row = '';
  for (const word of words(count * 25, 11)) {
    if (row.length + word.length > 100 || row.includes('\n')) {
      rows.push(row.trimEnd());
      row = '';
    }
    row += word;
  }
  return rows.slice(0, count);
}
