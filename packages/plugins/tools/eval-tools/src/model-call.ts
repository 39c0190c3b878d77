/** Cells that a model wrote: parsed, given a language and a time limit, and presented to it. */
import { scopeOf, type ToolCall, type ToolResult } from '@tenon/tools/api';
import type { CellLanguage } from './api.ts';
import { type CellHost, runCells } from './call-work.ts';
import type { CallRecord } from './cell-record.ts';
import { parseCells } from './cells/parse.ts';
import { chooseLanguages, type ReadyCell } from './choose-language.ts';
import { ABORT_WARNING, present } from './present.ts';

const MIN_MS = 1_000;
const MAX_MS = 600_000;

/** What calls of models need beside what cells do. */
export interface ModelCallHost extends CellHost {
  readonly languages: readonly CellLanguage[];
  readonly timeoutSeconds: number;
  hasPython(cwd: string): boolean;
}

/** Carries out a call of `eval`. */
export async function runModelCall(
  host: ModelCallHost,
  input: Readonly<Record<string, unknown>>,
  call: ToolCall,
): Promise<ToolResult> {
  const scope = scopeOf(call, host.folders);
  const parsed = parseCells(String(input['input']));
  const { cells, notices } = chooseLanguages(parsed.cells, host.languages, () => host.hasPython(scope.cwd));
  const timeLimit = (cell: ReadyCell, record: CallRecord) => limited(cell, record, host.timeoutSeconds);
  const { record, summary, failure } = await runCells(host, { call, scope, cells, notices, timeLimit });
  if (parsed.isAborted) record.notices.push(ABORT_WARNING);
  return present(record, summary, failure);
}

function limited({ timeoutMs }: ReadyCell, { notices }: CallRecord, usualSeconds: number): number {
  const asked = timeoutMs ?? usualSeconds * 1000;
  const limit = Math.min(MAX_MS, Math.max(MIN_MS, asked));
  if (limit !== asked) notices.push(`[Timeout set to ${limit / 1000}s: ${asked / 1000}s is out of range.]`);
  return limit;
}
