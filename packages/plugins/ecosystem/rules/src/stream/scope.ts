/** Which part of a model's output a stream rule watches. */

/** Where text comes from. */
export type Source = 'text' | 'thinking' | 'tool';

/** Calls of one tool, or of all; `globs` limits them to calls that name such files. */
export interface ToolScope {
  readonly name?: string;
  readonly globs?: readonly string[];
}

/** What a rule watches. */
export interface Scope {
  readonly text: boolean;
  readonly thinking: boolean;
  readonly tools: readonly ToolScope[];
}

/** What a rule without a scope watches: what the model says and does, not what it thinks. */
const USUAL: Scope = { text: true, thinking: false, tools: [{}] };

const TOOL = /^(?:tool|toolcall)(?::([\w.*-]+)(?:\((.*)\))?|\((.*)\))?$/i;
const SHORT = /^([\w.-]+)\((.*)\)$/;

/** Reads the words of a scope; what cannot be read is given to `report`. */
export function parseScope(words: readonly string[] | undefined, report: (word: string) => void): Scope {
  const parts = (words ?? []).flatMap(splitWords);
  if (parts.length === 0) return USUAL;
  let [text, thinking] = [false, false];
  const tools: ToolScope[] = [];
  for (const word of parts) {
    const lower = word.toLowerCase();
    if (lower === 'text' || lower === 'prose') text = true;
    else if (lower === 'thinking') thinking = true;
    else {
      const [, name, globs, anyGlobs] = TOOL.exec(word) ?? [];
      const short = SHORT.exec(word);
      if (TOOL.test(word)) tools.push(toolScope(name === '*' ? undefined : name, globs ?? anyGlobs));
      else if (short) tools.push(toolScope(short[1], short[2]));
      else report(word);
    }
  }
  return { text, thinking, tools };
}

function toolScope(name: string | undefined, globs: string | undefined): ToolScope {
  const list = globs === undefined ? [] : splitWords(globs);
  return { ...(name !== undefined && { name: name.toLowerCase() }), ...(list.length > 0 && { globs: list }) };
}

/** Splits at commas that are not inside of brackets. */
function splitWords(text: string): string[] {
  const words = [''];
  let depth = 0;
  for (const char of text) {
    if ('({['.includes(char)) depth++;
    if (')}]'.includes(char)) depth--;
    if (char === ',' && depth <= 0) words.push('');
    else words.push((words.pop() ?? '') + char);
  }
  return words.map((word) => word.trim()).filter((word) => word !== '');
}
