/** Generated relatives of commands: the same harm in another spelling, and everyday combinations of harmless ones. */

/** A small seeded generator: every run draws the same variants. @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Ways to run a whole command line inside of something else. Each keeps what it does. */
const AROUND = [
  (text) => `(${text})`,
  (text) => `{ ${text}; }`,
  (text) => `true && ${text}`,
  (text) => `false; ${text}`,
  (text) => `ls | cat; ${text}`,
  (text) => `cd . && ${text}`,
  (text) => `! ${text}`,
  (text) => `if ${text}; then :; fi`,
  (text) => `if true; then ${text}; fi`,
  (text) => `for i in 1; do ${text}; done`,
  (text) => `while ${text}; do break; done`,
  (text) => `until ${text}; do break; done`,
  (text) => `case x in x) ${text};; esac`,
  (text) => `echo "$(${text})"`,
  (text) => `echo \`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('$', '\\$')}\``,
  (text) => `x=$(${text})`,
  (text) => `: "\${x:-$(${text})}"`,
  (text) => `[ -n "$(${text})" ]`,
  (text) => `cat <(${text})`,
  (text) => `${text} | cat`,
  (text) => `${text} &`,
  (text) => `{ ${text}; } > /dev/null 2>&1`,
  (text) => `# comment\n${text}`,
  (text) => `ls\n${text}\nls`,
  (text) => `f() { ${text}; }; f`,
  (text) => `bash -c ${quoted(text)}`,
  (text) => `sh -c ${quoted(text)}`,
  (text) => `eval ${quoted(text)}`,
  (text) => `env bash -c ${quoted(text)}`,
  (text) => `timeout 5 bash -c ${quoted(text)}`,
  (text) => `nohup sh -c ${quoted(text)} &`,
  (text) => `xargs -I{} sh -c ${quoted(text)} < file.txt`,
  (text) => `find . -maxdepth 0 -exec sh -c ${quoted(text)} \\;`,
  (text) => `echo ${quoted(text)} | sh`,
  (text) => `bash <<'END'\n${text}\nEND`,
  (text) => `sh <<< ${quoted(text)}`,
  (text) => `cat <<END\n$(${text})\nEND`,
  (text) => `trap ${quoted(text)} EXIT`,
  (text) => `time ${text}`,
];

/** Other spellings of the first word of a simple command. */
const FIRST_WORD = [
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `\\${word}`,
  (word) => `${word[0]}''${word.slice(1)}`,
  (word) => `${word.slice(0, -1)}\\${word.at(-1)}`,
  (word) => `command ${word}`,
  (word) => `nice ${word}`,
  (word) => `nohup ${word}`,
  (word) => `env ${word}`,
  (word) => `timeout 9 ${word}`,
  (word) => `stdbuf -oL ${word}`,
  (word) => `exec ${word}`,
  (word) => `setsid ${word}`,
  (word) => `$(echo ${word})`,
  (word) => `p=${word}; $p`,
  (word) => `${word} \\\n`,
];

const isSimple = (text) => /^[a-z][\w.-]* /.test(text) && !/[\n;&|<>(){}`]/.test(text);
const isOneLine = (text) => !text.includes('\n') && !text.endsWith('&') && !text.includes('#');

/**
 * Spellings of dangerous commands; every one is at least as dangerous as its origin.
 * @param {readonly string[]} commands @param {number} count @param {number} seed @returns {string[]}
 */
export function dangerousVariants(commands, count, seed) {
  const draw = random(seed);
  const pick = (list) => list[Math.floor(draw() * list.length)];
  const origins = commands.filter(isOneLine);
  const variants = new Set();
  while (variants.size < count) {
    let text = pick(origins);
    if (isSimple(text) && draw() < 0.5) {
      const [, word, rest] = /^(\S+)(.*)$/s.exec(text) ?? [];
      text = pick(FIRST_WORD)(word) + rest;
    }
    const depth = 1 + Math.floor(draw() * 2);
    for (let level = 0; level < depth && !text.includes('\n'); level++) text = pick(AROUND)(text);
    variants.add(text);
  }
  return [...variants];
}

/** Everyday ways to combine harmless commands. */
const TOGETHER = [
  (one) => `cd . && ${one}`,
  (one) => `(${one})`,
  (one) => `${one} 2>&1 | tail -5`,
  (one) => `${one} | head -20`,
  (one) => `${one} 2>/dev/null`,
  (one) => `timeout 60 ${one}`,
  (one, other) => `${one} && ${other}`,
  (one, other) => `${one}; ${other}`,
  (one, other) => `${one}\n${other}`,
  (one, other) => `${one} || ${other}`,
];

/** @param {readonly string[]} commands @param {number} count @param {number} seed @returns {string[]} */
export function harmlessVariants(commands, count, seed) {
  const draw = random(seed);
  const pick = (list) => list[Math.floor(draw() * list.length)];
  const origins = commands.filter(
    (text) => isOneLine(text) && /^[a-z]/.test(text) && !/^(cd|for|if|while|case|set|export|unset) |[;|&]/.test(text),
  );
  const variants = new Set();
  while (variants.size < count) variants.add(pick(TOGETHER)(pick(origins), pick(origins)));
  return [...variants];
}
