/** Words to requests: tries the phrase tables, splits "do this and then that", and asks where two readings are possible. */
import type { Question, Reading, Request } from '../request.ts';
import { looksLikeFolder, looksLikePath } from './file-types.ts';
import { INCOMPLETE, PHRASES } from './phrases.ts';
import { compileTemplate, type Template } from './template.ts';
import { readUtterance, restore, tidyPath, type Utterance, WHOLE_PROJECT } from './utterance.ts';

let compiled: { phrases: Template[]; incomplete: Template[] } | undefined;

function tables() {
  compiled ??= {
    phrases: PHRASES.map(({ says }) => compileTemplate(says)),
    incomplete: INCOMPLETE.map(({ says }) => compileTemplate(says)),
  };
  return compiled;
}

/** Programs whose name at the start makes a line a command. */
const PROGRAMS =
  /^(?:npm|npx|pnpm|yarn|bun|node|deno|cargo|rustc|make|just|go|python3?|pytest|pip3?|uv|tox|ruby|bundle|rake|java|javac|mvn|gradle|\.\/[\w./-]+|docker|kubectl|git|gh|ls|pwd|cat|echo|head|tail|wc|sort|uniq|tree|du|df|env|date|which|curl|jq|sed|awk|tsc|eslint|oxlint|oxfmt|prettier|vitest|jest|mocha|tenon|bash|sh)(?:\s+\S|$)/;

/** What the rules understand is short; a long text is a task for a model, and phrases would only match it by accident. */
const MAX_WORDS_LENGTH = 600;
const MAX_JOINTS = 10;

/** Reads a request. */
export function interpret(text: string): Reading {
  if (readUtterance(text, false).words.length > MAX_WORDS_LENGTH) return { type: 'unknown' };
  // A greedy slot would swallow a second request, so a split that makes sense on both sides wins.
  const parts = splitParts(text);
  if (parts) return { type: 'request', request: sequence(text, parts) };
  const command = literalCommand(text);
  return command ? { type: 'request', request: command } : interpretOne(text);
}

function sequence(text: string, parts: readonly Request[]): Request {
  return { intent: 'sequence', slots: {}, scope: WHOLE_PROJECT, ignoreCase: false, text, parts };
}

/** A line that is a shell command already. */
function literalCommand(text: string): Request | undefined {
  const line = text.trim().replace(/^\$\s+/, '');
  const isShell = /^\$\s+\S/.test(text.trim());
  if (!isShell && (!PROGRAMS.test(line) || line.includes('\n') || !looksLikeShell(line))) return undefined;
  return { intent: 'run', slots: { command: line }, scope: WHOLE_PROJECT, ignoreCase: false, text };
}

/** `make test` is a command; "make it so that …" and "go to the definition of x" are not. */
function looksLikeShell(line: string): boolean {
  const [program = '', second = ''] = line.split(/\s+/);
  if (/^(?:make|go|just|which|date|sort|head|tail|env|node|echo|cat|tree|git|ls|gh|bun|uv)$/.test(program)) {
    if (program === 'go') return /^(?:test|build|run|vet|mod|fmt|generate|get|install|tool|version|env)$/.test(second);
    if (program === 'git')
      return !/^(?:status|diff|log|branch)$/.test(second) || /^(?:-|HEAD|\S*[~^@])/.test(line.split(/\s+/)[2] ?? '');
    if (program === 'make')
      return (
        second === '' ||
        (/^[a-z][\w-]*$/.test(second) &&
          line.split(/\s+/).length === 2 &&
          !/^(?:it|sure|a|an|the|file|me)$/.test(second))
      );
    if (program === 'just') return line.split(/\s+/).length === 2 && second !== 'do';
    if (program === 'cat' || program === 'ls' || program === 'tree') return / -|[|<>]/.test(line);
    if (program === 'which') return line.split(/\s+/).length === 2;
    if (program === 'node') return /^[-./]|\.[cm]?[jt]s$/.test(second);
    return !/^(?:the|a|an|all|my|me|files?|of)$/i.test(second);
  }
  return true;
}

const JOINTS =
  /(?:,|;|\.)?\s+(?:and then|then|and afterwards|afterwards|and after that|after that|and finally|finally|and also|and)\s+|;\s+|\.\s+(?=[A-Z])|\n+/gi;

/** The parts of "rename a to b and run the tests", when every part is a request of its own. */
function splitParts(text: string): Request[] | undefined {
  const { masked, restoreText } = mask(text);
  const cuts = [...masked.matchAll(JOINTS)].slice(0, MAX_JOINTS);
  for (const cut of cuts) {
    const head = restoreText(masked.slice(0, cut.index));
    const tail = restoreText(masked.slice(cut.index + cut[0].length));
    const first = completeRequest(head);
    if (!first) continue;
    const rest = interpret(tail);
    // "in src and test" names two folders.
    if (rest.type !== 'request' || !startsWithVerb(tail) || looksLikeFolder(tail.trim())) continue;
    return [first, ...(rest.request.parts ?? [rest.request])];
  }
  return undefined;
}

/** "search for cats and dogs" must not become a search for cats: the second part has to begin like an order. */
function startsWithVerb(text: string): boolean {
  return /^(?:please\s+)?(?:run|execute|show|list|rename|replace|change|create|make|write|add|append|search|grep|find|explain|describe|outline|test|build|lint|format|typecheck|check|verify|rewrite|convert|tell|print|diff|git|npm|open|read|put|do|give|display|what|which|where|who)\b/i.test(
    text.trim(),
  );
}

function completeRequest(text: string): Request | undefined {
  const command = literalCommand(text);
  if (command) return command;
  const reading = interpretOne(text);
  return reading.type === 'request' ? reading.request : undefined;
}

/** Quoted pieces hidden, so that an "and" inside quotes does not split a request. */
function mask(text: string): { masked: string; restoreText(part: string): string } {
  const kept: string[] = [];
  const masked = text.replace(/```[\s\S]*?```|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|(?<!\w)'[^'\n]*'(?!\w)/g, (quoted) => {
    kept.push(quoted);
    return `⟪${kept.length - 1}⟫`;
  });
  return { masked, restoreText: (part) => part.replace(/⟪(\d+)⟫/g, (_, at: string) => kept[Number(at)] ?? '') };
}

function interpretOne(text: string): Reading {
  const scoped = readUtterance(text);
  if (scoped.words === '') return { type: 'unknown' };
  const unscoped = scoped.scope.paths.length > 0 ? readUtterance(text, false) : undefined;
  // "the contents of a.ts" names no scope but the thing itself.
  return (
    fitting(scoped) ?? (unscoped && fitting(unscoped)) ?? incomplete(scoped) ?? loneFind(scoped) ?? { type: 'unknown' }
  );
}

function fitting(utterance: Utterance): Reading | undefined {
  for (const [index, template] of tables().phrases.entries()) {
    const slots = template.match(utterance);
    const phrase = PHRASES[index];
    if (!slots || !phrase) continue;
    const reading = refine(asRequest(phrase.intent, { ...slots, ...phrase.with }, utterance), utterance);
    if (reading) return reading;
  }
  return undefined;
}

function asRequest(intent: string, slots: Readonly<Record<string, string>>, utterance: Utterance): Request {
  const { scope, ignoreCase, original } = utterance;
  return { intent, slots, scope, ignoreCase, text: original };
}

/** Looks at what a phrase caught: some catches belong to another intent, some have two meanings, some make no sense. */
function refine(request: Request, utterance: Utterance): Reading | undefined {
  const { slots, scope } = request;
  const ok = (changed: Request = request): Reading => ({ type: 'request', request: changed });
  const as = (intent: string, extra: Readonly<Record<string, string>> = {}) =>
    ok({ ...request, intent, slots: { ...slots, ...extra } });
  switch (request.intent) {
    case 'rename':
      if (slots['old'] !== undefined && looksLikePath(slots['old'])) return as('move-file');
      return ok();
    case 'rewrite':
      return codeLike(slots['old'] ?? '') && !looksLikePath(slots['old'] ?? '') ? ok() : undefined;
    case 'replace':
      return refineReplace(request, utterance);
    case 'append':
    case 'create': {
      const path = slots['path'] ?? scope.paths[0];
      if (path === undefined) {
        const question: Question = {
          text: 'Which file should it be?',
          fill: (answer) => ({ ...request, slots: { ...slots, path: tidyPath(answer) } }),
        };
        return { type: 'question', question };
      }
      // "create a file a.ts with a function that sorts": the text is a wish, not a content.
      const isGiven =
        slots['text'] === undefined || utterance.literals.includes(slots['text']) || isPlainContent(utterance);
      return isGiven ? as(request.intent, { path: tidyPath(path) }) : as('describe-content', { path: tidyPath(path) });
    }
    case 'tests':
    case 'outline':
    case 'explain-file':
    case 'show':
      return refineFileRequest(request, ok);
    case 'symbols':
      return slots['path'] === undefined ? ok() : ok({ ...request, scope: { ...scope, paths: [slots['path']] } });
    case 'search': {
      const text = slots['text'];
      if (text !== undefined && /^\/.+\/i?$/.test(text)) {
        const [, regex = '', flags] = /^\/(.+)\/(i?)$/.exec(text) ?? [];
        return ok({ ...request, slots: { regex }, ignoreCase: request.ignoreCase || flags === 'i' });
      }
      return ok();
    }
    case 'explain':
    case 'definition':
    case 'references':
      return slots['name'] !== undefined && looksLikePath(slots['name']) && request.intent === 'explain'
        ? as('explain-file', { path: slots['name'] })
        : ok();
    case 'run':
      return refineRun(request, ok);
    default:
      return ok();
  }
}

function codeLike(text: string): boolean {
  return /[$(){}[\]=.<>!+*/&|?:;]/.test(text);
}

/** A content without quotes is taken word for word only when it does not sound like a description. */
function isPlainContent({ words }: Utterance): boolean {
  return !/\b(?:with|containing|having)\b.*\b(?:a|an|some|the|that|which|code|function|class|component|implementation|example|tests?|script)\b/i.test(
    words,
  );
}

function refineFileRequest(request: Request, ok: (request?: Request) => Reading): Reading | undefined {
  const path = request.slots['path'] ?? request.scope.paths[0];
  if (request.intent === 'tests') {
    const paths = request.slots['path'] === undefined ? request.scope.paths : [tidyPath(request.slots['path'])];
    return ok({ ...request, scope: { ...request.scope, paths } });
  }
  if (path === undefined) {
    if (request.intent === 'show' && !isWholeListing(request.text)) return undefined;
    if (request.intent === 'explain-file') return undefined;
    return ok({ ...request, slots: { ...request.slots, path: '.' } });
  }
  return ok({ ...request, slots: { ...request.slots, path: tidyPath(path) } });
}

function isWholeListing(text: string): boolean {
  return /\b(?:folder|directory|dir|tree|ls|here|inside|project)\b/i.test(text);
}

/** "run the tests" was tried before; what is left must look like a command. */
function refineRun(request: Request, ok: (request?: Request) => Reading): Reading | undefined {
  const command = request.slots['command'] ?? '';
  const isQuoted = request.text.includes(`\`${command}\``) || /["'“`]/.test(request.text);
  if (!isQuoted && !PROGRAMS.test(command) && !/^[\w./-]+$/.test(command)) return undefined;
  if (!isQuoted && /^(?:it|this|that|something|command|script|everything|everywhere)$/i.test(command)) return undefined;
  return ok();
}

/** Text or symbol? `a` and `$A` say code; quotes and spaces say text; two bare names could be either. */
function refineReplace(request: Request, utterance: Utterance): Reading | undefined {
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
  // "replace the old parser with a faster one" is an order for a thinking model.
  if (!isSure && !isVague) return undefined;
  if (!isVague) return { type: 'request', request };
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

/** A request that lacks something becomes a question. */
function incomplete(utterance: Utterance): Reading | undefined {
  for (const [index, template] of tables().incomplete.entries()) {
    const slots = template.match(utterance);
    const phrase = INCOMPLETE[index];
    if (!slots || !phrase) continue;
    const known = asRequest(phrase.intent, slots, utterance);
    const text = phrase.question.replace(/\{(\w+)\}/g, (_, id: string) => slots[id] ?? '');
    return { type: 'question', question: { text, fill: (answer) => filled(known, phrase.asks, answer) } };
  }
  return undefined;
}

/** A request with the answer to its question put in. */
function filled(request: Request, slot: string, answer: string): Request | undefined {
  const utterance = readUtterance(answer);
  const bare = utterance.literals[0] ?? restore(utterance.words, utterance.literals).replace(ANSWER_OPENING, '').trim();
  if (bare === '') return undefined;
  if (request.intent === 'explain' && looksLikePath(bare)) {
    return { ...request, intent: 'explain-file', slots: { ...request.slots, path: tidyPath(bare) } };
  }
  if ((slot === 'new' || slot === 'old' || slot === 'name') && request.intent !== 'replace' && /\s/.test(bare)) {
    return undefined;
  }
  const scope = utterance.scope.paths.length > 0 || utterance.scope.everywhere ? utterance.scope : request.scope;
  return { ...request, scope, slots: { ...request.slots, [slot]: bare.replace(/\(\)$/, '') } };
}

const ANSWER_OPENING = /^(?:to|with|by|as|into|it is|it's|call it|name it|make it|use|the|file|named|called)\s+/i;

/** "find config": a file, or text? */
function loneFind(utterance: Utterance): Reading | undefined {
  const slots = LONE_FIND.match(utterance);
  const word = slots?.['text'];
  if (word === undefined || word.split(' ').length > 3) return undefined;
  const request = asRequest('search', { text: word }, utterance);
  if (/[a-z][A-Z]|_|\(\)$/.test(word)) return { type: 'request', request };
  if (/\s/.test(word)) return undefined;
  const question: Question = {
    text: `Do you mean files named like \`${word}\`, or the text \`${word}\` inside files?`,
    choices: [
      {
        label: `files whose name contains \`${word}\``,
        words: ['files', 'file', 'the files', 'file names', 'names'],
        request: asRequest('find', { part: word }, utterance),
      },
      {
        label: `text \`${word}\` inside files`,
        words: ['text', 'the text', 'inside', 'content', 'inside files'],
        request,
      },
    ],
  };
  return { type: 'question', question };
}

const LONE_FIND = compileTemplate('(find|locate|look up|where is) {text}');
