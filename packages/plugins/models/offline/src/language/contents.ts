/** Requests that hold a text word for word: what to write into a file, what to put in the place of what. */
import type { Question, Reading, Request } from '../request.ts';
import { tidyPath, WHOLE_PROJECT } from './scope.ts';
import type { Caught, Span } from './template.ts';
import type { Utterance } from './utterance.ts';

/** True for a part of the words that is one quotation. */
function isLiteral({ words }: Utterance, span: Span | undefined): boolean {
  return span !== undefined && /^\s*⟦\d+⟧\s*$/.test(words.slice(...span));
}

/** What to write, and where to. */
export function refineContent(request: Request, { slots, spans }: Caught, utterance: Utterance): Reading {
  const span = spans['text'];
  const isBare = span !== undefined && !isLiteral(utterance, span);
  const text = isBare ? bareText(utterance, span, slots['text'] ?? '') : slots['text'];
  // "with hello in src" may be the content as well as a place; what stands behind the content belongs to it.
  const scope = isBare && utterance.hasScopeAfter(span[0]) ? WHOLE_PROJECT : request.scope;
  const partial = { ...request, scope, slots: { ...request.slots, ...(text !== undefined && { text }) } };
  const path = pathOf(slots['path'], scope.paths[0]);
  if (path === undefined) {
    const question: Question = {
      text: 'Which file should it be?',
      fill: (answer) => ({ ...partial, slots: { ...partial.slots, path: tidyPath(answer) } }),
    };
    return { type: 'question', question };
  }
  // "create a file a.ts with a function that sorts": the text is a wish, not a content.
  const isGiven = !isBare || isPlainContent(utterance);
  const intent = isGiven ? request.intent : 'describe-content';
  return { type: 'request', request: { ...partial, intent, slots: { ...partial.slots, path } } };
}

/** "notes.txt in docs" is `docs/notes.txt`. */
function pathOf(name: string | undefined, folder: string | undefined): string | undefined {
  if (name === undefined) return folder === undefined ? undefined : tidyPath(folder);
  const isFolder = folder !== undefined && !/[*?]|\.\w+$/.test(folder);
  return isFolder && !name.includes('/') ? `${tidyPath(folder)}/${tidyPath(name)}` : tidyPath(name);
}

/** A content without quotes, to the last character of what was written. */
function bareText(utterance: Utterance, [start, end]: Span, caught: string): string {
  if (end < utterance.words.length) return caught;
  return utterance.writtenFrom(start).replace(/,\s*(?:please|thanks|thank you|thx)[.!]*$/i, '');
}

/** A content without quotes is taken word for word only when it does not sound like a description. */
function isPlainContent({ words }: Utterance): boolean {
  return !/\b(?:with|containing|having)\b.*\b(?:a|an|some|the|that|which|code|function|class|component|implementation|example|tests?|script)\b/i.test(
    words,
  );
}

/** True for what looks like code rather than words. */
export function codeLike(text: string): boolean {
  return /[$(){}[\]=.<>!+*/&|?:;]/.test(text);
}

function askForQuotes(request: Request, old: string, next: string): Reading {
  return {
    type: 'question',
    question: {
      text: `Should the text \`${old}\` be replaced by exactly \`${next}\`? Quotes would make it clear: replace "…" with "…".`,
      choices: [
        { label: 'yes, exactly that', words: ['yes', 'y', 'exactly', 'exactly that'], request },
        {
          label: 'no, change nothing',
          words: ['no', 'n', 'stop'],
          request: { ...request, intent: 'nothing', slots: {} },
        },
      ],
    },
  };
}

/** Text or symbol? `a` and `$A` say code; quotes and spaces say text; two bare names could be either. */
export function refineReplace(request: Request, { spans }: Caught, utterance: Utterance): Reading | undefined {
  const { slots, scope } = request;
  const [old = '', next = ''] = [slots['old'], slots['new']];
  if (/\$(?:\$\$)?[A-Z_]/.test(old)) return { type: 'request', request: { ...request, intent: 'rewrite' } };
  const isName = (word: string) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(word);
  const isToken = (word: string) => !/\s/.test(word);
  const isQuoted = utterance.literals.length > 0;
  const saysReplace = /\b(?:replace|substitute|swap|exchange|remove|delete|strip)\b/i.test(utterance.words);
  const saysText =
    /\b(?:text|string|words?|phrase|typo|spelling|line|(?:occurrences?|mentions?|instances?) of)\b/i.test(
      utterance.words,
    );
  const isVague = !saysReplace && !saysText && isName(old) && isName(next);
  const isSure =
    isQuoted ||
    saysText ||
    (isToken(old) && isToken(next) && (saysReplace || scope.paths.length > 0)) ||
    (saysReplace && scope.paths.length > 0);
  const isBare = (id: string, text: string) => /\s/.test(text) && !isLiteral(utterance, spans[id]);
  // "replace the old parser with a faster one" is an order for a thinking model.
  if (!isSure && !isVague) return undefined;
  if (!isVague) {
    if (isBare('old', old) || isBare('new', next)) return askForQuotes(request, old, next);
    // Quotes mean exactly these letters; a bare name may mean the word alone.
    const isBareName = isName(old) && !isLiteral(utterance, spans['old']);
    return { type: 'request', request: isBareName ? { ...request, slots: { ...slots, whole: 'perhaps' } } : request };
  }
  const rename: Request = { ...request, intent: 'rename' };
  const question: Question = {
    text: `Do you mean the symbol \`${old}\`, or the text \`${old}\` wherever it stands?`,
    choices: [
      {
        label: `rename the symbol \`${old}\` to \`${next}\` in code`,
        words: ['symbol', 'the symbol', 'rename', 'code', 'name'],
        request: rename,
      },
      {
        label: `replace the text \`${old}\` by \`${next}\`, comments and documents included`,
        words: ['text', 'the text', 'replace', 'all text'],
        request: { ...request, scope: { ...scope, everywhere: scope.paths.length === 0 } },
      },
    ],
  };
  return { type: 'question', question };
}
