/** Repairs of what models put around a command. What is run is judged again after a repair. */

/** A command and what was done to it. */
export interface FixedCommand {
  readonly command: string;
  readonly repairs: readonly string[];
}

const FENCE = /^\s*```(?:bash|sh|shell|console)?[ \t]*\n([\s\S]*?)\n?```\s*$/;
const PROMPT = /^\$ (?=\S)/;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The command without code fences, prompts, Windows line ends, hard blanks and a program list around it. */
export function fixCommand(given: string): FixedCommand {
  const repairs: string[] = [];
  let command = given;
  const repair = (name: string, change: (text: string) => string) => {
    const changed = change(command);
    if (changed !== command) repairs.push(name);
    command = changed;
  };
  repair('line ends', (text) => text.replaceAll('\r\n', '\n'));
  repair('code fence', (text) => FENCE.exec(text)?.[1] ?? text);
  repair('list of words', fromWordList);
  repair('prompt', (text) => (text.includes('\n') ? text : text.replace(PROMPT, '')));
  repair('hard blanks', (text) => text.replaceAll('\u00A0', ' '));
  // Only where it cannot be meant: `&amp;&amp;` runs two programs named `amp` in the background.
  repair('entities', (text) =>
    /&amp;&amp;|&amp;\d|&[lg]t;&amp;|\s&[lg]t;\s/.test(text)
      ? text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity)
      : text,
  );
  return { command, repairs };
}

/** `["bash", "-lc", "make"]`: the way in which other agents name a command. */
function fromWordList(text: string): string {
  if (!/^\s*\[\s*"/.test(text)) return text;
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    // No list after all: `[ "$a" = b ]` is a command.
    return text;
  }
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return text;
  const [shell, option, command] = words as string[];
  const isScript = /(?:^|\/)(?:ba|z)?sh$/.test(shell ?? '') && /^-l?c$/.test(option ?? '') && words.length === 3;
  return isScript && command !== undefined ? command : text;
}
