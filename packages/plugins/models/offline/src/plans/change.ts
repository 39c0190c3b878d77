/** Plans that change files: structural rewrite, text replacement, new files, added lines. */
import { familyOf, groupByLanguage } from '../code/languages.ts';
import { escapePattern } from '../code/declarations.ts';
import { isExcluded } from '../language/paths.ts';
import { ask, beyondRules, call, failed, type Outcome, type Plan, said } from '../plan.ts';
import type { Request } from '../request.ts';
import { type FoundLine, isCut, isShortened, nextPage, readFoundLines, readPaths } from '../tool-output.ts';
import { byFile, editInput, type LineChange, pathsOf, readWhole, searchScope, wordPattern } from './reading.ts';
import { block, bullets, code, count, listed, where } from './wording.ts';

/** A rewrite may uncover new matches inside what it wrote; more rounds than this mean that it never ends. */
const MAX_ROUNDS = 4;

/** Rewrites code by structure: preview, apply, look again. */
export const rewrite: Plan = function* (request) {
  const [pat = '', out = ''] = [request.slots['old'], request.slots['new']];
  const unknown = metaVariables(out).filter((name) => !metaVariables(pat).includes(name));
  if (unknown.length > 0)
    return failed(
      `${listed(unknown.map(code))} is in the new code but not in the pattern, so there is nothing to put there.`,
    );
  const before = yield* matchesOf(pat, request, `Looking for code like ${code(pat)}${where(request.scope.paths)}.`);
  if ('problem' in before) return failed(`The pattern ${code(pat)} could not be searched: ${before.problem}`);
  if (before.lines.length === 0)
    return said(`No code matches ${code(pat)}${where(request.scope.paths)}. Nothing was changed.${before.note}`);
  let [replaced, remaining] = [0, before.lines];
  const problems: string[] = [];
  for (let round = 0; round < MAX_ROUNDS && remaining.length > 0; round++) {
    for (const [language, paths] of groupByLanguage([...byFile(remaining).keys()])) {
      const preview = yield* call(
        'ast_edit',
        { ops: [{ pat, out }], paths },
        {
          say:
            round === 0
              ? `Previewing the rewrite of ${count(paths.length, `${language} file`)}.`
              : 'Some matches overlapped; going once more.',
          mayFail: true,
        },
      );
      if (preview.isError || preview.text.startsWith('No replacements made')) {
        problems.push(`${language}: ${preview.text}`);
        continue;
      }
      const applied = yield* call(
        'resolve',
        { action: 'apply', reason: `rewrite ${pat} to ${out}` },
        { mayFail: true },
      );
      if (applied.isError) problems.push(`${language}: ${applied.text}`);
      else replaced += Number(/(\d+) replacements?/.exec(applied.text)?.[1] ?? 0);
    }
    const after = yield* matchesOf(pat, request, 'Checking what is left.');
    const rest = 'problem' in after ? [] : after.lines;
    if (problems.length > 0 || matchesItself(pat, out) || rest.length >= remaining.length) {
      remaining = rest;
      break;
    }
    remaining = rest;
  }
  return rewriteReport(request, { pat, out, replaced, before: before.lines, remaining, problems });
};

function metaVariables(pattern: string): string[] {
  return [...new Set([...pattern.matchAll(/\$+[A-Z_][A-Z0-9_]*/g)].map(([name]) => name))];
}

/** `log($A)` to `log("x", $A)`: going on until nothing matches would never end. */
function matchesItself(pat: string, out: string): boolean {
  const head = /^[\w.$]+(?=\()/.exec(pat)?.[0];
  return head !== undefined && !head.startsWith('$') && out.includes(`${head}(`);
}

function* matchesOf(pat: string, request: Request, say: string) {
  const paths = pathsOf(request);
  const lines: FoundLine[] = [];
  let note = '';
  let skip: number | undefined = 0;
  for (let page = 0; skip !== undefined && page < 40; page++) {
    const result: { text: string; isError: boolean } = yield* call(
      'ast_grep',
      { pat, paths, ...(skip > 0 && { skip }) },
      { ...(page === 0 && { say }), mayFail: true },
    );
    if (result.isError) return { problem: result.text };
    const matches = readFoundLines(result.text, paths.length === 1 ? paths[0] : '').filter(({ isMatch }) => isMatch);
    lines.push(...matches);
    if (matches.length === 0) note = issues(result.text);
    skip = isCut(result.text) && matches.length > 0 ? skip + matches.length : nextPage(result.text);
  }
  return { lines: lines.filter(({ path }) => !isExcluded(path, request.scope)), note };
}

/** What the tool says beside "No matches found". */
function issues(output: string): string {
  const rest = output.replace(/^No matches found\.?\s*/, '').trim();
  return rest === '' ? '' : `\n\n${rest}`;
}

function rewriteReport(
  { scope }: Request,
  facts: {
    pat: string;
    out: string;
    replaced: number;
    before: readonly FoundLine[];
    remaining: readonly FoundLine[];
    problems: readonly string[];
  },
): Outcome {
  const { pat, out, replaced, before, remaining, problems } = facts;
  if (replaced === 0) return failed(`Nothing was rewritten.\n\n${bullets(problems).join('\n')}`);
  const files = byFile(before);
  const parts = [
    `Rewrote ${code(pat)} to ${code(out)}: ${count(replaced, 'place')} in ${count(files.size, 'file')}${where(scope.paths)}.`,
    '',
    ...bullets(
      [...files].map(
        ([path, lines]) =>
          `${code(path)}: ${lines.length === 1 ? 'line' : 'lines'} ${[...new Set(lines.map(({ line }) => line))].slice(0, 12).join(', ')}`,
      ),
    ),
  ];
  if (problems.length > 0) parts.push('', 'Problems:', '', ...bullets(problems));
  const isSelf = matchesItself(pat, out);
  parts.push(
    '',
    remaining.length === 0
      ? 'Checked by searching again: no code matches the pattern any more.'
      : isSelf
        ? 'The new code matches the pattern too, so it was rewritten once.'
        : `Checked by searching again: ${count(remaining.length, 'match', 'matches')} left.`,
  );
  return { text: parts.join('\n'), isUntested: true, ...(problems.length > 0 && { failed: true }) };
}

/** "replace calls to a with calls to b". */
export const rewriteCalls: Plan = (request, desk) => {
  const [old = '', next = ''] = [request.slots['old'], request.slots['new']];
  return rewrite({ ...request, intent: 'rewrite', slots: { old: `${old}($$$ARGS)`, new: `${next}($$$ARGS)` } }, desk);
};

/** Replaces text, line by line. */
export const replaceText: Plan = function* (request) {
  const [old = '', next = ''] = [request.slots['old'], request.slots['new']];
  if (old === next) return failed('Both texts are the same, so there is nothing to replace.');
  if (old.includes('\n'))
    return beyondRules('Replacing a text of several lines needs a real model; the rules replace within lines.');
  const pattern = request.slots['whole'] === 'yes' ? wordPattern(old) : escapePattern(old);
  const result = yield* searchScope(pattern, request, {
    say: `Looking for ${code(old)}${where(request.scope.paths)}.`,
  });
  if (result.isError) return failed(`The search failed: ${result.note}`);
  if (result.lines.length === 0)
    return failed(`${code(old)} does not occur${where(request.scope.paths)}. Nothing was changed.`);
  if (result.isPartial)
    return failed(`${code(old)} occurs too often for one pass. Name a folder or file. Nothing was changed.`);
  const files = byFile(result.lines);
  if (request.slots['whole'] === 'perhaps' && isMixed(old, result.lines)) return askWhole(request, result.lines);
  const { scope } = request;
  const isWide = scope.everywhere || scope.paths.length > 0 || scope.without !== undefined;
  if (files.size > 1 && !isWide) return askWhere(request, files);
  const changes = yield* lineChanges(result.lines, new RegExp(pattern, 'g'), next);
  if ('problem' in changes) return failed(changes.problem);
  const edited = yield* call(
    'edit',
    { input: editInput(changes.lines) },
    { say: `Changing ${count(changes.lines.length, 'line')}.`, mayFail: true },
  );
  if (edited.isError) return failed(`The change was refused, nothing was changed: ${edited.text}`);
  const remaining = yield* searchScope(pattern, request, { say: 'Checking what is left.' });
  const parts = [
    `Replaced ${code(old)} by ${code(next)}: ${count(changes.matchCount, 'place')} on ${count(changes.lines.length, 'line')} in ${count(files.size, 'file')}.`,
    '',
    ...bullets(
      [...files].map(
        ([path, lines]) =>
          `${code(path)}: ${lines.length === 1 ? 'line' : 'lines'} ${lines
            .slice(0, 12)
            .map(({ line }) => line)
            .join(', ')}`,
      ),
    ),
    '',
    remaining.lines.length === 0
      ? `Checked by searching again: it no longer occurs ${isNarrow(scope) ? 'there' : 'anywhere'}.`
      : next.includes(old)
        ? 'The new text contains the old one, so it still occurs.'
        : `Checked by searching again: it is left on ${count(remaining.lines.length, 'line')}.`,
  ];
  return said(parts.join('\n'));
};

/** Whether a word stands alone at one place and inside a longer word at another. */
function isMixed(old: string, lines: readonly FoundLine[]): boolean {
  const alone = new RegExp(wordPattern(old), 'g');
  const anywhere = new RegExp(escapePattern(old), 'g');
  const matchCount = (pattern: RegExp) => lines.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);
  const [whole, all] = [matchCount(alone), matchCount(anywhere)];
  return whole > 0 && whole < all;
}

function askWhole(request: Request, lines: readonly FoundLine[]): Outcome {
  const old = request.slots['old'] ?? '';
  const longer = new RegExp(String.raw`\w*${escapePattern(old)}\w*`, 'g');
  const words = new Set(lines.flatMap(({ text }) => [...text.matchAll(longer)].map(([word]) => word)));
  words.delete(old);
  const shown = [...words].sort().slice(0, 5).map(code);
  const choose = (whole: 'yes' | 'no'): Request => ({ ...request, slots: { ...request.slots, whole } });
  return ask({
    text: `${code(old)} also stands inside longer words: ${listed(shown)}${words.size > shown.length ? ' …' : ''}. What should be replaced?`,
    choices: [
      {
        label: 'only the whole word',
        words: ['whole', 'word', 'whole words', 'only whole words'],
        request: choose('yes'),
      },
      {
        label: 'inside longer words too',
        words: ['all', 'inside', 'everything', 'longer words too'],
        request: choose('no'),
      },
    ],
  });
}

function isNarrow({ paths, without }: Request['scope']): boolean {
  return paths.length > 0 || without !== undefined;
}

function askWhere(request: Request, files: ReadonlyMap<string, readonly FoundLine[]>): Outcome {
  const old = request.slots['old'] ?? '';
  const total = [...files.values()].reduce((sum, lines) => sum + lines.length, 0);
  return ask({
    text: `${code(old)} occurs on ${count(total, 'line')} in ${count(files.size, 'file')}. Where should it be replaced?`,
    choices: [
      {
        label: 'everywhere',
        words: ['everywhere', 'all', 'all of them', 'in all files', 'yes'],
        request: { ...request, scope: { paths: [], everywhere: true } },
      },
      ...[...files].slice(0, 12).map(([path, lines]) => ({
        label: `only in ${code(path)} (${count(lines.length, 'line')})`,
        words: [path, `in ${path}`, `only ${path}`, `only in ${path}`],
        request: { ...request, scope: { paths: [path], everywhere: false } },
      })),
    ],
  });
}

function* lineChanges(lines: readonly FoundLine[], pattern: RegExp, next: string) {
  const changes: LineChange[] = [];
  let matchCount = 0;
  for (const [path, fileLines] of byFile(lines)) {
    let whole: string[] | undefined;
    for (const line of fileLines) {
      let { text } = line;
      if (isShortened(line)) {
        const read: { text: string } | { problem: string } = whole ? { text: '' } : yield* readWhole(path);
        if ('problem' in read) return { problem: read.problem };
        whole ??= read.text.split('\n');
        text = whole[line.line - 1] ?? '';
      }
      if (line.anchor === undefined)
        return {
          problem: `The search shows no anchors for ${code(path)}, so its lines cannot be edited safely. Nothing was changed.`,
        };
      matchCount += [...text.matchAll(pattern)].length;
      changes.push({ path, anchor: line.anchor, text: text.replace(pattern, () => next) });
    }
  }
  return { lines: changes, matchCount };
}

/** Creates a file, unless it is there already. */
export const createFile: Plan = function* (request) {
  const { path = '', text, overwrite } = request.slots;
  if (overwrite !== 'yes') {
    const there = yield* call(
      'find',
      { paths: [path] },
      { say: `Making sure that ${code(path)} is not there yet.`, mayFail: true },
    );
    if (!there.isError && readPaths(there.text).length > 0) {
      return ask({
        text: `${code(path)} is there already. Should it be replaced as a whole?`,
        choices: [
          {
            label: 'replace it',
            words: ['yes', 'y', 'replace', 'replace it', 'overwrite', 'ok', 'sure'],
            request: { ...request, slots: { ...request.slots, overwrite: 'yes' } },
          },
          {
            label: 'leave it as it is',
            words: ['no', 'n', 'leave it', 'stop', 'cancel'],
            request: { ...request, intent: 'nothing', slots: {} },
          },
        ],
      });
    }
  }
  const content = text === undefined ? '' : text.endsWith('\n') ? text : `${text}\n`;
  const written = yield* call('write', { path, content }, { mayFail: true });
  if (written.isError) return failed(`${code(path)} could not be written: ${written.text}`);
  if (content === '') return said(`Created ${code(path)}, empty. To fill it, say: append "text" to ${path}.`);
  return said(
    `${overwrite === 'yes' ? 'Replaced' : 'Created'} ${code(path)} with ${count(content.split('\n').length - 1, 'line')}:\n\n${block(content, familyOf(path)?.id ?? '', 20)}`,
  );
};

/** Adds lines at the start or end of a file. */
export const appendText: Plan = function* (request) {
  const { path = '', text = '', at } = request.slots;
  const there = yield* call('find', { paths: [path] }, { say: `Looking at ${code(path)}.`, mayFail: true });
  if (there.isError || readPaths(there.text).length === 0) {
    return ask({
      text: `${code(path)} does not exist. Should it be created?`,
      choices: [
        {
          label: 'create it with this text',
          words: ['yes', 'y', 'create', 'create it', 'ok', 'sure'],
          request: { ...request, intent: 'create', slots: { path, text } },
        },
        {
          label: 'do nothing',
          words: ['no', 'n', 'stop', 'cancel'],
          request: { ...request, intent: 'nothing', slots: {} },
        },
      ],
    });
  }
  const anchor = at === 'start' ? '< BOF' : '+ EOF';
  const input = [`@@ ${path}`, anchor, ...text.split('\n').map((line) => `~${line}`)].join('\n');
  const edited = yield* call('edit', { input }, { mayFail: true });
  if (edited.isError) return failed(`${code(path)} could not be changed: ${edited.text}`);
  return said(
    `Added ${count(text.split('\n').length, 'line')} at the ${at === 'start' ? 'start' : 'end'} of ${code(path)}.`,
  );
};
