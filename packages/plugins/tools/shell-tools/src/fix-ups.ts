/** Repairs of what models put around a command, made before the command is judged. */

/** A command and what was done to it. */
export interface FixedCommand {
  readonly command: string;
  /** Sentences without a full stop. */
  readonly repairs: readonly string[];
}

const FENCE = /^\s*```(?:bash|sh|shell|console)?[ \t]*\n([\s\S]*?)\n?```\s*$/;
const PROMPT = /^\$ (?=\S)/;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The command without code fences, prompts, Windows line ends, hard blanks and a program list around it. */
export function fixCommand(given: string): FixedCommand {
  const repairs: string[] = [];
  let command = given;
  const repair = (what: string, change: (text: string) => string) => {
    const changed = change(command);
    if (changed !== command) repairs.push(`"command" ${what}`);
    command = changed;
  };
  repair('had Windows line ends', (text) => text.replaceAll('\r\n', '\n'));
  repair('was in a code fence', (text) => FENCE.exec(text)?.[1] ?? text);
  repair('was a list of words', fromWordList);
  repair('began with a prompt', (text) => (text.includes('\n') ? text : text.replace(PROMPT, '')));
  repair('had hard blanks', (text) => text.replaceAll('\u00A0', ' '));
  // Only where it cannot be meant: `&amp;&amp;` runs two programs named `amp` in the background.
  repair('had HTML entities', (text) =>
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
