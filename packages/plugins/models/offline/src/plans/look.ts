/** Plans that only look: find files, search text, references, definitions, symbols, to-dos, show. */
import { declarationIn, declarationPattern, escapePattern } from '../code/declarations.ts';
import { globsForType, looksLikeFolder, looksLikePath } from '../language/file-types.ts';
import { isExcluded } from '../language/paths.ts';
import { joinGlob, tidyPath } from '../language/scope.ts';
import { call, failed, type Plan, said } from '../plan.ts';
import type { Request } from '../request.ts';
import { readFileText, readPaths, withoutAnchors } from '../tool-output.ts';
import { askServer } from './language-servers.ts';
import { byFile, matchList, searchScope, type Steps, wordPattern } from './reading.ts';
import { block, bullets, code, count, where } from './wording.ts';

/** Lists files by name, kind or folder. */
export const findFiles: Plan = function* (request) {
  const { named, ...others } = request.slots;
  const result = yield* filesFor(request);
  if ('problem' in result) return failed(result.problem);
  if (result.paths.length > 0) return said(fileList(request, result.paths));
  const nothing = `No file matches ${result.globs.map(code).join(', ')}${ignoredHint()}`;
  if (named === undefined || !/^[\w-]+$/.test(named)) return said(nothing);
  const similar = yield* filesFor({ ...request, slots: { ...others, part: named } });
  if ('problem' in similar || similar.paths.length === 0) return said(nothing);
  return said(
    `No file is named ${code(named)}, but the names of others contain it.\n\n${fileList(request, similar.paths)}`,
  );
};

function* filesFor(request: Request): Steps<{ paths: string[]; globs: readonly string[] } | { problem: string }> {
  const globs = fileGlobs(request);
  const say = `Looking for files: ${globs.map(code).join(', ')}.`;
  const result = yield* call('find', { paths: globs }, { say, mayFail: true });
  if (result.isError && !/not found|does not exist|no such/i.test(result.text))
    return { problem: `The files could not be listed: ${result.text}` };
  const paths = result.isError ? [] : readPaths(result.text);
  return { globs, paths: paths.filter((path) => !isExcluded(path, request.scope)) };
}

function fileList({ text }: Request, paths: readonly string[]): string {
  if (/\bhow many\b/i.test(text)) return `${count(paths.length, 'file')}.\n\n${bullets(paths, 20).join('\n')}`;
  return [`Found ${count(paths.length, 'file')}:`, '', ...bullets(paths, 100)].join('\n');
}

function ignoredHint(): string {
  return ' (files that .gitignore names are not looked at).';
}

/** The globs that a request for files means. */
function fileGlobs({ slots, scope }: Request): string[] {
  const folders = scope.paths.length > 0 ? scope.paths : ['.'];
  const under = (globs: readonly string[]) => folders.flatMap((folder) => globs.map((glob) => joinGlob(folder, glob)));
  const types = slots['type'] === undefined ? undefined : globsForType(slots['type']);
  const { path, file, named, prefix, suffix, part, type = '' } = slots;
  const word = path ?? file ?? named ?? (/[*?]/.test(type) ? type : undefined);
  if (prefix !== undefined) return under([`**/${prefix}*`]);
  if (suffix !== undefined)
    return under([`**/*${/^\w+$/.test(suffix) && globsForType(suffix) ? `.${suffix}` : suffix.replace(/^\*/, '')}`]);
  if (part !== undefined) return under([`**/*${part}*`]);
  if (word !== undefined) {
    const name = tidyPath(word);
    if (/^\.\w+$/.test(name) && globsForType(name)) return under([`**/*${name}`]);
    if (/[*?]/.test(name)) return under([name.includes('/') || name.startsWith('**') ? name : `**/${name}`]);
    if (name.includes('/')) return [name];
    if (looksLikePath(name)) return under([`**/${name}`]);
    return under(named === undefined ? [`**/*${name}*`] : [`**/${name}`, `**/${name}.*`]);
  }
  if (types) return under(types);
  if (slots['type'] !== undefined)
    return under([looksLikeFolder(slots['type']) ? `${slots['type']}/**/*` : `**/*${slots['type']}*`]);
  return scope.paths.length > 0 ? [...scope.paths] : ['**/*'];
}

/** Searches text. */
export const searchText: Plan = function* (request) {
  const { regex, text = '' } = request.slots;
  const pattern = regex ?? escapePattern(text);
  const shown = regex === undefined ? code(text) : `the expression ${code(regex)}`;
  const result = yield* searchScope(pattern, request, {
    say: `Searching for ${shown}${where(request.scope.paths)}.`,
    ignoreCase: request.ignoreCase,
    maxPages: 5,
  });
  if (result.isError) return failed(`The search failed: ${result.note}`);
  if (result.lines.length === 0) {
    const hint = request.ignoreCase
      ? ''
      : ' The search respects upper and lower case; add "ignoring case" to search without.';
    return said(`${shown} does not occur${where(request.scope.paths)}.${hint}`);
  }
  const files = byFile(result.lines).size;
  const more = result.isPartial ? 'at least ' : '';
  return said(
    `${shown} occurs on ${more}${count(result.lines.length, 'line')} in ${count(files, 'file')}:\n\n${block(matchList(result.lines))}`,
  );
};

/** Finds who uses a name. */
export const findReferences: Plan = function* (request, desk) {
  const name = lastPart(request.slots['name'] ?? '');
  const result = yield* searchScope(wordPattern(name), request, {
    say: `Looking for uses of ${code(name)}${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (result.isError) return failed(`The search failed: ${result.note}`);
  const declared = result.lines.filter(({ text }) => declarationIn(text)?.name === name);
  const uses = result.lines.filter((line) => !declared.includes(line));
  if (result.lines.length === 0) return said(`${code(name)} does not occur${where(request.scope.paths)}.`);
  const [only, another] = declared;
  if (only && !another) {
    const exact = yield* askServer(desk, 'references', name, only);
    if (exact) return said(exactReferences(name, only, exact));
  }
  const lines = declared.map(({ path, line }) => `${path}:${line}`);
  const intro =
    lines.length > 0 ? `${code(name)} is declared in ${lines.join(', ')}` : `No declaration of ${code(name)} was found`;
  if (uses.length === 0) return said(`${intro}; nothing else mentions it.`);
  const files = byFile(uses).size;
  return said(
    `${intro} and mentioned on ${count(uses.length, 'other line')} in ${count(files, 'file')}:\n\n${block(matchList(uses))}\n\n` +
      'These are mentions of the name; comments, texts and other things of the same name are among them.',
  );
};

function exactReferences(
  name: string,
  { path, line }: { readonly path: string; readonly line: number },
  { count: found, text }: { readonly count: number; readonly text: string },
): string {
  const declared = `${code(name)} is declared in ${path}:${line}`;
  if (found <= 1) return `${declared}; nothing refers to it, says the language server.`;
  return `${declared}. The language server finds ${count(found, 'reference')}, the declaration included:\n\n${block(text, '', 200)}`;
}

/** The name itself of `Foo.bar` or `foo::bar`. */
export function lastPart(name: string): string {
  return name.split(/\.|::|#|->/).at(-1) ?? name;
}

/** Lists declarations. */
export const listSymbols: Plan = function* (request) {
  const kind = request.slots['kind'] ?? (/\bexport/i.test(request.text) ? 'export' : 'symbol');
  const access = /\bexported|public\b/i.test(request.text) && kind !== 'export' ? 'exported ' : '';
  if (kind === 'property')
    return failed('Fields and properties are not listed by the rules; `outline FILE` shows the shape of a file.');
  const result = yield* searchScope(declarationPattern(kind), request, {
    say: `Listing ${access}${plural(kind)}${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (result.isError) return failed(`The search failed: ${result.note}`);
  const fits = (text: string) => {
    if (access !== '' && !/^\s*(?:export|pub)\b/.test(text)) return false;
    const declared = declarationIn(text);
    if (kind === 'test' || kind === 'export') return true;
    const isExact = kind === 'variable' || kind === 'function' || kind === 'method';
    return declared !== undefined && (!isExact || declared.kind === kind);
  };
  const lines = result.lines.filter(({ text }) => fits(text));
  if (lines.length === 0) return said(`No ${access}${plural(kind)} found${where(request.scope.paths)}.`);
  const files = byFile(lines).size;
  const more = result.isPartial ? 'At least ' : '';
  const note = kind === 'function' ? '\n\nMethods are not counted; say "list the methods" to see them.' : '';
  return said(
    `${more}${count(lines.length, `${access}${kind}`, `${access}${plural(kind)}`)} in ${count(files, 'file')}:\n\n${block(matchList(lines, 120))}${note}`,
  );
};

function plural(kind: string): string {
  return kind.endsWith('s') ? `${kind}es` : `${kind}s`;
}

/** Lists to-do comments. */
export const listTodos: Plan = function* (request) {
  const result = yield* searchScope(String.raw`\b(?:TODO|FIXME|HACK|XXX)\b`, request, {
    say: `Looking for to-dos${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (result.isError) return failed(`The search failed: ${result.note}`);
  if (result.lines.length === 0) return said(`No TODO, FIXME, HACK or XXX${where(request.scope.paths)}.`);
  const files = byFile(result.lines).size;
  return said(
    `${count(result.lines.length, 'to-do')} in ${count(files, 'file')}:\n\n${block(matchList(result.lines, 100))}`,
  );
};

/** Shows a file, some of its lines, or a folder. */
export const show: Plan = function* (request) {
  const { path = '.', from, to } = request.slots;
  const range = from !== undefined || to !== undefined ? `:${from ?? 1}-${to ?? from ?? 1}` : '';
  const selector = range === '' || /:\d/.test(path) ? '' : range;
  const result = yield* call(
    'read',
    { path: `${path}${selector}` },
    { say: `Reading ${code(`${path}${selector}`)}.`, mayFail: true },
  );
  if (result.isError) return failed(`${code(path)} cannot be read: ${result.text}`);
  const { text, next } = readFileText(result.text);
  const more = next === undefined ? '' : `\n\nThere is more: ask for "lines ${next} to ${next + 200} of ${path}".`;
  return said(`${code(`${path}${selector}`)}:\n\n${block(withoutAnchors(text), '', 400)}${more}`);
};
