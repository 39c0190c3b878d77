/** What a call touches: programs that it starts, and code that runs in the program. */
import type { TouchedCommand, Touches } from '@tenon/tools/api';
import { shellWord } from '@tenon/wording';
import { type Input, missing, numberIn, textIn } from './input.ts';

/** Parts of the input that a debugger carries out as code, by action. */
const CODE: Readonly<Record<string, readonly string[]>> = {
  evaluate: ['expression'],
  set_variable: ['value'],
  write_memory: ['data'],
  custom_request: ['command'],
  set_breakpoint: ['condition', 'hit_condition', 'log_message'],
  set_instruction_breakpoint: ['condition', 'hit_condition'],
  set_data_breakpoint: ['condition', 'hit_condition'],
  launch: ['condition', 'hit_condition', 'log_message'],
};

/** Why attaching leaves the sandbox. */
const OUTSIDE = 'the debugged process runs outside of the sandbox';

/** The code that a call runs in the program. */
export function codeTouched(input: Input, cwd: string, isOutside: boolean): TouchedCommand[] {
  const action = String(input['action']);
  const parts = (CODE[action] ?? []).flatMap((key) => textIn(input, key) ?? []);
  const args = action === 'custom_request' ? [JSON.stringify(input['arguments'] ?? {})] : [];
  const text = [...parts, ...args].join('\n');
  return text === '' ? [] : [{ text, language: 'debugger', cwd, ...(isOutside && { unsandboxed: OUTSIDE }) }];
}

/** Attaching: a debugger that can do everything that the process can. */
export function attachTouched(input: Input, adapter: string, cwd: string): Touches {
  if (numberIn(input, 'pid') === undefined && numberIn(input, 'port') === undefined) missing(input, 'pid or port');
  const host = textIn(input, 'host') ?? '127.0.0.1';
  const target = input['port'] === undefined ? `pid ${String(input['pid'])}` : `${host}:${String(input['port'])}`;
  const isRemote = input['port'] !== undefined && !/^(?:localhost|127\.[\d.]+|::1)$/.test(host);
  return {
    commands: [{ text: `attach ${adapter} to ${target}`, language: 'debugger', cwd, unsandboxed: OUTSIDE }],
    ...(isRemote && { hosts: [host] }),
  };
}

/** A command as a shell would write it. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
