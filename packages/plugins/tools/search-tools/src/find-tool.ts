import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveTargets, type Target, touchedTargets } from '@tenon/file-tools/api';
import { displayPath, explainFailures, fitLines, scopeOf, textResult, type Tool } from '@tenon/tools/api';
import { Type } from '@tenon/kernel';
import type { FindDetails } from './api.ts';
import { errors } from './errors.ts';
import { type SearchToolsHost, withinTime } from './host.ts';
import { prompts } from './prompts/index.ts';

const DEFAULT_LIMIT = 1000;
const TIMEOUT_MS = 5000;
/** How often those who wait see what was found so far. */
const UPDATE_MS = 200;

interface Found {
  /** Absolute. */
  readonly path: string;
  readonly modifiedMs: number;
}

/** The tool that finds files by name. */
export function createFindTool(host: SearchToolsHost): Tool {
  return explainFailures({
    description: prompts.find({ limit: DEFAULT_LIMIT }),
    parameters: Type.Object(
      {
        paths: Type.Array(Type.String(), { minItems: 1, description: 'Globs, folders or files, e.g. ["src/**/*.ts"]' }),
        hidden: Type.Optional(Type.Boolean({ description: 'Include hidden files (default true)' })),
        limit: Type.Optional(Type.Number({ minimum: 1, description: `Most paths to give (default ${DEFAULT_LIMIT})` })),
      },
      { additionalProperties: false },
    ),
    touches: (input, call) => ({ lists: touchedTargets(input['paths'], scopeOf(call, host.folders).cwd) }),
    async execute(input, { signal, update, ...call }) {
      const { cwd } = scopeOf(call, host.folders);
      const limit = Math.floor(Number(input['limit'] ?? DEFAULT_LIMIT));
      const { targets, missing } = await resolveTargets(input['paths'] as string[], cwd);
      const options = { hidden: input['hidden'] !== false, limit, signal };
      let total = 0;
      const byPath = new Map<string, Found>();
      let shownAt = Date.now();
      for (const target of targets) {
        const part = await findIn(host, target, options);
        for (const entry of part.found) byPath.set(entry.path, entry);
        total += part.total;
        if (Date.now() - shownAt < UPDATE_MS) continue;
        shownAt = Date.now();
        await update(textResult([...byPath.keys()].map((path) => displayPath(cwd, path)).join('\n')));
      }
      const newest = [...byPath.values()].sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, limit);
      const files = newest.map(({ path }) => displayPath(cwd, path));
      const fitted = fitLines(files);
      // Overlapping targets count a file twice; the exact number is only known when all of them are here.
      const all = Math.max(total > byPath.size && byPath.size < limit ? byPath.size : total, files.length);
      const isCut = fitted.lines.length < all;
      const notes = [
        ...(isCut
          ? [
              `[${fitted.lines.length} of ${all} files shown, newest first. Narrow the globs${files.length < all ? ' or raise limit' : ''}.]`,
            ]
          : []),
        ...(missing.length > 0 ? [`Skipped missing paths: ${missing.join(', ')}`] : []),
      ];
      const head = files.length > 0 ? fitted.lines : ['No files found matching pattern'];
      const details: FindDetails = {
        scopePath: targets.map(({ given }) => given).join(', '),
        fileCount: fitted.lines.length,
        files: fitted.lines,
        truncated: isCut,
        ...(files.length < all && { resultLimitReached: limit, meta: { limits: { resultLimit: limit } } }),
        ...(missing.length > 0 && { missingPaths: missing }),
      };
      return textResult([...head, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'), { ...details });
    },
  });
}

async function findIn(
  host: SearchToolsHost,
  { base, kind, glob = '**' }: Target,
  { hidden, limit, signal }: { readonly hidden: boolean; readonly limit: number; readonly signal: AbortSignal },
): Promise<{ found: Found[]; total: number }> {
  if (kind === 'file') return { found: [{ path: base, modifiedMs: (await stat(base)).mtimeMs }], total: 1 };
  if (base === '/') throw errors.create('SEARCH_TOOLS_ROOT');
  const scan = await host.accelerator('scan');
  const { matches, total } = await withinTime('find', TIMEOUT_MS, (timeoutMs) =>
    scan.glob({ path: base, pattern: glob, hidden, gitignore: true, sort: 'modified', limit, timeoutMs, signal }),
  );
  return {
    found: matches.map(({ path, modifiedMs = 0 }) => ({ path: join(base, path), modifiedMs })),
    total,
  };
}
