import { contentForView } from '@tenon/file-tools/api';
import { searchTouches } from '@tenon/search-tools/api';
import { explainFailures, fitLines, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import { Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { errors } from './errors.ts';
import type { SyntaxToolsHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { collectSources, issueBlock, issueLines, type Sources } from './sources.ts';

const PAGE = 50;
/** A match may be a whole class; its start says which one. */
const MAX_MATCH_LINES = 20;
const MAX_ROW_CHARS = 1024;
const MAX_META_CHARS = 120;

type Match = Awaited<ReturnType<Accelerators['syntax']['search']>>['matches'][number];

/** The tool that searches by structure. */
export function createAstGrepTool(host: SyntaxToolsHost): Tool {
  return explainFailures({
    description: prompts.astGrep({ page: PAGE }),
    parameters: Type.Object(
      {
        pat: Type.String({ description: 'Pattern: code with $NAME, $$$NAME, $_' }),
        paths: Type.Array(Type.String(), { minItems: 1, description: 'Files, folders, globs or internal URLs' }),
        skip: Type.Optional(Type.Number({ minimum: 0, description: 'Matches to pass over' })),
      },
      { additionalProperties: false },
    ),
    touches: (input, call) => searchTouches(input['paths'], scopeOf(call, host.folders).cwd, host.urls),
    async execute(input, { signal, ...call }) {
      const scope = scopeOf(call, host.folders);
      const pattern = String(input['pat']).trim();
      if (pattern === '') throw errors.create('SYNTAX_TOOLS_PATTERN_EMPTY');
      const skip = Math.floor(Number(input['skip'] ?? 0));
      const sources = await collectSources(host, input['paths'] as string[], scope, signal);
      const syntax = await host.accelerator('syntax');
      const result = await syntax.search({
        sources: sources.files,
        patterns: [pattern],
        offset: skip,
        limit: PAGE,
        signal,
      });
      const { matches, limitReached } = result;
      const issues = issueLines(result.issues, sources.paths, matches.length > 0);
      const fitted = fitLines(await render(host, matches, { session: scope.session, sources, signal }));
      const notes = [
        ...(fitted.isCut ? ['[The result is cut; narrow paths.]'] : []),
        ...(limitReached
          ? [`Result limit reached; narrow paths or use skip: ${skip + matches.length} for the next matches.`]
          : []),
        ...(sources.missing.length > 0 ? [`Skipped missing paths: ${sources.missing.join(', ')}`] : []),
      ];
      const head = matches.length > 0 ? fitted.lines : [nothingFound(issues.length > 0)];
      const text = [...head, ...(notes.length > 0 ? ['', ...notes] : []), ...issueBlock(issues)].join('\n');
      const counts = new Map<string, number>();
      for (const { path } of matches) {
        counts.set(sources.paths.show(path), (counts.get(sources.paths.show(path)) ?? 0) + 1);
      }
      const files = [...counts.keys()];
      return textResult(text, {
        matchCount: matches.length,
        fileCount: files.length,
        filesSearched: result.filesSearched - result.filesSkipped,
        limitReached,
        scopePath: sources.scopePath,
        files,
        fileMatches: [...counts].map(([path, count]) => ({ path, count })),
        ...(limitReached && { meta: { limits: { matchLimit: PAGE } } }),
        ...(issues.length > 0 && { parseErrors: issues }),
      });
    },
  });
}

function nothingFound(hasIssues: boolean): string {
  return hasIssues
    ? 'No matches found. Parse issues mean the query may be mis-scoped; narrow paths before concluding absence.'
    : 'No matches found';
}

async function render(
  host: SyntaxToolsHost,
  matches: readonly Match[],
  { session, sources, signal }: { session: string; sources: Sources; signal: AbortSignal },
): Promise<string[]> {
  const hashline = await host.accelerator('hashline');
  const out: string[] = [];
  const byFile = new Map<string, Match[]>();
  for (const match of matches) byFile.set(match.path, [...(byFile.get(match.path) ?? []), match]);
  for (const [path, fileMatches] of byFile) {
    const content = sources.paths.isReadOnly(path) ? undefined : await contentForView(path, signal);
    if (content) host.views.record(session, path, content);
    if (!sources.isSingleFile) out.push(...(out.length > 0 ? [''] : []), `# ${sources.paths.show(path)}`);
    for (const match of fileMatches) out.push(...matchRows(hashline, match, content));
  }
  return out;
}

function matchRows(hashline: Accelerators['hashline'], match: Match, content: Buffer | undefined): string[] {
  const { startLine: first, endLine, endColumn } = match.range;
  // A match that ends at the start of a line does not touch that line.
  const last = endColumn === 1 && endLine > first ? endLine - 1 : endLine;
  const shownLast = Math.min(last, first + MAX_MATCH_LINES - 1);
  const rows = content
    ? hashline.format(content, { first, last: shownLast }).toString('utf8').split('\n').slice(0, -1)
    : match.text
        .split('\n')
        .slice(0, MAX_MATCH_LINES)
        .map((line, index) => `${first + index}|${line}`);
  const marked = rows.map((row, index) => cutText(`${index === 0 ? '*' : ' '}${row}`, MAX_ROW_CHARS));
  const more = last > shownLast ? [` … ${last - shownLast} more lines`] : [];
  const captures = match.captures.map((capture) => {
    const text = 'nodes' in capture ? capture.nodes.map((node) => node.text).join('') : capture.text;
    return `${capture.name}=${cutText(text.replaceAll(/\s+/g, ' '), MAX_META_CHARS)}`;
  });
  return [...marked, ...more, ...(captures.length > 0 ? [`meta: ${captures.join('; ')}`] : [])];
}
