/** Words to requests: tries the phrase tables, splits "do this and then that", and asks where two readings are possible. */
import type { Question, Reading, Request } from '../request.ts';
import { literalCommand, refineRun } from './commands.ts';
import { codeLike, refineContent, refineReplace } from './contents.ts';
import { globsForType, looksLikeFolder, looksLikePath } from './file-types.ts';
import { INCOMPLETE, PHRASES } from './phrases.ts';
import { LEAVES_OUT, tidyPath, WHOLE_PROJECT } from './scope.ts';
import { type Caught, compileTemplate, type Template } from './template.ts';
import { QUOTE, readUtterance, restore, type Utterance } from './utterance.ts';

let compiled: { phrases: Template[]; incomplete: Template[] } | undefined;

function tables() {
  compiled ??= {
    phrases: PHRASES.map(({ says }) => compileTemplate(says)),
    incomplete: INCOMPLETE.map(({ says }) => compileTemplate(says)),
  };
  return compiled;
}

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
  const quotes: string[] = [];
  const masked = text.replace(QUOTE, (quoted) => {
    quotes.push(quoted);
    return `⟪${quotes.length - 1}⟫`;
  });
  return { masked, restoreText: (part) => part.replace(/⟪(\d+)⟫/g, (_, at: string) => quotes[Number(at)] ?? '') };
}

function interpretOne(text: string): Reading {
  const scoped = readUtterance(text);
  if (scoped.words === '') return { type: 'unknown' };
  const unscoped = scoped.scope.paths.length > 0 && !scoped.scope.without ? readUtterance(text, false) : undefined;
  // "the contents of a.ts" names no scope but the thing itself.
  return (
    fitting(scoped) ?? (unscoped && fitting(unscoped)) ?? incomplete(scoped) ?? loneFind(scoped) ?? { type: 'unknown' }
  );
}

function fitting(utterance: Utterance): Reading | undefined {
  for (const [index, template] of tables().phrases.entries()) {
    const caught = template.match(utterance);
    const phrase = PHRASES[index];
    if (!caught || !phrase) continue;
    if (utterance.scope.without && !CAN_LEAVE_OUT.has(phrase.intent)) continue;
    if (CHANGES.has(phrase.intent) && LEAVES_OUT.test(utterance.words)) return whatToLeaveOut();
    const reading = refine(asRequest(phrase.intent, { ...caught.slots, ...phrase.with }, utterance), caught, utterance);
    if (reading) return reading;
  }
  return undefined;
}

/** Intents whose plans know how to pass over files. */
const CAN_LEAVE_OUT = new Set('rename rewrite rewrite-calls replace search references todos symbols find'.split(' '));
const CHANGES = new Set(['rename', 'rewrite', 'rewrite-calls', 'replace']);

function whatToLeaveOut(): Reading {
  const text =
    'What should be left out is not clear to me, so I change nothing. Say it again with a file or folder, for example: … but not in `src/old`';
  return { type: 'question', question: { text } };
}

function asRequest(intent: string, slots: Readonly<Record<string, string>>, utterance: Utterance): Request {
  const { scope, ignoreCase, original } = utterance;
  return { intent, slots, scope, ignoreCase, text: original };
}

/** Looks at what a phrase caught: some catches belong to another intent, some have two meanings, some make no sense. */
function refine(request: Request, caught: Caught, utterance: Utterance): Reading | undefined {
  const { slots, scope } = request;
  const ok = (changed: Request = request): Reading => ({ type: 'request', request: changed });
  const as = (intent: string, extra: Readonly<Record<string, string>> = {}) =>
    ok({ ...request, intent, slots: { ...slots, ...extra } });
  switch (request.intent) {
    case 'rename':
      if (slots['old'] !== undefined && looksLikePath(slots['old'])) return as('move-file');
      return ok();
    case 'rewrite':
      return (codeLike(slots['old'] ?? '') && !looksLikePath(slots['old'] ?? '')) || slots['structure'] === 'yes'
        ? ok()
        : undefined;
    case 'replace':
      return refineReplace(request, caught, utterance);
    case 'append':
    case 'create':
      return refineContent(request, caught, utterance);
    case 'find':
      return refineFind(request, ok);
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
      return refineRun(request, caught, utterance);
    default:
      return ok();
  }
}

/** "session files" may be meant by their name; "delete files" is no search at all. */
function refineFind(request: Request, ok: (request?: Request) => Reading): Reading | undefined {
  const { type, bare } = request.slots;
  const isKnown = type === undefined || globsForType(type) !== undefined || looksLikeFolder(type) || /[*?]/.test(type);
  return bare === 'yes' && !isKnown ? undefined : ok();
}

function refineFileRequest(request: Request, ok: (request?: Request) => Reading): Reading | undefined {
  const path = request.slots['path'] ?? request.scope.paths[0];
  if (request.intent === 'tests') {
    // "run build.sh" runs a file; only what is called a test is one.
    if (request.slots['path'] !== undefined && !/test|spec/i.test(request.text)) return undefined;
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

/** A request that lacks something becomes a question. */
function incomplete(utterance: Utterance): Reading | undefined {
  for (const [index, template] of tables().incomplete.entries()) {
    const slots = template.match(utterance)?.slots;
    const phrase = INCOMPLETE[index];
    if (!slots || !phrase) continue;
    const partial = asRequest(phrase.intent, slots, utterance);
    const text = phrase.question.replace(/\{(\w+)\}/g, (_, id: string) => slots[id] ?? '');
    return { type: 'question', question: { text, fill: (answer) => filled(partial, phrase.asks, answer) } };
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
  const slots = LONE_FIND.match(utterance)?.slots;
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
