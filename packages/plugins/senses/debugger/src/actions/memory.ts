/** Machine code and memory. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { errors } from '../errors.ts';
import { missing, numberIn, requiredNumber, requiredText, textIn } from '../input.ts';
import { hexLines, shown } from '../present.ts';
import { listIn } from '../protocol/answers.ts';
import type { ActionCall, ActionHandler, ActionResult } from './action.ts';

async function disassemble({ current, input, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsDisassembleRequest', 'disassembly');
  const instructionCount = requiredNumber(input, 'instruction_count');
  const memoryReference =
    textIn(input, 'memory_reference') ??
    textIn(input, 'instruction_reference') ??
    (await current.frame(limits))?.instructionPointerReference ??
    missing(input, 'memory_reference or instruction_reference');
  const [offset, instructionOffset] = [numberIn(input, 'offset'), numberIn(input, 'instruction_offset')];
  const args = {
    memoryReference,
    instructionCount,
    resolveSymbols: input['resolve_symbols'] ?? true,
    ...(offset !== undefined && { offset }),
    ...(instructionOffset !== undefined && { instructionOffset }),
  };
  const list = listIn<DebugProtocol.DisassembledInstruction>(
    await current.send('disassemble', args, limits),
    'instructions',
  );
  const lines = list.map(({ address, instruction, symbol, line }) =>
    [address, symbol === undefined ? '' : `<${symbol}>`, instruction, line === undefined ? '' : `; line ${line}`]
      .filter((part) => part !== '')
      .map((part) => shown(part, 200))
      .join('  '),
  );
  return { lines: lines.length > 0 ? lines : ['There are no instructions.'], facts: { disassembly: list } };
}

async function readMemory({ current, input, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsReadMemoryRequest', 'reading memory');
  const memoryReference = requiredText(input, 'memory_reference');
  const count = requiredNumber(input, 'count');
  const offset = numberIn(input, 'offset');
  const args = { memoryReference, count, ...(offset !== undefined && { offset }) };
  const answer = await current.send('readMemory', args, limits);
  const {
    address,
    data = '',
    unreadableBytes = 0,
  } = answer as Partial<NonNullable<DebugProtocol.ReadMemoryResponse['body']>>;
  const bytes = Buffer.from(String(data), 'base64');
  const lines = hexLines(String(address ?? ''), bytes);
  if (Number(unreadableBytes) > 0) lines.push(`${Number(unreadableBytes)} bytes after that cannot be read.`);
  return {
    lines: lines.length > 0 ? lines : ['Nothing could be read.'],
    facts: { memoryAddress: address, memoryData: data, unreadableBytes },
  };
}

async function writeMemory({ current, input, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsWriteMemoryRequest', 'writing memory');
  const memoryReference = requiredText(input, 'memory_reference');
  const data = requiredText(input, 'data');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || Buffer.from(data, 'base64').toString('base64') !== data)
    throw errors.create('DEBUG_MISSING_INPUT', { action: 'write_memory', fields: 'data as base64' });
  const offset = numberIn(input, 'offset');
  const allowPartial = input['allow_partial'] === true;
  const answer = await current.send(
    'writeMemory',
    { memoryReference, data, allowPartial, ...(offset !== undefined && { offset }) },
    limits,
  );
  const written = Number(answer['bytesWritten'] ?? Buffer.from(data, 'base64').length);
  return { lines: [`${written} bytes written.`], facts: { bytesWritten: written } };
}

/** By action. */
export const memoryActions: Readonly<Record<string, ActionHandler>> = {
  disassemble,
  read_memory: readMemory,
  write_memory: writeMemory,
};
