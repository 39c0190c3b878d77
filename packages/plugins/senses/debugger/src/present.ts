/** What a model reads: short lines, nothing that moves a cursor. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { displayPath } from '@tenon/tools/api';
import { cutText, plainLine } from '@tenon/wording';
import type { DebugPlace, DebugSnapshot } from './api.ts';
import type { BreakpointKind, BreakpointRecord } from './session/breakpoints.ts';

const MAX_VALUE = 1_000;

/** A text of the program or its adapter, on one line, and not too long. */
export function shown(value: unknown, most: number = MAX_VALUE): string {
  return cutText(plainLine(String(value ?? '')), most);
}

/** `name at file:line`. */
export function placeText({ name, path, line }: DebugPlace, cwd: string): string {
  const where = path === undefined ? '' : ` at ${shown(displayPath(cwd, path))}${line === undefined ? '' : `:${line}`}`;
  return `${shown(name, 200)}${where}`;
}

/** Where a program stands, in one line. */
export function stateText(snapshot: DebugSnapshot): string {
  const { state, stopReason, place, exitCode, endReason, cwd, threadId } = snapshot;
  if (state === 'stopped') {
    const where = place === undefined ? '' : ` in ${placeText(place, cwd)}`;
    return `Stopped${where} (${shown(stopReason, 300)}${threadId === undefined ? '' : `, thread ${threadId}`}).`;
  }
  if (state !== 'ended') return 'The program is running.';
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
  return `The program has ended${code}${endReason === undefined ? '' : `: ${shown(endReason)}`}.`;
}

/** One frame of a stack. */
export function frameText(frame: DebugProtocol.StackFrame, place: DebugPlace, index: number, cwd: string): string {
  const address =
    frame.instructionPointerReference === undefined ? '' : ` ${shown(frame.instructionPointerReference, 40)}`;
  return `#${index} ${placeText(place, cwd)} (frame_id ${frame.id}${address})`;
}

/** One variable. */
export function variableText({
  name,
  value,
  type,
  variablesReference,
  memoryReference,
}: DebugProtocol.Variable): string {
  const kind = type === undefined || type === '' ? '' : `: ${shown(type, 120)}`;
  const more = variablesReference > 0 ? ` (variable_ref ${variablesReference})` : '';
  const memory = memoryReference === undefined ? '' : ` @${shown(memoryReference, 40)}`;
  return `${shown(name, 200)}${kind} = ${shown(value)}${memory}${more}`;
}

/** One breakpoint. */
export function breakpointText(kind: BreakpointKind, record: BreakpointRecord, cwd: string): string {
  const target = {
    source: () => `${displayPath(cwd, record.file ?? '')}:${record.line}`,
    function: () => `function ${record.function}`,
    instruction: () => `instruction ${record.instructionReference}${record.offset ? `+${record.offset}` : ''}`,
    data: () => `data ${record.dataId} (${record.accessType ?? 'write'})`,
  }[kind]();
  const parts = [
    ...(record.condition === undefined ? [] : [`if ${record.condition}`]),
    ...(record.hitCondition === undefined ? [] : [`hits ${record.hitCondition}`]),
    ...(record.logMessage === undefined ? [] : [`logs "${record.logMessage}"`]),
    ...(record.actualLine === undefined ? [] : [`at line ${record.actualLine}`]),
    record.verified ? 'set' : `not set yet${record.message === undefined ? '' : `: ${record.message}`}`,
  ];
  return shown(`${target}: ${parts.join(', ')}`);
}

/** A session, for lists. */
export function sessionText(snapshot: DebugSnapshot): string {
  const { id, adapter, program, cwd } = snapshot;
  return `${id} ${adapter} ${shown(displayPath(cwd, program))}: ${stateText(snapshot)}`;
}

/** Bytes as people read them: sixteen to a line, with their letters. */
export function hexLines(address: string, bytes: Buffer): string[] {
  const start = /^0x[\da-f]+$/i.test(address) ? BigInt(address) : undefined;
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const place =
      start === undefined ? `+${at.toString(16).padStart(4, '0')}` : `0x${(start + BigInt(at)).toString(16)}`;
    const letters = row.toString('latin1').replace(/[^ -~]/g, '.');
    lines.push(`${place}  ${(row.toString('hex').match(/../g) ?? []).join(' ').padEnd(47)}  ${letters}`);
  }
  return lines;
}
