/** Plans that explain: the shape of a file, what a file holds, what a symbol is. */
import { declarationIn, declarationPattern } from '../code/declarations.ts';
import { familyOf } from '../code/languages.ts';
import { regionsOf } from '../code/regions.ts';
import { ask, beyondRules, call, failed, type Plan, said } from '../plan.ts';
import { type FoundLine, readFileText, withoutAnchors } from '../tool-output.ts';
import { askServer } from './language-servers.ts';
import { lastPart } from './look.ts';
import { byFile, matchList, pathsOf, readWhole, searchAll, wordPattern } from './reading.ts';
import { block, bullets, code, count, listed, where } from './wording.ts';

const LIMIT_NOTE = 'What it is meant for, beyond what its own words say, needs a real model.';

/** Shows the shape of a file or folder. */
export const outline: Plan = function* (request) {
  const path = request.slots['path'] ?? '.';
  const result = yield* call('read', { path }, { say: `Reading ${code(path)}.`, mayFail: true });
  if (result.isError) return failed(`${code(path)} cannot be read: ${result.text}`);
  const { text } = readFileText(result.text);
  if (!/^\d+[a-z]{2}(?:\.\.\d+[a-z]{2})?\|/m.test(text)) return said(`${code(path)}:\n\n${block(text)}`);
  const shape = withoutAnchors(text)
    .split('\n')
    .filter((row) => isShape(row.replace(/^\d+(?:-\d+)?: /, '')));
  if (shape.length === 0)
    return said(`No declarations were found in ${code(path)}. It begins:\n\n${block(withoutAnchors(text), '', 30)}`);
  return said(`The outline of ${code(path)}:\n\n${block(shape.join('\n'))}`);
};

/** Declarations, and headings of Markdown. */
function isShape(line: string): boolean {
  return (
    declarationIn(line) !== undefined ||
    /^#{1,6} \S/.test(line) ||
    /^\s*(?:export|impl|module|namespace|pub)\b/.test(line)
  );
}

/** Says what a file holds. */
export const explainFile: Plan = function* (request) {
  const path = request.slots['path'] ?? '.';
  if (familyOf(path) === undefined) return yield* outline({ ...request, slots: { path } }, { has: () => true });
  const read = yield* readWhole(path, `Reading ${code(path)}.`);
  if ('problem' in read) return failed(`${code(path)} cannot be read: ${read.problem}`);
  return said([describeFile(path, read.text), '', LIMIT_NOTE].join('\n'));
};

function describeFile(path: string, text: string): string {
  const lines = text.split('\n');
  const family = familyOf(path);
  const declared = lines.flatMap((line, index) => {
    const entry = declarationIn(line);
    return entry && !/^\s{2,}(?:const|let|var)\b/.test(line) ? [{ ...entry, line: index + 1, text: line }] : [];
  });
  const imports = [...new Set(lines.flatMap((line) => importedFrom(line) ?? []))];
  const head = leadingComment(text);
  const parts = [`${code(path)} is a ${family?.id ?? 'text'} file of ${count(lines.length, 'line')}.`];
  if (head !== '') parts.push('', 'It says about itself:', '', quote(head));
  if (imports.length > 0) parts.push('', `It uses ${listed(imports.slice(0, 20).map(code))}.`);
  if (declared.length > 0) {
    const items = declared.map(({ kind, name, line }) => {
      const doc = docAbove(lines, line - 1);
      const exported = /^\s*(?:export|pub)\b/.test(lines[line - 1] ?? '') ? 'exported ' : '';
      return `line ${line}: ${exported}${kind} ${code(name)}${doc === '' ? '' : `: ${firstSentence(doc)}`}`;
    });
    parts.push('', `It declares ${count(declared.length, 'thing')}:`, '', ...bullets(items, 60));
  } else parts.push('', 'It declares nothing that the rules recognize.');
  return parts.join('\n');
}

function importedFrom(line: string): string | undefined {
  const match =
    /^\s*(?:import|export)\b.*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\brequire\(['"]([^'"]+)['"]\)|^\s*from\s+([\w.]+)\s+import\b|^\s*import\s+([\w.]+)|^\s*use\s+([\w:]+)|^\s*#include\s+[<"]([^>"]+)[>"]/.exec(
      line,
    );
  return match?.slice(1).find((part) => part !== undefined);
}

function leadingComment(text: string): string {
  const match = /^(?:#!.*\n)?\s*(?:\/\*\*?([\s\S]*?)\*\/|((?:\s*(?:\/\/|#).*\n)+)|("""|''')([\s\S]*?)\3)/.exec(text);
  return cleanComment(match?.[1] ?? match?.[2] ?? match?.[4] ?? '');
}

function cleanComment(comment: string): string {
  return comment
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(?:\/\/[/!]?|#+|\*+|"""|\/\*\*?)\s?/, '')
        .replace(/\s*\*\/\s*$/, '')
        .trim(),
    )
    .join('\n')
    .trim();
}

/** The comment directly above a line, or the docstring below it. */
function docAbove(lines: readonly string[], at: number): string {
  const above: string[] = [];
  let index = at - 1;
  while (index >= 0 && /^\s*(?:@\w+|#\[)/.test(lines[index] ?? '')) index--;
  if (/\*\/\s*$/.test(lines[index] ?? '')) {
    do above.unshift(lines[index] ?? '');
    while (index > 0 && !/^\s*\/\*/.test(lines[index--] ?? ''));
  } else while (index >= 0 && /^\s*(?:\/\/|#(?!!))/.test(lines[index] ?? '')) above.unshift(lines[index--] ?? '');
  const doc = cleanComment(above.join('\n'));
  if (doc !== '') return doc;
  const below = /^\s*(?:"""|''')(.*?)(?:"""|'''|$)/.exec(lines[at + 1] ?? '')?.[1];
  return below?.trim() ?? '';
}

function firstSentence(text: string): string {
  return (/^(.+?[.!?])(?:\s|$)/s.exec(text)?.[1] ?? text).replace(/\s+/g, ' ').slice(0, 200);
}

function quote(text: string): string {
  return text
    .split('\n')
    .slice(0, 20)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Finds where a name is declared. */
export const findDefinition: Plan = function* (request, desk) {
  const name = lastPart(request.slots['name'] ?? '');
  const result = yield* declarationsOf(name, pathsOf(request), request.slots['kind']);
  if ('problem' in result) return failed(`The search failed: ${result.problem}`);
  const { lines } = result;
  const [first] = lines;
  if (first && lines.length === 1) {
    const exact = yield* askServer(desk, 'definition', name, first);
    if (exact?.count === 1)
      return said(`${code(name)} is defined here, says the language server:\n\n${block(exact.text)}`);
  }
  if (lines.length === 0) return said(notDeclared(name, request.scope.paths));
  const intro =
    lines.length === 1 ? `${code(name)} is declared here:` : `${code(name)} is declared in ${lines.length} places:`;
  return said(`${intro}\n\n${block(matchList(lines))}`);
};

function* declarationsOf(name: string, paths: readonly string[], kind = 'symbol') {
  const result = yield* searchAll(declarationPattern('symbol', name), paths, {
    say: `Looking for the declaration of ${code(name)}.`,
    maxPages: 3,
  });
  if (result.isError) return { problem: result.note };
  const declared = result.lines.filter(({ text }) => declarationIn(text)?.name === name);
  const ofKind = declared.filter(({ text }) => declarationIn(text)?.kind === kind);
  return { lines: ofKind.length > 0 ? ofKind : declared };
}

function notDeclared(name: string, paths: readonly string[]): string {
  return `No declaration of ${code(name)} was found${where(paths)}. Say "search for ${name}" to see every mention.`;
}

/** Says what a symbol is: where it stands, its own words, its code, what it calls and who mentions it. */
export const explainSymbol: Plan = function* (request) {
  const name = lastPart(request.slots['name'] ?? '');
  const result = yield* declarationsOf(name, pathsOf(request), request.slots['kind']);
  if ('problem' in result) return failed(`The search failed: ${result.problem}`);
  const { lines } = result;
  const [first] = lines;
  if (!first)
    return beyondRules(
      `${notDeclared(name, request.scope.paths)} Explaining anything that is not a file or a declared name needs a real model.`,
    );
  if (byFile(lines).size > 1 && request.scope.paths.length === 0) {
    return ask({
      text: `${code(name)} is declared in several files. Which one do you mean?`,
      choices: lines.map(({ path, line, text }) => ({
        label: `${code(path)}, line ${line}: ${code(text.trim())}`,
        words: [path, `in ${path}`, `the one in ${path}`],
        request: { ...request, scope: { paths: [path], everywhere: false } },
      })),
    });
  }
  const read = yield* readWhole(first.path);
  if ('problem' in read) return failed(`${code(first.path)} cannot be read: ${read.problem}`);
  const uses = yield* searchAll(wordPattern(name), ['.'], { maxPages: 3 });
  return said(describeSymbol(name, first, read.text, uses.lines));
};

function describeSymbol(name: string, declaration: FoundLine, text: string, mentions: readonly FoundLine[]): string {
  const lines = text.split('\n');
  const kind = declarationIn(declaration.text)?.kind ?? 'symbol';
  const doc = docAbove(lines, declaration.line - 1);
  const body = bodyAt(lines, declaration.line - 1);
  const parts = [`${code(name)} is a ${kind} in ${code(`${declaration.path}:${declaration.line}`)}.`];
  if (doc !== '') parts.push('', 'Its own comment says:', '', quote(doc));
  parts.push('', block(body.join('\n'), '', 60));
  const calls = callsIn(body.join('\n'), declaration.path, name);
  if (calls.length > 0) parts.push('', `It calls ${listed(calls.slice(0, 15).map(code))}.`);
  const others = mentions.filter(
    ({ path, line }) => path !== declaration.path || line < declaration.line || line >= declaration.line + body.length,
  );
  const files = [...byFile(others).keys()];
  parts.push(
    '',
    others.length === 0
      ? 'Nothing else mentions it.'
      : `It is mentioned on ${count(others.length, 'other line')} in ${listed(files.slice(0, 8).map(code))}${files.length > 8 ? ' and more' : ''}.`,
    '',
    LIMIT_NOTE,
  );
  return parts.join('\n');
}

/** The lines of a declaration: to the closing brace, or as long as lines are indented further. */
function bodyAt(lines: readonly string[], start: number): string[] {
  let depth = 0;
  let hasOpened = false;
  const indent = indentOf(lines[start] ?? '');
  for (let index = start; index < Math.min(lines.length, start + 400); index++) {
    const line = lines[index] ?? '';
    for (const char of line) {
      if ('{(['.includes(char)) depth++;
      if ('})]'.includes(char)) depth--;
      if (char === '{') hasOpened = true;
    }
    if (depth <= 0 && (hasOpened || /;\s*$/.test(line))) return lines.slice(start, index + 1);
    const next = lines[index + 1] ?? '';
    if (depth <= 0 && !hasOpened && next.trim() !== '' && indentOf(next) <= indent && !/^\s*[{)\]]/.test(next)) {
      return lines.slice(start, index + 1);
    }
  }
  return lines.slice(start, start + 40);
}

function indentOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

const NOT_CALLED =
  /^(?:if|for|while|switch|catch|return|function|await|typeof|new|super|def|fn|func|and|or|not|in|elif|with|assert|match)$/;

function callsIn(body: string, path: string, self: string): string[] {
  const family = familyOf(path);
  const regions = family ? regionsOf(body, family) : undefined;
  const names = [...body.matchAll(/([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)\s*\(/g)]
    .filter(({ index }) => regions?.[index] === undefined || regions[index] === 0)
    .map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => name !== self && !NOT_CALLED.test(name));
}
