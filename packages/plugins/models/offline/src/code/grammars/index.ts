/** Which grammar knows the names of which language. */
import { ecosystemOf } from '../languages.ts';
import type { Grammar } from '../roles.ts';
import { cGrammar } from './c.ts';
import { goGrammar } from './go.ts';
import { javaGrammar } from './java.ts';
import { pythonGrammar } from './python.ts';
import { rustGrammar } from './rust.ts';
import { scriptGrammar } from './script.ts';

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  script: scriptGrammar,
  python: pythonGrammar,
  rust: rustGrammar,
  go: goGrammar,
  java: javaGrammar,
  c: cGrammar,
};

/** The grammar for a file; undefined where names are known only as words. */
export function grammarFor(path: string): Grammar | undefined {
  return GRAMMARS[ecosystemOf(path) ?? ''];
}
