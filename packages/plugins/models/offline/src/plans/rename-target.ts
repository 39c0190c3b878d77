/** Which declaration is meant; a question where that is not clear. */
import { type Binding, kindText } from '../code/facts.ts';
import { ask, type Asked, failed, type Outcome } from '../plan.ts';
import type { Choice, Request } from '../request.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile } from './reading.ts';
import { code, count, listed } from './wording.ts';

/** Something that could be meant: a declaration, or a line that looks like one in a language without a grammar. */
export interface Candidate {
  readonly path: string;
  readonly line: number;
  readonly kinds: readonly string[];
  readonly text: string;
  /** For members: whose. */
  readonly owner?: string;
  readonly binding?: Binding;
}

/** Other words for the same kind. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  class: ['class', 'struct'],
  struct: ['struct', 'class'],
  variable: ['variable', 'parameter', 'property'],
  property: ['property', 'variable'],
  type: ['type', 'interface', 'class', 'enum', 'struct', 'trait', 'type parameter'],
  symbol: [],
  export: [],
};

function isOfKind({ kinds }: Candidate, kindName: string): boolean {
  const words = SAME[kindName] ?? [kindName];
  return words.length === 0 || kinds.some((kind) => words.includes(kind));
}

/** Picks the one that is meant. */
export function chooseTarget(
  request: Request,
  old: string,
  all: readonly Candidate[],
  lines: readonly FoundLine[],
): Candidate | Outcome {
  const { kind: kindName, home, at, owner } = request.slots;
  if (home !== undefined && at !== undefined) {
    const chosen = all.find(({ path, line }) => path === home && line === Number(at));
    if (chosen) return chosen;
  }
  const declared = all.filter((candidate) => owner === undefined || ownerOf(candidate) === owner);
  if (declared.length === 0) return nothingDeclared(request, old, all, lines);
  const ofKind = kindName === undefined ? declared : declared.filter((candidate) => isOfKind(candidate, kindName));
  if (ofKind.length === 0) return otherKind(request, old, kindName ?? '', declared);
  // Who says a name without more means what the project sees, not the variable of some function.
  const wide = ofKind.filter(({ binding }) => binding?.level !== 'local');
  const meant = wide.length > 0 ? wide : ofKind;
  const [only] = meant;
  if (only && meant.length === 1) return isSeveral(only) ? severalKinds(request, old, only) : only;
  const files = byFile(meant.map((candidate) => ({ ...candidate, anchor: undefined, isMatch: true })));
  const text =
    files.size === 1
      ? `${code(old)} is declared ${meant.length} times in ${code(only?.path ?? '')}. Which one should be renamed?`
      : `${code(old)} is declared in ${count(files.size, 'file')}. Which one should be renamed?`;
  return ask({ text, choices: meant.slice(0, 20).map((candidate) => choiceOf(request, candidate, files.size > 1)) });
}

function ownerOf({ owner, path }: Candidate): string | undefined {
  return owner ?? path.split('/').at(-1)?.replace(/\..*$/, '');
}

function withSlots(request: Request, slots: Readonly<Record<string, string>>): Request {
  return { ...request, slots: { ...request.slots, ...slots } };
}

/** What a declaration is: "method `total` of `Cart`", or "method of `Cart`" without the name. */
export function describe({ kinds, owner }: Pick<Candidate, 'kinds' | 'owner'>, name?: string): string {
  const named = name === undefined ? '' : ` ${code(name)}`;
  return `${kindText({ kinds })}${named}${owner === undefined || owner === '' ? '' : ` of ${code(owner)}`}`;
}

function choiceOf(request: Request, candidate: Candidate, byPath: boolean): Choice {
  const { path, line, text } = candidate;
  return {
    label: `${code(path)}, line ${line}, ${describe(candidate)}: ${code(text.trim().slice(0, 100))}`,
    words: byPath ? [path, `in ${path}`, `the one in ${path}`] : [`line ${line}`, kindText(candidate)],
    request: withSlots(request, { home: path, at: String(line) }),
  };
}

/** The choice that ends a question without doing anything. */
export function leave(request: Request): Choice {
  return {
    label: 'leave everything as it is',
    words: ['no', 'n', 'none', 'nothing', 'stop', 'cancel'],
    request: { ...request, intent: 'nothing', slots: {} },
  };
}

function otherKind(request: Request, old: string, kindName: string, declared: readonly Candidate[]): Asked {
  const wide = declared.filter(({ binding }) => binding?.level !== 'local');
  const shown = (wide.length > 0 ? wide : declared).slice(0, 20);
  return ask({
    text: `No ${kindName} is called ${code(old)}, but something else is. Should that be renamed?`,
    choices: [...shown.map((candidate) => choiceOf(request, candidate, true)), leave(request)],
  });
}

/** A type and a value can share a name and still be two things; a name that is assigned again is one. */
function isSeveral({ kinds }: Candidate): boolean {
  const types = kinds.filter((kind) => /^(?:interface|type|trait|namespace|module)$/.test(kind));
  return types.length > 0 && types.length < kinds.length;
}

function severalKinds(request: Request, old: string, candidate: Candidate): Asked {
  const { path, line, kinds } = candidate;
  return ask({
    text: `${code(old)} is more than one thing in ${code(path)}: ${listed(kinds)}. The rules can rename them only together.`,
    choices: [
      {
        label: 'rename all of them',
        words: ['all', 'all of them', 'both', 'yes'],
        request: withSlots(request, { home: path, at: String(line) }),
      },
      leave(request),
    ],
  });
}

function nothingDeclared(
  request: Request,
  old: string,
  all: readonly Candidate[],
  lines: readonly FoundLine[],
): Outcome {
  const next = request.slots['new'] ?? '';
  if (all.length > 0) {
    const owners = [...new Set(all.map(ownerOf).filter((owner) => owner !== undefined))];
    return failed(
      `${code(`${request.slots['owner']}.${old}`)} is not declared here; ${code(old)} is declared in ${listed(owners.map(code))}. Nothing was changed.`,
    );
  }
  const files = [...byFile(lines).keys()];
  return ask({
    text:
      `${code(old)} occurs on ${count(lines.length, 'line')} in ${count(files.length, 'file')}, but no line declares it in a way the rules know. ` +
      'Should the text be replaced instead?',
    choices: [
      {
        label: `replace the text ${code(old)} by ${code(next)} on these lines`,
        words: ['yes', 'y', 'replace', 'ok', 'sure', 'go ahead', 'do it'],
        request: {
          ...request,
          intent: 'replace',
          slots: { old, new: next, whole: 'yes' },
          scope: { ...request.scope, everywhere: true },
        },
      },
      leave(request),
    ],
  });
}

/** What is only imported has its name from somewhere else. */
export function onlyImported(old: string, imports: readonly Binding[], isNarrow: boolean): Outcome | undefined {
  const from = [...new Set(imports.flatMap(({ origin }) => (origin ? [origin.from] : [])))];
  const [first] = imports;
  if (!first || from.length === 0) return undefined;
  const next = isNarrow
    ? 'Ask again without naming a place, to rename it where it is declared.'
    : 'Its name is decided there.';
  return failed(
    `${code(old)} is not declared ${isNarrow ? 'there' : 'in this project'}: ${code(`${first.path}:${first.line}`)} imports it from ${listed(from.slice(0, 3).map(code))}. ${next} Nothing was changed.`,
  );
}
