import { contentForView, foreignForm, resolveTargets } from '@tenon/file-tools/api';
import { explainFailures, fitLines, MAX_OUTPUT_BYTES, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import { anchoredRows, numberedRows } from './anchored-lines.ts';
import type { SearchDetails } from './api.ts';
import { errors } from './errors.ts';
import type { SearchToolsHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { type FileHit, type Page, Pages } from './search-page.ts';
import { type SearchPaths, searchPaths, searchTouches } from './url-paths.ts';

const PAGE = 100;

/** The tool that searches file contents. */
export function createSearchTool(host: SearchToolsHost): Tool {
  return explainFailures({
    description: prompts.search({ page: PAGE }),
    parameters: Type.Object(
      {
        pattern: Type.String({ description: 'Regex; \\n makes it span lines' }),
        paths: Type.Array(Type.String(), { minItems: 1, description: 'Files, folders, globs or internal URLs' }),
        i: Type.Optional(Type.Boolean({ description: 'Ignore case' })),
        gitignore: Type.Optional(Type.Boolean({ description: 'Respect .gitignore (default true)' })),
        skip: Type.Optional(Type.Number({ minimum: 0, description: 'Matches to pass over' })),
      },
      { additionalProperties: false },
    ),
    touches: (input, call) => searchTouches(input['paths'], scopeOf(call, host.folders).cwd, host.urls),
    async execute(input, { signal, ...call }) {
      const scope = scopeOf(call, host.folders);
      const pattern = String(input['pattern']);
      if (pattern.trim() === '') throw errors.create('SEARCH_TOOLS_PATTERN_EMPTY');
      const skip = Math.floor(Number(input['skip'] ?? 0));
      const inputPaths = input['paths'] as string[];
      const paths = await searchPaths(inputPaths, scope.cwd, host.urls, { signal, scope });
      const { targets, missing } = await resolveTargets(paths.paths, scope.cwd);
      const pages = new Pages(host, targets, {
        pattern,
        ignoreCase: input['i'] === true,
        gitignore: input['gitignore'] !== false,
        signal,
      });
      const [only] = targets;
      const isFlat = targets.length === 1 && only?.kind === 'file';
      const { page, rows, isCut } = await fittingPage(pages, skip, ({ hits }) =>
        render(host, hits, { session: scope.session, paths, isFlat, signal }),
      );
      const notes = notesOf(page, skip, isCut, missing);
      const head = page.matches > 0 ? rows : [skip > 0 ? `No matches behind the first ${skip}` : 'No matches found'];
      const files = page.hits.map(({ path }) => paths.show(path));
      const details: SearchDetails = {
        scopePath: inputPaths.filter((path) => !missing.includes(path)).join(', '),
        matchCount: page.matches,
        fileCount: files.length,
        filesSearched: page.searched,
        files,
        fileMatches: page.hits.map(({ path, matches }) => ({ path: paths.show(path), count: matches })),
        ...(page.hasMore && { matchLimitReached: page.matches, meta: { limits: { matchLimit: page.matches } } }),
        ...(isCut && { truncated: true }),
        ...(page.hits.some((hit) => hit.lines.some(({ cut }) => cut !== undefined)) && { linesTruncated: true }),
        ...(missing.length > 0 && { missingPaths: missing }),
      };
      return textResult([...head, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'), { ...details });
    },
  });
}

/** A page that fits into an answer: what is printed is what `skip` goes on behind. */
async function fittingPage(
  pages: Pages,
  skip: number,
  rowsOf: (page: Page) => Promise<readonly string[]>,
): Promise<{ readonly page: Page; readonly rows: readonly string[]; readonly isCut: boolean }> {
  let limit = PAGE;
  for (;;) {
    const page = await pages.page(skip, limit);
    const rows = await rowsOf(page);
    const fitted = fitLines(rows);
    if (!fitted.isCut || page.matches <= 1) return { page, rows: fitted.lines, isCut: fitted.isCut };
    // Matches are dealt over the files in rounds, so that the first rows are not the first matches: ask for fewer.
    const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0);
    limit = Math.max(1, Math.min(page.matches - 1, Math.floor((page.matches * MAX_OUTPUT_BYTES) / bytes)));
  }
}

async function render(
  host: SearchToolsHost,
  hits: readonly FileHit[],
  { session, paths, isFlat, signal }: { session: string; paths: SearchPaths; isFlat: boolean; signal: AbortSignal },
): Promise<string[]> {
  const hashline = await host.accelerator('hashline');
  const out: string[] = [];
  for (const { path, lines } of hits) {
    if (!isFlat) out.push(...(out.length > 0 ? [''] : []), `# ${paths.show(path)}`);
    if (paths.isReadOnly(path)) {
      out.push(...numberedRows(lines));
      continue;
    }
    const content = await contentForView(path, signal);
    if (content) host.views.record(session, path, content);
    // Matches come as text; the bytes of UTF-16 would not be, and edit takes no anchors of it.
    const isEditable = !content || foreignForm(path, content) === undefined;
    out.push(...(isEditable ? anchoredRows(hashline, lines, content) : numberedRows(lines)));
  }
  return out;
}

function notesOf(page: Page, skip: number, isCut: boolean, missing: readonly string[]): string[] {
  const notes: string[] = [];
  if (isCut) notes.push('[This match is cut; read the file to see all of it.]');
  if (page.hasMore) {
    const shown = `${skip + 1}-${skip + page.matches}`;
    notes.push(
      `[Matches ${shown} shown, there are more. Use skip: ${skip + page.matches}, or narrow the pattern or the paths.]`,
    );
  }
  if (page.repaired !== undefined) notes.push(`[The pattern was read as: ${page.repaired}]`);
  if (page.problems.length > 0) {
    const more = page.problems.length > 3 ? ` and ${page.problems.length - 3} more` : '';
    notes.push(`[Not searched: ${page.problems.slice(0, 3).join(', ')}${more}]`);
  }
  if (missing.length > 0) notes.push(`Skipped missing paths: ${missing.join(', ')}`);
  return notes;
}
