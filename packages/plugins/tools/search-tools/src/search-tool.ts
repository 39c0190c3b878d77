import { dirname, join } from 'node:path';
import { contentForView, resolveTargets, type Target } from '@tenon/file-tools/api';
import { explainFailures, fitLines, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { messageOf, Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { anchoredRows, numberedRows } from './anchored-lines.ts';
import type { SearchDetails } from './api.ts';
import { errors } from './errors.ts';
import { type SearchToolsHost, withinTime } from './host.ts';
import { prompts } from './prompts/index.ts';
import { type SearchPaths, searchPaths, searchTouches } from './url-paths.ts';

const PAGE = 100;
const MAX_COLUMNS = 1024;
const TIMEOUT_MS = 30_000;

type GrepOptions = Parameters<Accelerators['search']['grep']>[0];
type GrepResult = Awaited<ReturnType<Accelerators['search']['grep']>>;

interface FileHit {
  /** Absolute. */
  readonly path: string;
  readonly matches: number;
  readonly lines: GrepResult['files'][number]['lines'];
}

interface Page {
  readonly hits: readonly FileHit[];
  readonly matches: number;
  readonly hasMore: boolean;
  readonly searched: number;
  readonly problems: readonly string[];
  readonly repaired: string | undefined;
}

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
      const page = await searchPage(host, targets, skip, {
        pattern,
        ignoreCase: input['i'] === true,
        gitignore: input['gitignore'] !== false,
        signal,
      });
      const [only] = targets;
      const isFlat = targets.length === 1 && only?.kind === 'file';
      const lines = await render(host, page.hits, { session: scope.session, paths, isFlat, signal });
      const fitted = fitLines(lines);
      const notes = notesOf(page, skip, fitted.isCut, missing);
      const head = page.matches > 0 ? fitted.lines : ['No matches found'];
      const files = page.hits.map(({ path }) => paths.show(path));
      const details: SearchDetails = {
        scopePath: inputPaths.filter((path) => !missing.includes(path)).join(', '),
        matchCount: page.matches,
        fileCount: files.length,
        filesSearched: page.searched,
        files,
        fileMatches: page.hits.map(({ path, matches }) => ({ path: paths.show(path), count: matches })),
        ...(page.hasMore && { matchLimitReached: PAGE, meta: { limits: { matchLimit: PAGE } } }),
        ...(fitted.isCut && { truncated: true }),
        ...(page.hits.some((hit) => hit.lines.some(({ cut }) => cut !== undefined)) && { linesTruncated: true }),
        ...(missing.length > 0 && { missingPaths: missing }),
      };
      return textResult([...head, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'), { ...details });
    },
  });
}

type Query = Pick<GrepOptions, 'pattern' | 'ignoreCase' | 'gitignore' | 'signal'>;

/** Walks the targets in order; `skip` counts over all of them. */
async function searchPage(
  host: SearchToolsHost,
  targets: readonly Target[],
  skip: number,
  query: Query,
): Promise<Page> {
  const hits = new Map<string, FileHit>();
  const problems: string[] = [];
  let [matches, searched, toSkip, hasMore] = [0, 0, skip, false];
  let repaired: string | undefined;
  for (const [index, target] of targets.entries()) {
    const options = grepOptions(host, target, query);
    if (toSkip > 0 && index < targets.length - 1) {
      const { files } = await grep(host, { ...options, mode: 'count' });
      const total = files.reduce((sum, file) => sum + file.matches, 0);
      if (total <= toSkip) {
        toSkip -= total;
        continue;
      }
    }
    const room = PAGE - matches;
    // Without room, one match is enough to know that there are more.
    const result = await grep(host, { ...options, offset: toSkip, limit: Math.max(1, room) });
    toSkip = 0;
    searched += result.searched;
    repaired ??= result.repaired;
    problems.push(...result.problems.map(({ path, reason }) => `${path} (${reason})`));
    hasMore ||= result.limited || (room === 0 && result.matches > 0);
    if (room === 0) break;
    for (const file of result.files) {
      const path = target.kind === 'file' ? target.base : join(target.base, file.path);
      if (hits.has(path)) continue;
      hits.set(path, { path, matches: file.matches, lines: file.lines });
      matches += file.matches;
    }
  }
  return { hits: [...hits.values()], matches, hasMore, searched, problems, repaired };
}

function grepOptions(host: SearchToolsHost, { base, kind, glob }: Target, query: Query): GrepOptions {
  const { contextBefore, contextAfter } = host.config;
  return {
    ...query,
    path: base,
    hidden: true,
    before: contextBefore,
    after: contextAfter,
    maxColumns: MAX_COLUMNS,
    ...(kind === 'directory' && glob !== undefined && { glob }),
  };
}

async function grep(host: SearchToolsHost, options: GrepOptions): Promise<GrepResult> {
  if (options.path === dirname(options.path)) throw errors.create('SEARCH_TOOLS_ROOT');
  const search = await host.accelerator('search');
  try {
    return await withinTime('search', TIMEOUT_MS, (timeoutMs) => search.grep({ ...options, timeoutMs }));
  } catch (fault) {
    const reason = /^invalid pattern: (?:regex parse error:)?([\s\S]*)$/.exec(messageOf(fault))?.[1];
    if (reason === undefined) throw fault;
    throw errors.create('SEARCH_TOOLS_PATTERN', { reason: reason.trim().replaceAll(/\s*\n\s*/g, ' ') }, fault);
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
    out.push(...anchoredRows(hashline, lines, content));
  }
  return out;
}

function notesOf(page: Page, skip: number, isCut: boolean, missing: readonly string[]): string[] {
  const notes: string[] = [];
  if (isCut) notes.push('[The result is cut; narrow the pattern or the paths.]');
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
