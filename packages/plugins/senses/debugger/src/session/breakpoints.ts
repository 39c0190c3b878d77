/** The breakpoints of a session. Adapters take whole lists, so the lists are kept here. */
import type { DebugProtocol } from '@vscode/debugprotocol';

/** One breakpoint: what was asked for, and what the adapter made of it. */
export interface BreakpointRecord {
  /** Source breakpoints: the file. */
  readonly file?: string;
  readonly line?: number;
  readonly function?: string;
  readonly instructionReference?: string;
  readonly offset?: number;
  readonly dataId?: string;
  readonly accessType?: DebugProtocol.DataBreakpointAccessType;
  readonly condition?: string;
  readonly hitCondition?: string;
  readonly logMessage?: string;
  /** The adapter's number for it. */
  readonly id?: number;
  readonly verified?: boolean;
  /** Where the adapter has put it, when that is another line. */
  readonly actualLine?: number;
  readonly message?: string;
}

/** The kinds that have a list of their own; source breakpoints have one for each file. */
export type BreakpointKind = 'source' | 'function' | 'instruction' | 'data';

/** The request that sets a list. */
export const SET_REQUESTS: Readonly<Record<BreakpointKind, string>> = {
  source: 'setBreakpoints',
  function: 'setFunctionBreakpoints',
  instruction: 'setInstructionBreakpoints',
  data: 'setDataBreakpoints',
};

/** Which breakpoint it is among those of its kind. */
export function identityOf(kind: BreakpointKind, record: BreakpointRecord): string {
  switch (kind) {
    case 'source':
      return `${record.file}:${record.line}`;
    case 'function':
      return record.function ?? '';
    case 'instruction':
      return `${record.instructionReference}+${record.offset ?? 0}`;
    case 'data':
      return record.dataId ?? '';
  }
}

/** All breakpoints. */
export class BreakpointBook {
  readonly #lists: Record<BreakpointKind, readonly BreakpointRecord[]> = {
    source: [],
    function: [],
    instruction: [],
    data: [],
  };
  /** Exception filters that are switched on. */
  exceptionFilters: readonly string[] = [];

  list(kind: BreakpointKind): readonly BreakpointRecord[] {
    return this.#lists[kind];
  }

  /** Files that have breakpoints. */
  get files(): string[] {
    return [...new Set(this.#lists.source.flatMap(({ file }) => file ?? []))];
  }

  get size(): number {
    return Object.values(this.#lists).reduce((sum, list) => sum + list.length, 0);
  }

  replace(kind: BreakpointKind, list: readonly BreakpointRecord[]): void {
    this.#lists[kind] = list;
  }

  /** The list with one more, in place of an equal one. */
  with(kind: BreakpointKind, record: BreakpointRecord): readonly BreakpointRecord[] {
    return [...this.without(kind, record), record];
  }

  /** The list without one. */
  without(kind: BreakpointKind, record: BreakpointRecord): readonly BreakpointRecord[] {
    const identity = identityOf(kind, record);
    return this.#lists[kind].filter((known) => identityOf(kind, known) !== identity);
  }

  /** Takes what the adapter says later: a breakpoint that could be set after all, or has moved. */
  update(changed: DebugProtocol.Breakpoint): void {
    if (changed.id === undefined) return;
    for (const kind of Object.keys(this.#lists) as BreakpointKind[])
      this.#lists[kind] = this.#lists[kind].map((record) =>
        record.id === changed.id ? withAnswer(record, { ...answerOf(record), ...changed }) : record,
      );
  }
}

/** The arguments of the request that sets a list; of source breakpoints those of one file. */
export function setArguments(
  kind: BreakpointKind,
  records: readonly BreakpointRecord[],
  file: string | undefined,
): Record<string, unknown> {
  const breakpoints = records.map((record) => {
    const { condition, hitCondition, logMessage, line, offset, dataId, accessType } = record;
    const common = { condition, hitCondition };
    const own = {
      source: { line, logMessage },
      function: { name: record.function },
      instruction: { instructionReference: record.instructionReference, offset },
      data: { dataId, accessType },
    }[kind];
    return { ...own, ...common };
  });
  return kind === 'source'
    ? { source: { path: file, name: file?.split('/').at(-1) }, breakpoints, sourceModified: false }
    : { breakpoints };
}

/** The record with the adapter's answer. */
export function withAnswer(record: BreakpointRecord, answer: DebugProtocol.Breakpoint | undefined): BreakpointRecord {
  const { id: _id, verified: _verified, actualLine: _line, message: _message, ...asked } = record;
  if (!answer) return { ...asked, verified: false, message: 'the adapter did not answer for it' };
  const { id, verified, line, message } = answer;
  return {
    ...asked,
    verified: verified === true,
    ...(typeof id === 'number' && { id }),
    ...(typeof line === 'number' && line !== record.line && { actualLine: line }),
    ...(typeof message === 'string' && message !== '' && { message }),
  };
}

function answerOf({ id, verified = false, actualLine, message }: BreakpointRecord): DebugProtocol.Breakpoint {
  return {
    verified,
    ...(id !== undefined && { id }),
    ...(actualLine !== undefined && { line: actualLine }),
    ...(message !== undefined && { message }),
  };
}
