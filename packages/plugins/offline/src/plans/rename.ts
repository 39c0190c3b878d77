/**
 * Renames a symbol in three passes: the parser renames what it knows to be that name, lines that need more than a new
 * word (`{ name }`, types, members of a module) are edited one by one, and a last search shows what is left.
 */
import { declares } from '../code/declarations.ts';
import { familyOf, groupByLanguage } from '../code/languages.ts';
import { type CallResult, call, type Desk, failed, type Outcome, type Plan, type Running, type Step } from '../plan.ts';
import type { Request } from '../request.ts';
import { type FoundLine, unparsedFiles } from '../tool-output.ts';
import { lastPart } from './look.ts';
import { byFile, editInput, type Found, pathsOf, readWhole, searchAll, wordPattern } from './reading.ts';
import { type Leftover, planLines, type RenameTarget } from './rename-lines.ts';
import { chooseDeclaration, clashWith } from './rename-questions.ts';
import { renameReport } from './rename-report.ts';
import { code, count, where } from './wording.ts';

/** Renames a symbol across the project. */
export const rename: Plan = function* (request, desk) {
  const old = lastPart(request.slots['old'] ?? '');
  const next = lastPart(request.slots['new'] ?? '');
  const refusal = refuse(old, next, desk);
  if (refusal) return refusal;
  const mentions = yield* searchAll(wordPattern(old, next), pathsOf(request), {
    say: `Looking for ${code(old)} and ${code(next)}${where(request.scope.paths)}.`,
  });
  if (mentions.isError) return failed(`The search failed: ${mentions.note}`);
  const hasOld = ({ text }: FoundLine) => new RegExp(wordPattern(old)).test(text);
  const lines = mentions.lines.filter(hasOld);
  const problem = mentionProblem(old, request, mentions, lines);
  if (problem) return problem;
  const choice = chooseDeclaration(request, old, lines);
  if ('question' in choice) return choice;
  const clash = request.slots['force'] === 'yes' ? undefined : clashWith(request, old, next, mentions.lines, choice);
  if (clash) return clash;
  const home = lines.filter(({ path }) => path === choice.path);
  const isExported = home.some(({ text }) => /^\s*export\b/.test(text));
  const target: RenameTarget = { old, next, kind: choice.kind, file: choice.path, isExported };
  const { included, foreign } = filesOf(target, lines);
  return yield* carryOut(target, included, foreign, request);
};

function refuse(old: string, next: string, desk: Desk): Outcome | undefined {
  if (old === next) return failed(`${code(old)} already has that name.`);
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(next)) {
    return failed(
      `${code(next)} cannot be a name in code: a name has letters, digits, _ and $, and does not start with a digit.`,
    );
  }
  const missing = ['search', 'ast_edit', 'resolve', 'read', 'edit'].filter((tool) => !desk.has(tool));
  if (missing.length === 0) return undefined;
  return failed(
    `Renaming needs the tools ${missing.map(code).join(', ')}, which this session does not offer. Nothing was changed. ` +
      'Start without `--tools`, or add them to it.',
  );
}

function mentionProblem(
  old: string,
  request: Request,
  mentions: Found,
  lines: readonly FoundLine[],
): Outcome | undefined {
  if (lines.length === 0)
    return failed(
      `${code(old)} does not occur${where(request.scope.paths)}. Nothing was changed. Is the spelling right?`,
    );
  if (!mentions.isPartial) return undefined;
  return failed(
    `${code(old)} occurs too often for one pass. Name a folder, for example "in src", and I rename it there. Nothing was changed.`,
  );
}

/** Which files belong to the renaming: the home of the declaration, and those that can mean it. */
function filesOf(target: RenameTarget, lines: readonly FoundLine[]): { included: string[]; foreign: FoundLine[] } {
  const included: string[] = [];
  const foreign: FoundLine[] = [];
  for (const [path, found] of byFile(lines)) {
    const family = familyOf(path);
    if (!family) continue;
    const isHome = path === target.file;
    const hasOwn = !isHome && found.some(({ text }) => declares(text, target.old) !== undefined);
    const canMeanIt = !family.imports || found.some(({ text }) => isImport(text, target));
    if (isHome || (!hasOwn && canMeanIt)) included.push(path);
    else foreign.push(...found);
  }
  return { included, foreign };
}

/** A line that brings the name in: an import, one item of an import list, or a member of an imported module. */
function isImport(text: string, { old, file }: RenameTarget): boolean {
  if (
    /^\s*import\b|^\s*export\s+(?:type\s+)?[{*]|\b(?:require|import)\s*\(|^\s*\}.*\bfrom\b|^\s*from\s+\S+\s+import\b/.test(
      text,
    )
  )
    return true;
  const module = /([^/]+?)(?:\.[^./]+)?$/.exec(file)?.[1] ?? '';
  const name = old.replaceAll('$', String.raw`\$`);
  return (
    new RegExp(String.raw`^\s*(?:type\s+)?${name}(?:\s+as\s+\w+)?,?\s*$`).test(text) ||
    new RegExp(String.raw`\b${module.replace(/\W/g, '.')}\.${name}\b`, 'i').test(text)
  );
}

function* carryOut(
  target: RenameTarget,
  included: readonly string[],
  foreign: readonly FoundLine[],
  request: Request,
): Running {
  const { old, next } = target;
  const notes: string[] = [];
  const byScan = included.filter((path) => needsScan(path, target));
  const files = new Set<string>();
  const unparsed: string[] = [];
  let replaced = 0;
  for (const [language, paths] of groupByLanguage(included.filter((path) => !byScan.includes(path)))) {
    const done = yield* rewriteNames(target, paths);
    if (done.problem !== undefined)
      notes.push(`The ${language} files could not be rewritten by structure: ${done.problem}`);
    for (const path of done.unparsed) notes.push(`${code(path)} has a syntax error, so nothing in it was renamed.`);
    unparsed.push(...done.unparsed);
    replaced += done.replaced;
    for (const path of done.files) files.add(path);
  }
  const rest = yield* searchAll(wordPattern(old), pathsOf(request), { say: 'Checking what is left.' });
  const leftovers: Leftover[] = [];
  const changes = [];
  for (const [path, found] of byFile(rest.lines)) {
    if (!included.includes(path) || unparsed.includes(path)) continue;
    const read = yield* readWhole(path);
    if ('problem' in read) {
      notes.push(read.problem);
      continue;
    }
    const planned = planLines(target, path, read.text, found, { plain: byScan.includes(path) });
    changes.push(...planned.changes);
    leftovers.push(...planned.left);
    replaced += planned.replaced;
  }
  if (changes.length > 0) {
    const edited = yield* call(
      'edit',
      { input: editInput(changes) },
      {
        say: `${count(changes.length, 'line')} ${changes.length === 1 ? 'needs' : 'need'} more than the parser's rename.`,
        mayFail: true,
      },
    );
    if (edited.isError) {
      notes.push(`${count(changes.length, 'line')} could not be edited: ${edited.text}`);
      replaced -= changes.length;
    } else for (const { path } of changes) files.add(path);
  }
  const last = changes.length > 0 ? yield* searchAll(wordPattern(old), pathsOf(request)) : rest;
  const verified = yield* searchAll(wordPattern(next), pathsOf(request));
  return renameReport({
    target,
    replaced,
    files: [...files],
    leftovers,
    foreign,
    remaining: last.lines,
    now: verified.lines,
    notes,
  });
}

/** Where members and names are the same or not the same to the parser in the wrong way, lines are edited one by one. */
function needsScan(path: string, { kind }: RenameTarget): boolean {
  const family = familyOf(path);
  if (family?.id === 'python') return true;
  return kind === 'method' && family?.membersAreNames !== true;
}

interface Rewritten {
  readonly unparsed: readonly string[];
  readonly replaced: number;
  readonly files: readonly string[];
  readonly problem?: string;
}

/** Lets the parser rename: a preview, then its application. */
function* rewriteNames(
  { old, next }: RenameTarget,
  paths: readonly string[],
): Generator<Step, Rewritten, readonly CallResult[]> {
  const preview = yield* call(
    'ast_edit',
    { ops: [{ pat: old, out: next }], paths },
    { say: `Renaming by structure in ${count(paths.length, 'file')}.`, mayFail: true },
  );
  if (preview.isError) return { replaced: 0, files: [], unparsed: [], problem: preview.text };
  const unparsed = unparsedFiles(preview.text, paths);
  if (preview.text.startsWith('No replacements made')) return { replaced: 0, files: [], unparsed };
  const applied = yield* call('resolve', { action: 'apply', reason: `rename ${old} to ${next}` }, { mayFail: true });
  if (applied.isError) return { replaced: 0, files: [], unparsed, problem: applied.text };
  const replaced = Number(/(\d+) replacements?/.exec(applied.text)?.[1] ?? 0);
  return { replaced, files: paths.filter((path) => !unparsed.includes(path)), unparsed };
}
