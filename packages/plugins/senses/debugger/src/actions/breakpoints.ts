/** Breakpoints of all kinds. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { errors } from '../errors.ts';
import { type Input, missing, numberIn, requiredText, textIn } from '../input.ts';
import { breakpointIn } from '../launch.ts';
import { breakpointText, shown } from '../present.ts';
import type { BreakpointKind, BreakpointRecord } from '../session/breakpoints.ts';
import type { ActionCall, ActionHandler, ActionResult } from './action.ts';

const FACTS: Readonly<Record<BreakpointKind, string>> = {
  source: 'breakpoints',
  function: 'functionBreakpoints',
  instruction: 'instructionBreakpoints',
  data: 'dataBreakpoints',
};

type Read = (input: Input, cwd: string) => readonly [BreakpointKind, BreakpointRecord];

const readSource: Read = (input, cwd) => breakpointIn(input, cwd) ?? missing(input, 'file and line, or function');

const conditions = (input: Input) => {
  const [condition, hitCondition] = [textIn(input, 'condition'), textIn(input, 'hit_condition')];
  return { ...(condition !== undefined && { condition }), ...(hitCondition !== undefined && { hitCondition }) };
};

const readInstruction: Read = (input) => {
  const offset = numberIn(input, 'offset');
  const instructionReference = requiredText(input, 'instruction_reference');
  return ['instruction', { instructionReference, ...(offset !== undefined && { offset }), ...conditions(input) }];
};

const readData: Read = (input) => {
  const accessType = textIn(input, 'access_type') as DebugProtocol.DataBreakpointAccessType | undefined;
  return [
    'data',
    { dataId: requiredText(input, 'data_id'), ...(accessType !== undefined && { accessType }), ...conditions(input) },
  ];
};

/** Refuses what the adapter would leave out in silence. */
function checkCapabilities({ current }: ActionCall, kind: BreakpointKind, record: BreakpointRecord): void {
  if (kind === 'function') current.require('supportsFunctionBreakpoints', 'function breakpoints');
  if (kind === 'instruction') current.require('supportsInstructionBreakpoints', 'instruction breakpoints');
  if (kind === 'data') current.require('supportsDataBreakpoints', 'data breakpoints');
  if (record.condition !== undefined) current.require('supportsConditionalBreakpoints', 'conditions of breakpoints');
  if (record.hitCondition !== undefined)
    current.require('supportsHitConditionalBreakpoints', 'hit counts of breakpoints');
  if (record.logMessage !== undefined) current.require('supportsLogPoints', 'log messages of breakpoints');
}

function change(read: Read, isRemoval: boolean): ActionHandler {
  return async (call) => {
    const { session, input, cwd, limits } = call;
    const [kind, record] = read(input, cwd);
    if (session.state === 'ended') throw errors.create('DEBUG_NO_SESSION');
    checkCapabilities(call, kind, isRemoval ? {} : record);
    const { book } = session.parts;
    const list = isRemoval ? book.without(kind, record) : book.with(kind, record);
    const wasThere = list.length < book.list(kind).length;
    await session.setBreakpoints(kind, list, kind === 'source' ? record.file : undefined, limits);
    const head = isRemoval ? [wasThere ? 'Removed.' : 'There was no such breakpoint.'] : [];
    return { lines: [...head, ...listed(kind, call)], facts: { [FACTS[kind]]: book.list(kind) } };
  };
}

function listed(kind: BreakpointKind, { session, cwd }: ActionCall): string[] {
  const records = session.parts.book.list(kind);
  return records.length === 0
    ? [`No ${kind} breakpoints.`]
    : records.map((record) => breakpointText(kind, record, cwd));
}

/** By action. */
export const breakpointActions: Readonly<Record<string, ActionHandler>> = {
  set_breakpoint: change(readSource, false),
  remove_breakpoint: change(readSource, true),
  set_instruction_breakpoint: change(readInstruction, false),
  remove_instruction_breakpoint: change(readInstruction, true),
  set_data_breakpoint: change(readData, false),
  remove_data_breakpoint: change(readData, true),
  data_breakpoint_info: dataBreakpointInfo,
  set_exception_breakpoints: setExceptions,
  exception_info: exceptionInfo,
};

async function dataBreakpointInfo({ current, input, limits }: ActionCall): Promise<ActionResult> {
  const name = requiredText(input, 'name');
  current.require('supportsDataBreakpoints', 'data breakpoints');
  const variablesReference = numberIn(input, 'variable_ref') ?? numberIn(input, 'scope_id');
  const frameId = numberIn(input, 'frame_id') ?? (await current.frame(limits))?.id;
  const args = { name, ...(variablesReference === undefined ? { frameId } : { variablesReference }) };
  const info = await current.send('dataBreakpointInfo', args, limits);
  const { dataId, description, accessTypes } = info;
  const types = Array.isArray(accessTypes) ? ` Access: ${accessTypes.join(', ')}.` : '';
  const line =
    typeof dataId === 'string'
      ? `data_id ${shown(dataId, 200)}: ${shown(description)}.${types}`
      : `No data breakpoint is possible: ${shown(description)}`;
  return { lines: [line], facts: { dataBreakpointInfo: info } };
}

async function setExceptions({ session, input, limits }: ActionCall): Promise<ActionResult> {
  const known = session.capabilities.exceptionBreakpointFilters ?? [];
  const names = known.map(({ filter }) => filter);
  const filters = Array.isArray(input['filters'])
    ? input['filters'].map(String)
    : missing(input, `filters (of: ${names.join(', ')})`);
  const unknown = filters.find((filter) => !names.includes(filter));
  if (unknown !== undefined)
    throw errors.create('DEBUG_NOT_SUPPORTED', {
      adapter: session.parts.adapter,
      what: `the exception filter "${unknown}"; it has: ${names.join(', ')}`,
    });
  await session.setExceptions(filters, limits);
  const lines = known.map(
    ({ filter, label }) => `${filters.includes(filter) ? 'on ' : 'off'} ${shown(filter)}: ${shown(label)}`,
  );
  return { lines, facts: { exceptionFilters: filters } };
}

async function exceptionInfo({ current, input, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsExceptionInfoRequest', 'details of exceptions');
  const threadId = numberIn(input, 'thread_id') ?? (await current.thread(limits));
  const info = await current.send('exceptionInfo', { threadId }, limits);
  const details = (info['details'] ?? {}) as DebugProtocol.ExceptionDetails;
  const stack =
    typeof details.stackTrace === 'string' ? details.stackTrace.split('\n').map((line) => shown(line, 400)) : [];
  const head = [info['exceptionId'], info['description'] ?? details.message].filter((part) => part !== undefined);
  return { lines: [head.map((part) => shown(part)).join(': '), ...stack.slice(0, 50)], facts: { exception: info } };
}
