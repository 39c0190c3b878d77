/**
 * Renames a symbol: finds its declaration, parses the files that mention it, follows scopes and imports, asks about what
 * cannot be told, changes exactly the places that mean it, and searches again.
 */
import { clashesOf } from '../code/clash.ts';
import type { Binding, FileFacts, Mention } from '../code/facts.ts';
import { canUse, ecosystemOf, isReserved } from '../code/languages.ts';
import type { ModuleMap } from '../code/modules/module-map.ts';
import { type Doubt, type Reach, reachOf } from '../code/reach.ts';
import { isCallable, localReach, memberReach } from '../code/reach-inside.ts';
import { isInScope } from '../language/paths.ts';
import { call, type Desk, failed, type Outcome, type Plan } from '../plan.ts';
import type { Request } from '../request.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile, editInput, searchAll, searchScope, type Steps, wordPattern } from './reading.ts';
import { askAboutClash, askAboutDoubts, askAboutOutside, type ShownMention } from './rename-doubts.ts';
import { renamedLines } from './rename-edit.ts';
import { modulesFor } from './rename-modules.ts';
import { renameReport } from './rename-report.ts';
import { type Candidate, chooseTarget, describe, onlyImported } from './rename-target.ts';
import { renameWords } from './rename-words.ts';
import { bindingsOf, candidatesIn, holds, likelyFiles, studyFiles, type Workbench } from './rename-workbench.ts';
import { code, count, where } from './wording.ts';

/** Renames a symbol across the project. */
export const rename: Plan = function* (original, desk) {
  const request = withOwner(original);
  const { old = '', new: next = '' } = request.slots;
  const refusal = refuse(old, next, desk);
  if (refusal) return refusal;
  const mentions = yield* searchScope(wordPattern(old, next), request, {
    say: `Looking for ${code(old)} and ${code(next)}${where(request.scope.paths)}.`,
  });
  if (mentions.isError) return failed(`The search failed: ${mentions.note}`);
  const lines = mentions.lines.filter(holds(old));
  if (lines.length === 0)
    return failed(
      `${code(old)} does not occur${where(request.scope.paths)}. Nothing was changed. Is the spelling right?`,
    );
  if (mentions.isPartial) return tooOften(old);
  const workbench: Workbench = { old, next, texts: new Map(), facts: new Map(), problems: new Map() };
  const problem = yield* studyFiles(workbench, likelyFiles(lines, old));
  if (problem) return problem;
  const imports = bindingsOf(workbench).filter(({ name, origin }) => name === old && origin !== undefined);
  const candidates = candidatesIn(workbench, lines);
  if (candidates.length === 0 && workbench.problems.size > 0) {
    return failed(
      `No declaration of ${code(old)} was found. ${[...workbench.problems.values()][0]} Nothing was changed.`,
    );
  }
  const foreign = candidates.length === 0 ? onlyImported(old, imports, isNarrow(request)) : undefined;
  const target = foreign ?? chooseTarget(request, old, candidates, lines);
  if (!('path' in target)) return target;
  if (!target.binding) return yield* renameWords(request, target, lines);
  return yield* renameBinding(request, target, target.binding, mentions.lines, workbench);
};

/** `Cart.total` names the member and its owner. */
function withOwner(request: Request): Request {
  const { old = '', new: next = '' } = request.slots;
  const parts = old.split(/\.|::|#|->/);
  const slots = { ...request.slots, old: parts.at(-1) ?? old, new: next.split(/\.|::|#|->/).at(-1) ?? next };
  return { ...request, slots: parts.length > 1 ? { ...slots, owner: parts.at(-2) ?? '' } : slots };
}

function refuse(old: string, next: string, desk: Desk): Outcome | undefined {
  if (old === next) return failed(`${code(old)} already has that name.`);
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(next)) {
    return failed(
      `${code(next)} cannot be a name in code: a name has letters, digits, _ and $, and does not start with a digit.`,
    );
  }
  const missing = ['search', 'find', 'read', 'edit'].filter((tool) => !desk.has(tool));
  if (missing.length === 0) return undefined;
  return failed(
    `Renaming needs the ${missing.length === 1 ? 'tool' : 'tools'} ${missing.map(code).join(', ')}, which this session does not offer. Nothing was changed. ` +
      'Start without `--tools`, or add them to it.',
  );
}

function tooOften(old: string): Outcome {
  return failed(
    `${code(old)} occurs too often for one pass. Name a folder, for example "in src", and I rename it there. Nothing was changed.`,
  );
}

function* renameBinding(
  request: Request,
  candidate: Candidate,
  target: Binding,
  scopeLines: readonly FoundLine[],
  bench: Workbench,
): Steps<Outcome> {
  const { old, next } = bench;
  const ecosystem = ecosystemOf(target.path) ?? '';
  if (isReserved(ecosystem, next))
    return failed(`${code(next)} is a word of the language itself. Nothing was changed.`);
  if (bench.facts.get(target.path)?.hasErrors) {
    return failed(
      `${code(target.path)} has a syntax error, so it cannot be told what ${code(old)} means in it. Nothing was changed.`,
    );
  }
  if (target.unclear !== undefined) {
    return failed(
      `${code(old)} (${code(`${target.path}:${target.line}`)}) cannot be renamed by rules: ${target.unclear}. Nothing was changed.`,
    );
  }
  const isWide = target.level !== 'local' || isCallable(target);
  let all = scopeLines;
  if (isWide && isNarrow(request)) {
    const say = 'Looking for uses in the rest of the project.';
    const rest = yield* searchAll(wordPattern(old, next), ['.'], { say });
    if (rest.isError || rest.isPartial) return tooOften(old);
    all = rest.lines;
  }
  const lines = all.filter(holds(old));
  // Where files share their names, the new one may be taken in a file that does not have the old one.
  const looked = SHARED.has(ecosystem) ? all : lines;
  const family = [...byFile(looked).keys()].filter((path) => ecosystemOf(path) === ecosystem);
  if (isWide) {
    const problem = yield* studyFiles(bench, family);
    if (problem) return problem;
  }
  const files = [...bench.facts.values()].filter(({ path }) => ecosystemOf(path) === ecosystem);
  const { reach, map } = yield* reachFor(request, target, files);
  const broken = files.filter(({ hasErrors }) => hasErrors).map(({ path }) => path);
  const usable = reach.certain.filter(({ path }) => !broken.includes(path));
  const question = questionAbout(request, candidate, { reach, usable, lines, files, bench, map, ecosystem });
  if (question) return question;
  const isWanted = ({ path }: Mention) => request.slots['outside'] !== 'no' || isInScope(path, request.scope);
  const [changed, wished] = [usable.filter(isWanted), usable.filter((mention) => !isWanted(mention))];
  return yield* change(candidate, target, { reach, changed, wished, lines, files, bench });
}

const SHARED = new Set(['go', 'java', 'c']);

function isNarrow({ scope }: Request): boolean {
  return scope.paths.length > 0 || scope.without !== undefined;
}

function* reachFor(
  request: Request,
  target: Binding,
  files: readonly FileFacts[],
): Steps<{ reach: Reach; map?: ModuleMap }> {
  const assume = request.slots['unsure'] === 'yes';
  if (target.level === 'local') return { reach: localReach(target, files, assume) };
  if (target.level === 'member') return { reach: memberReach(target, files, assume) };
  const { map, bridges } = yield* modulesFor(target, files);
  return { reach: reachOf({ target, files, map, bridges, assume }), map };
}

interface Findings {
  readonly reach: Reach;
  /** The certain places in files that parse. */
  readonly usable: readonly Mention[];
  readonly lines: readonly FoundLine[];
  readonly files: readonly FileFacts[];
  readonly bench: Workbench;
  readonly map: ModuleMap | undefined;
  readonly ecosystem: string;
}

function questionAbout(
  request: Request,
  candidate: Candidate,
  { reach, usable, lines, files, bench, map, ecosystem }: Findings,
): Outcome | undefined {
  const { old, next } = bench;
  const { force, unsure, outside: allowed } = request.slots;
  const clashes = force === 'yes' ? [] : clashesOf(next, reach, files, map);
  if (clashes.length > 0) return askAboutClash(request, old, next, `${candidate.path}:${candidate.line}`, clashes);
  const hidden = hiddenInGo(candidate, next, ecosystem, usable);
  if (hidden) return hidden;
  const doubts = unsure === undefined ? shownDoubts(candidate, reach.doubts, lines, { ecosystem, files }) : [];
  if (doubts.length > 0) return askAboutDoubts(request, old, describe(candidate), doubts);
  const outside = usable.filter(({ path }) => !isInScope(path, request.scope));
  const isLocated = request.scope.isLocator === true && (request.scope.without ?? []).length === 0;
  if (outside.length > 0 && allowed === undefined && !isLocated) return askAboutOutside(request, old, outside);
  return undefined;
}

/** In Go the first letter decides who sees a name. */
function hiddenInGo(
  { path, binding }: Candidate,
  next: string,
  ecosystem: string,
  usable: readonly Mention[],
): Outcome | undefined {
  if (ecosystem !== 'go' || binding?.level !== 'module' || /^\p{Lu}/u.test(next)) return undefined;
  const away = usable.find(({ usage }) => usage === 'outside');
  if (!away) return undefined;
  return failed(
    `${code(next)} begins with a small letter, so other packages could not see it, and ${code(`${away.path}:${away.line}`)} uses it (it is declared in ${code(path)}). Nothing was changed.`,
  );
}

function shownDoubts(
  { binding }: Candidate,
  doubts: readonly Doubt[],
  lines: readonly FoundLine[],
  { ecosystem, files }: Pick<Findings, 'ecosystem' | 'files'>,
): ShownMention[] {
  const textAt = (path: string, line: number) =>
    lines.find((other) => other.path === path && other.line === line)?.text ?? '';
  const own = new Map(
    doubts.map(({ mention: { path, line }, why }) => [
      `${path}:${line}`,
      { path, line, why, text: textAt(path, line), canRename: true },
    ]),
  );
  if (binding?.level === 'local') return [...own.values()];
  const guests = lines
    .filter(({ path, text }) => canUse(ecosystem, path) && !/^\s*(?:\/\/|\*|#|<!--)/.test(text))
    .map(({ path, line, text }) => ({ path, line, text, why: 'the rules do not read such files', canRename: false }));
  const unread = lines
    .filter(({ path }) => ecosystemOf(path) === ecosystem && !files.some((file) => file.path === path))
    .map(({ path, line, text }) => ({ path, line, text, why: 'the file could not be parsed', canRename: false }));
  return [...own.values(), ...guests, ...unread];
}

interface Change {
  readonly reach: Reach;
  readonly changed: readonly Mention[];
  readonly wished: readonly Mention[];
  readonly lines: readonly FoundLine[];
  readonly files: readonly FileFacts[];
  readonly bench: Workbench;
}

function* change(
  candidate: Candidate,
  target: Binding,
  { reach, changed, wished, lines, files, bench }: Change,
): Steps<Outcome> {
  const { old, next } = bench;
  const renamed = renamedLines(next, changed, lines, bench.texts);
  if ('problem' in renamed) return failed(`${renamed.problem} Nothing was changed.`);
  if (renamed.length > 0) {
    const say = `Changing ${count(renamed.length, 'line')} in ${count(new Set(renamed.map(({ path }) => path)).size, 'file')}.`;
    const edited = yield* call('edit', { input: editInput(renamed) }, { say, mayFail: true });
    if (edited.isError) return failed(`The change was refused, nothing was changed: ${edited.text}`);
  }
  const searched = target.level === 'local' ? target.path : '';
  const last = yield* searchAll(wordPattern(old), [searched === '' ? '.' : searched], {
    say: 'Checking what is left.',
  });
  return renameReport({
    old,
    next,
    what: describe(candidate, old),
    home: target.path,
    lines: renamed,
    changed,
    wished,
    doubts: reach.doubts,
    files,
    remaining: last.lines,
    searched,
    isPartial: last.isPartial,
    notes: notesOf(target, reach, files, bench),
  });
}

/** What was not done though it should have been. */
function notesOf(
  target: Binding,
  { certain }: Reach,
  files: readonly FileFacts[],
  { old, next, problems }: Workbench,
): string[] {
  const missed = files.filter(({ path, hasErrors }) => hasErrors && certain.some((mention) => mention.path === path));
  const broken = missed.map(({ path }) => `${code(path)} has a syntax error, so nothing in it was renamed.`);
  const java = files
    .filter(({ path }) => path === target.path && path.split('/').at(-1) === `${old}.java` && target.level === 'module')
    .map(({ path }) => {
      const moved = `${path.slice(0, -`${old}.java`.length)}${next}.java`;
      return `${code(path)} must now be called ${code(moved)}; say: run \`git mv ${path} ${moved}\`.`;
    });
  const unread = [...problems].filter(([path]) => ecosystemOf(path) === ecosystemOf(target.path)).map(([, why]) => why);
  return [...unread, ...broken, ...java];
}
