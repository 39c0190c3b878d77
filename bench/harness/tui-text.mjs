/** The same made-up answers in every run: Markdown of so many rows, its tokens, and rows that can be told apart. */
const WORDS =
  'a plan names each file that it will change and says why so that a reader can stop it early while tests run in the background and the answer grows row by row on the screen'.split(
    ' ',
  );
const CHARACTERS_OF_A_TOKEN = 5;
const CODE_LINES = 8;

/** @param {number} seed */
function source(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** About so many rows at 120 columns: paragraphs, lists, headings and code. @param {number} rows @param {number} [seed] */
export function markdown(rows, seed = 11) {
  const random = source(seed);
  const words = (count) => Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
  const blocks = [
    { rows: 4, make: () => `${words(55)}.` },
    { rows: 5, make: () => list(words) },
    { rows: 4, make: () => `${words(60)}.` },
    { rows: 2, make: () => `## ${words(4)}` },
    { rows: 11, make: () => code(words) },
    { rows: 3, make: () => `${words(30)} **${words(2)}** ${words(4)}.` },
  ];
  const parts = [];
  for (let at = 0, made = 0; made < rows; at += 1) {
    const block = blocks[at % blocks.length];
    parts.push(block.make());
    made += block.rows;
  }
  return parts.join('\n\n');
}

const list = (words) => Array.from({ length: 4 }, () => `- **${words(2)}**: ${words(9)} \`${words(1)}\``).join('\n');

function code(words) {
  const lines = Array.from(
    { length: CODE_LINES },
    (_, index) => `  const value${index} = await read('${words(1)}.ts', { limit: ${index * 100} }); // ${words(3)}`,
  );
  return ['```ts', ...lines, '```'].join('\n');
}

/** @param {number} count */
export function tokens(count) {
  const text = markdown(Math.ceil(count / 6), 7);
  const all = text.match(new RegExp(`\\s*\\S{1,${CHARACTERS_OF_A_TOKEN}}|\\s+`, 'g')) ?? [];
  if (all.length < count) throw new Error(`the text has ${all.length} tokens, not ${count}`);
  return all.slice(0, count);
}

/** Distinct rows, one paragraph each: every number is on the screen once. @param {number} from @param {number} count */
export function numberedRows(from, count) {
  return Array.from({ length: count }, (_, index) => `row-${from + index}- of a long conversation.`).join('\n\n');
}

/** The number of a row that `numberedRows` has made; nothing for other rows. @param {string} row */
export function rowNumber(row) {
  const [, digits] = /^\s*row-(\d+)- of a long conversation\.$/.exec(row) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
