import {
  displayPath,
  explainFailures,
  fitLines,
  scopeOf,
  textResult,
  type Tool,
  type ToolScope,
} from '@tenon/tools/api';
import { searchTouches } from '@tenon/search-tools/api';
import { counted, cutText } from '@tenon/wording';
import { Type } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { errors } from './errors.ts';
import type { SyntaxToolsHost } from './host.ts';
import { prompts } from './prompts/index.ts';
import { changesOf, planFile, type PlannedFile } from './rewrite-plan.ts';
import { collectSources, issueBlock, issueLines } from './sources.ts';

const MAX_EDITS = 10_000;
const SHOWN_CHARS = 120;

interface Operation {
  readonly pat: string;
  readonly out: string;
}

/** The tool that previews structural rewrites. */
export function createAstEditTool(host: SyntaxToolsHost): Tool {
  return explainFailures({
    description: prompts.astEdit(),
    parameters: Type.Object(
      {
        ops: Type.Array(
          Type.Object(
            {
              pat: Type.String({ description: 'Pattern' }),
              out: Type.String({ description: 'Replacement with the captures of pat; empty deletes' }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
        paths: Type.Array(Type.String(), { minItems: 1, description: 'Files, folders, globs or internal URLs' }),
      },
      { additionalProperties: false },
    ),
    // A preview only reads; `resolve` declares the files that it writes.
    touches: (input, call) => searchTouches(input['paths'], scopeOf(call, host.folders).cwd, host.urls),
    async execute(input, { signal, ...call }) {
      const scope = scopeOf(call, host.folders);
      const operations = checkOperations(input['ops'] as Operation[]);
      const sources = await collectSources(host, input['paths'] as string[], scope, signal);
      const syntax = await host.accelerator('syntax');
      const result = await syntax.rewrite({
        sources: sources.files,
        operations: operations.map(({ pat, out }) => ({ rule: { pattern: pat }, template: out })),
        maxEdits: MAX_EDITS,
        signal,
      });
      const preview = await previewOf(host, result.files, scope);
      const { planned, total } = preview;
      const limitReached = result.limitReached || preview.isLimited;
      if (total > 0) await host.pending.push(scope.session, pendingRewrite(host, planned, total, scope));
      const issues = issueLines(result.issues, sources.paths, total > 0);
      const fitted = fitLines(sources.isSingleFile ? preview.lines.slice(1) : preview.lines);
      const overlapping = result.files.reduce((sum, file) => sum + file.overlapping, 0);
      const notes = [
        ...(fitted.isCut ? ['[Not all replacements are shown; all of them are part of this preview.]'] : []),
        ...(limitReached ? ['Limit reached; narrow paths.'] : []),
        ...(overlapping > 0
          ? [
              `${counted(overlapping, 'overlapping match', 'overlapping matches')} left out; run the same rewrite again after applying.`,
            ]
          : []),
        ...(sources.missing.length > 0 ? [`Skipped missing paths: ${sources.missing.join(', ')}`] : []),
        ...(total > 0
          ? [
              `This is a preview of ${amount(total, planned.length)}. Call the resolve tool to apply or discard these changes.`,
            ]
          : []),
      ];
      const head = total > 0 ? fitted.lines : ['No replacements made'];
      const text = [...head, ...(notes.length > 0 ? ['', ...notes] : []), ...issueBlock(issues)].join('\n');
      const count = ({ path, edits }: PlannedFile) => ({ path: displayPath(scope.cwd, path), count: edits.length });
      return textResult(text, {
        totalReplacements: total,
        filesTouched: planned.length,
        filesSearched: result.filesSearched - result.filesSkipped,
        applied: false,
        limitReached,
        scopePath: sources.scopePath,
        files: planned.map(({ path }) => displayPath(scope.cwd, path)),
        fileReplacements: planned.map(count),
        ...(issues.length > 0 && { parseErrors: issues }),
      });
    },
  });
}

function checkOperations(operations: readonly Operation[]): readonly Operation[] {
  const seen = new Set<string>();
  for (const { pat, out } of operations) {
    if (pat.trim() === '') throw errors.create('SYNTAX_TOOLS_PATTERN_EMPTY');
    if (seen.has(pat)) throw errors.create('SYNTAX_TOOLS_PATTERN_TWICE', { pattern: pat });
    seen.add(pat);
    // What begins with `_` is never bound.
    const bound = variablesOf(pat).filter((name) => !/^\$+_/.test(name));
    const variable = variablesOf(out).find((name) => !bound.includes(name));
    if (variable !== undefined) throw errors.create('SYNTAX_TOOLS_UNBOUND', { variable, pattern: pat });
  }
  return operations;
}

/** The variables of a pattern or replacement that have a name, as they are written. */
function variablesOf(code: string): string[] {
  return [...code.matchAll(/(\${1,3})([A-Z_][A-Z0-9_]*)/g)].map(([, sigil, name]) => {
    return `${sigil === '$$$' ? '$$$' : '$'}${name}`;
  });
}

type FileRewrite = Awaited<ReturnType<Accelerators['syntax']['rewrite']>>['files'][number];

interface Preview {
  readonly planned: readonly PlannedFile[];
  readonly total: number;
  readonly lines: readonly string[];
  readonly isLimited: boolean;
}

async function previewOf(
  host: SyntaxToolsHost,
  files: readonly FileRewrite[],
  { session, cwd }: ToolScope,
): Promise<Preview> {
  const hashline = await host.accelerator('hashline');
  const planned: PlannedFile[] = [];
  const lines: string[] = [];
  let [total, isLimited] = [0, false];
  for (const file of files) {
    const plan = await planFile(file, cwd);
    if (!plan) continue;
    if (planned.length === host.config.maxFiles) {
      isLimited = true;
      break;
    }
    const { content, ...kept } = plan;
    host.views.record(session, file.path, content);
    planned.push(kept);
    total += kept.edits.length;
    lines.push(...(lines.length > 0 ? [''] : []), `# ${displayPath(cwd, file.path)}`);
    const anchors = anchorsOf(hashline, content, kept);
    for (const { range, before, after } of kept.edits) {
      const anchor = anchors(range.startLine);
      lines.push(`-${anchor}|${firstLine(before)}`, `+${anchor}|${firstLine(after)}`);
    }
  }
  return { planned, total, lines, isLimited };
}

/** Anchors of the lines between the first and the last edit, formatted once. */
function anchorsOf(
  hashline: Accelerators['hashline'],
  content: Buffer,
  { edits }: PlannedFile,
): (line: number) => string {
  const first = edits[0]?.range.startLine ?? 1;
  const last = edits.at(-1)?.range.startLine ?? first;
  const rows = hashline.format(content, { first, last }).toString('utf8').split('\n');
  return (line) => rows[line - first]?.split('|', 1)[0] ?? String(line);
}

function firstLine(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return cutText(first.replace(/\r$/, ''), SHOWN_CHARS) + (rest.length > 0 ? ' …' : '');
}

function pendingRewrite(
  host: SyntaxToolsHost,
  planned: readonly PlannedFile[],
  total: number,
  { session, cwd }: ToolScope,
) {
  return {
    label: `AST edit: ${amount(total, planned.length)}`,
    sourceToolName: 'ast_edit',
    writes: planned.map(({ path }) => path),
    apply: async () => {
      await host.changes.apply(session, await changesOf(planned, cwd));
      const files = planned.map(({ path }) => displayPath(cwd, path));
      const details = { applied: true, totalReplacements: total, filesTouched: planned.length, files };
      return textResult(`Applied ${amount(total, planned.length)}.`, details);
    },
  };
}

function amount(replacements: number, files: number): string {
  return `${replacements} ${replacements === 1 ? 'replacement' : 'replacements'} in ${files} ${files === 1 ? 'file' : 'files'}`;
}
