/** Plans that only look: find files, search text, references, definitions, symbols, to-dos, show. */
import { declarationIn, declarationPattern, escapePattern } from '../code/declarations.ts';
import { globsForType, looksLikeFolder, looksLikePath } from '../language/file-types.ts';
import { joinGlob, tidyPath } from '../language/utterance.ts';
import { call, failed, type Plan, said } from '../plan.ts';
import type { Request } from '../request.ts';
import { readFileText, readPaths, withoutAnchors } from '../tool-output.ts';
import { byFile, matchList, pathsOf, searchAll, wordPattern } from './reading.ts';
import { block, bullets, code, count, where } from './wording.ts';

/** Lists files by name, kind or folder. */
export const findFiles: Plan = function* (request) {
  const globs = fileGlobs(request);
  if ('problem' in globs) return failed(globs.problem);
  const result = yield* call(
    'find',
    { paths: globs.paths },
    { say: `Looking for files: ${globs.paths.map(code).join(', ')}.`, mayFail: true },
  );
  if (result.isError && !/not found|does not exist|no such/i.test(result.text))
    return failed(`The files could not be listed: ${result.text}`);
  const paths = result.isError ? [] : readPaths(result.text);
  if (paths.length === 0) return said(`No file matches ${globs.paths.map(code).join(', ')}${ignoredHint()}`);
  if (/\bhow many\b/i.test(request.text))
    return said(`${count(paths.length, 'file')}.\n\n${bullets(paths, 20).join('\n')}`);
  return said([`Found ${count(paths.length, 'file')}:`, '', ...bullets(paths, 100)].join('\n'));
};

function ignoredHint(): string {
  return ' (files that .gitignore names are not looked at).';
}

/** The globs that a request for files means. */
function fileGlobs({ slots, scope }: Request): { readonly paths: string[] } | { readonly problem: string } {
  const folders = scope.paths.length > 0 ? scope.paths : ['.'];
  const under = (globs: readonly string[]) => folders.flatMap((folder) => globs.map((glob) => joinGlob(folder, glob)));
  const types = slots['type'] === undefined ? undefined : globsForType(slots['type']);
  const { path, file, prefix, suffix, part, type = '' } = slots;
  const word = path ?? file ?? (/[*?]/.test(type) ? type : undefined);
  if (prefix !== undefined) return { paths: under([`**/${prefix}*`]) };
  if (suffix !== undefined)
    return {
      paths: under([`**/*${/^\w+$/.test(suffix) && globsForType(suffix) ? `.${suffix}` : suffix.replace(/^\*/, '')}`]),
    };
  if (part !== undefined) return { paths: under([`**/*${part}*`]) };
  if (word !== undefined) {
    const name = tidyPath(word);
    if (/^\.\w+$/.test(name) && globsForType(name)) return { paths: under([`**/*${name}`]) };
    if (/[*?]/.test(name)) return { paths: under([name.includes('/') || name.startsWith('**') ? name : `**/${name}`]) };
    if (name.includes('/')) return { paths: [name] };
    if (looksLikePath(name)) return { paths: under([`**/${name}`]) };
    return { paths: under(types && !globsForType(name) ? [`**/*${name}*`] : (globsForType(name) ?? [`**/*${name}*`])) };
  }
  if (types) return { paths: under(types) };
  if (slots['type'] !== undefined)
    return { paths: under([looksLikeFolder(slots['type']) ? `${slots['type']}/**/*` : `**/*${slots['type']}*`]) };
  return { paths: scope.paths.length > 0 ? [...scope.paths] : ['**/*'] };
}

/** Searches text. */
export const searchText: Plan = function* (request) {
  const { regex, text = '' } = request.slots;
  const pattern = regex ?? escapePattern(text);
  const shown = regex === undefined ? code(text) : `the expression ${code(regex)}`;
  const found = yield* searchAll(pattern, pathsOf(request), {
    say: `Searching for ${shown}${where(request.scope.paths)}.`,
    ignoreCase: request.ignoreCase,
    maxPages: 5,
  });
  if (found.isError) return failed(`The search failed: ${found.note}`);
  if (found.lines.length === 0) {
    const hint = request.ignoreCase
      ? ''
      : ' The search respects upper and lower case; add "ignoring case" to search without.';
    return said(`${shown} does not occur${where(request.scope.paths)}.${hint}`);
  }
  const files = byFile(found.lines).size;
  const more = found.isPartial ? 'at least ' : '';
  return said(
    `${shown} occurs on ${more}${count(found.lines.length, 'line')} in ${count(files, 'file')}:\n\n${block(matchList(found.lines))}`,
  );
};

/** Finds who uses a name. */
export const findReferences: Plan = function* (request) {
  const name = lastPart(request.slots['name'] ?? '');
  const found = yield* searchAll(wordPattern(name), pathsOf(request), {
    say: `Looking for uses of ${code(name)}${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (found.isError) return failed(`The search failed: ${found.note}`);
  const declared = found.lines.filter(({ text }) => declarationIn(text)?.name === name);
  const uses = found.lines.filter((line) => !declared.includes(line));
  if (found.lines.length === 0) return said(`${code(name)} does not occur${where(request.scope.paths)}.`);
  const place = declared.map(({ path, line }) => `${path}:${line}`);
  const intro =
    place.length > 0 ? `${code(name)} is declared in ${place.join(', ')}` : `No declaration of ${code(name)} was found`;
  if (uses.length === 0) return said(`${intro}; nothing else mentions it.`);
  const files = byFile(uses).size;
  return said(
    `${intro} and mentioned on ${count(uses.length, 'other line')} in ${count(files, 'file')}:\n\n${block(matchList(uses))}\n\n` +
      'These are mentions of the name; comments, texts and other things of the same name are among them.',
  );
};

/** The name itself of `Foo.bar` or `foo::bar`. */
export function lastPart(name: string): string {
  return name.split(/\.|::|#|->/).at(-1) ?? name;
}

/** Lists declarations. */
export const listSymbols: Plan = function* (request) {
  const kind = request.slots['kind'] ?? (/\bexport/i.test(request.text) ? 'export' : 'symbol');
  const wanted = /\bexported|public\b/i.test(request.text) && kind !== 'export' ? 'exported ' : '';
  if (kind === 'property')
    return failed('Fields and properties are not listed by the rules; `outline FILE` shows the shape of a file.');
  const found = yield* searchAll(declarationPattern(kind), pathsOf(request), {
    say: `Listing ${wanted}${plural(kind)}${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (found.isError) return failed(`The search failed: ${found.note}`);
  const fits = (text: string) => {
    if (wanted !== '' && !/^\s*(?:export|pub)\b/.test(text)) return false;
    const declared = declarationIn(text);
    return (
      kind === 'test' ||
      kind === 'export' ||
      (declared !== undefined && (kind !== 'variable' || declared.kind === 'variable'))
    );
  };
  const lines = found.lines.filter(({ text }) => fits(text));
  if (lines.length === 0) return said(`No ${wanted}${plural(kind)} found${where(request.scope.paths)}.`);
  const files = byFile(lines).size;
  const more = found.isPartial ? 'At least ' : '';
  return said(
    `${more}${count(lines.length, `${wanted}${kind}`, `${wanted}${plural(kind)}`)} in ${count(files, 'file')}:\n\n${block(matchList(lines, 120))}`,
  );
};

function plural(kind: string): string {
  return kind.endsWith('s') ? `${kind}es` : `${kind}s`;
}

/** Lists to-do comments. */
export const listTodos: Plan = function* (request) {
  const found = yield* searchAll(String.raw`\b(?:TODO|FIXME|HACK|XXX)\b`, pathsOf(request), {
    say: `Looking for to-dos${where(request.scope.paths)}.`,
    maxPages: 5,
  });
  if (found.isError) return failed(`The search failed: ${found.note}`);
  if (found.lines.length === 0) return said(`No TODO, FIXME, HACK or XXX${where(request.scope.paths)}.`);
  const files = byFile(found.lines).size;
  return said(
    `${count(found.lines.length, 'to-do')} in ${count(files, 'file')}:\n\n${block(matchList(found.lines, 100))}`,
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
