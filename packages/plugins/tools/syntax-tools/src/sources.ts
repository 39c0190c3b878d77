/** Which files a structural search looks into, and what it says about those it could not use. */
import { join } from 'node:path';
import { resolveTargets, type Target } from '@tenon/file-tools/api';
import type { Accelerators } from '@tenon/native';
import { type SearchPaths, searchPaths } from '@tenon/search-tools/api';
import type { ToolScope } from '@tenon/tools/api';
import type { SyntaxToolsHost } from './host.ts';

/** Prose and patches parse as almost anything; they are looked into only when a path or glob asks for them. */
const PROSE = new Set(['markdown', 'diff']);
const SHOWN_ISSUES = 20;

/** Files to look into. */
export interface Sources {
  /** Absolute, without doubles. */
  readonly files: readonly string[];
  readonly missing: readonly string[];
  readonly scopePath: string;
  /** True when exactly one file was named. */
  readonly isSingleFile: boolean;
  /** How files are shown, and which cannot be edited. */
  readonly paths: SearchPaths;
}

/** Expands `paths` to files. */
export async function collectSources(
  host: SyntaxToolsHost,
  given: readonly string[],
  scope: ToolScope,
  signal: AbortSignal,
): Promise<Sources> {
  const paths = await searchPaths(given, scope.cwd, host.urls, { signal, scope });
  const { targets, missing } = await resolveTargets(paths.paths, scope.cwd);
  const files = new Set<string>();
  for (const target of targets) for (const file of await filesOf(host, target, signal)) files.add(file);
  const scopePath = given.filter((path) => !missing.includes(path)).join(', ');
  return {
    files: [...files],
    missing,
    scopePath,
    isSingleFile: targets.length === 1 && targets[0]?.kind === 'file',
    paths,
  };
}

async function filesOf(host: SyntaxToolsHost, { base, kind, glob }: Target, signal: AbortSignal): Promise<string[]> {
  if (kind === 'file') return [base];
  const scan = await host.accelerator('scan');
  const syntax = await host.accelerator('syntax');
  const { matches } = await scan.glob({ path: base, pattern: glob ?? '**', hidden: true, gitignore: true, signal });
  const files = matches.map(({ path }) => join(base, path));
  return glob === undefined ? files.filter((file) => !PROSE.has(syntax.detectLanguage(file) ?? '')) : files;
}

type Issue = Awaited<ReturnType<Accelerators['syntax']['search']>>['issues'][number];

/** Issues as lines. That a pattern is no code of some language only matters when nothing was found. */
export function issueLines(issues: readonly Issue[], paths: SearchPaths, hasResults: boolean): string[] {
  const relevant = issues.filter(({ kind }) => !hasResults || kind !== 'pattern');
  const lines = relevant.map(({ path, language, message }) => {
    const where = path === undefined ? language : paths.show(path);
    return where === undefined ? `- ${message}` : `- ${where}: ${message}`;
  });
  return [...new Set(lines)];
}

/** The block of issues at the end of a result. */
export function issueBlock(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > SHOWN_ISSUES ? [`- … ${lines.length - SHOWN_ISSUES} more`] : [];
  return ['', 'Parse issues:', ...lines.slice(0, SHOWN_ISSUES), ...more];
}
