/** `tenon grep`: the tool `search` for the shell. */
import type { CommandCall } from '@tenon/command-line/api';
import type { ToolResult, ToolRunner } from '../api.ts';
import { resultText, runShown } from '../commands.ts';
import { FOUND, NOTHING_FOUND, numberFlag, pathsOf, TROUBLE } from './flags.ts';
import { type FoundLine, formatLines, highlighter, parseFound } from './found-lines.ts';

const DEFAULT_LIMIT = 1000;

interface SearchPage {
  readonly files?: readonly string[];
  readonly matchCount?: number;
  readonly matchLimitReached?: number;
  readonly fileMatches?: readonly { readonly path: string; readonly count: number }[];
}

interface Collected {
  readonly lines: FoundLine[];
  readonly notes: Set<string>;
  readonly counts: Map<string, number>;
  matches: number;
  hasMore: boolean;
}

/** Searches page by page until everything or the limit is there. */
export async function grep(runner: ToolRunner, call: CommandCall): Promise<number> {
  const { args, flags } = call;
  const [pattern, ignoreCase] = [String(args['pattern']), flags['ignore-case'] === true];
  const limit = numberFlag(call, 'grep', 'limit', DEFAULT_LIMIT);
  const pages: Collected = { lines: [], notes: new Set(), counts: new Map(), matches: 0, hasMore: true };
  while (pages.hasMore && pages.matches < limit) {
    const result = await runShown(
      runner,
      'search',
      {
        pattern,
        paths: pathsOf(call),
        ...(ignoreCase && { i: true }),
        ...(flags['no-ignore'] && { gitignore: false }),
        ...(pages.matches > 0 && { skip: pages.matches }),
      },
      call,
    );
    if (result.isError) return trouble(call, result);
    collect(pages, result);
  }
  if (pages.matches > limit) cutTo(pages, limit);
  await show(pages, call, { pattern, ignoreCase });
  return pages.matches > 0 ? FOUND : NOTHING_FOUND;
}

async function trouble({ flags, io }: CommandCall, result: ToolResult): Promise<number> {
  if (flags['json']) await io.json(result);
  else await io.err(resultText(result));
  return TROUBLE;
}

function collect(pages: Collected, result: ToolResult): void {
  const page = (result.details ?? {}) as SearchPage;
  const { lines, notes } = parseFound(resultText(result), page.files?.[0] ?? '');
  pages.lines.push(...lines);
  // How to get the next page is said to models; here it was got.
  for (const note of notes) if (!/^(?:No matches found$|\[Matches \d)/.test(note)) pages.notes.add(note);
  for (const { path, count } of page.fileMatches ?? []) pages.counts.set(path, (pages.counts.get(path) ?? 0) + count);
  pages.matches += page.matchCount ?? 0;
  pages.hasMore = page.matchLimitReached !== undefined && (page.matchCount ?? 0) > 0;
}

/** The last page may go beyond the limit. */
function cutTo(pages: Collected, limit: number): void {
  let room = limit;
  const end = pages.lines.findIndex(({ isMatch }) => isMatch && room-- === 0);
  if (end >= 0) pages.lines.splice(end);
  pages.matches = limit;
  pages.hasMore = true;
}

async function show(
  pages: Collected,
  { flags, io }: CommandCall,
  { pattern, ignoreCase }: { readonly pattern: string; readonly ignoreCase: boolean },
): Promise<void> {
  const { counts, matches, hasMore } = pages;
  const lines = flags['context'] ? pages.lines : pages.lines.filter(({ isMatch }) => isMatch);
  if (flags['json']) {
    const files = [...counts].map(([path, count]) => ({ path, count }));
    return io.json({ matchCount: matches, hasMore, files, lines, notes: [...pages.notes] });
  }
  if (flags['files']) await io.out([...counts.keys()].map((path) => `${path}\n`).join(''));
  else if (flags['count']) await io.out([...counts].map(([path, count]) => `${path}:${count}\n`).join(''));
  else {
    const highlight = highlighter(pattern, ignoreCase);
    const style = { color: io.color, headings: io.color, anchors: flags['anchors'] === true };
    await io.out(formatLines(lines, { ...style, ...(highlight && { highlight }) }));
  }
  const more = hasMore ? [`[The first ${matches} matches are shown; --limit gives more.]`] : [];
  const notes = [...pages.notes, ...more];
  if (notes.length > 0) await io.err(`${notes.join('\n')}\n`);
}
