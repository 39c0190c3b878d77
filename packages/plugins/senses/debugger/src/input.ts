/** The input of a call: its schema, and how its parts are read. */
import { Type } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Everything that can be asked for. */
export const ACTIONS = [
  'launch',
  'attach',
  'set_breakpoint',
  'remove_breakpoint',
  'set_instruction_breakpoint',
  'remove_instruction_breakpoint',
  'data_breakpoint_info',
  'set_data_breakpoint',
  'remove_data_breakpoint',
  'set_exception_breakpoints',
  'exception_info',
  'continue',
  'step_over',
  'step_in',
  'step_out',
  'pause',
  'evaluate',
  'set_variable',
  'stack_trace',
  'threads',
  'scopes',
  'variables',
  'disassemble',
  'read_memory',
  'write_memory',
  'modules',
  'loaded_sources',
  'custom_request',
  'output',
  'terminate',
  'sessions',
] as const;

/** One of them. */
export type Action = (typeof ACTIONS)[number];

const text = (description: string) => Type.Optional(Type.String({ description }));
const whole = (description: string, options: object = {}) => Type.Optional(Type.Integer({ description, ...options }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** What a model may write. */
export const parameters = Type.Object(
  {
    action: Type.Unsafe<Action>({ type: 'string', enum: [...ACTIONS] }),
    program: text('launch: file to debug (script, or program compiled with debug information)'),
    args: Type.Optional(Type.Array(Type.String(), { description: "launch: the program's arguments" })),
    adapter: text('launch, attach: adapter to use instead of the one that fits'),
    cwd: text('launch, attach: working folder'),
    stop_on_entry: flag('launch: stop before the first line. Default: true without file, line and function'),
    file: text('Source file of a breakpoint'),
    line: whole('Line of a breakpoint', { minimum: 1 }),
    function: text('Function of a breakpoint, instead of file and line'),
    condition: text('Breakpoints: stop only when this expression is true'),
    hit_condition: text('Breakpoints: stop only after so many hits, e.g. 3'),
    log_message: text('set_breakpoint: write this, with {expressions}, and do not stop'),
    filters: Type.Optional(
      Type.Array(Type.String(), { description: 'set_exception_breakpoints: filters to switch on' }),
    ),
    name: text('data_breakpoint_info, set_variable: name of a variable'),
    value: text('set_variable: the new value, as an expression'),
    expression: text('evaluate: expression, or command of the debugger'),
    context: text('evaluate: repl (default), watch, hover or clipboard'),
    thread_id: whole('Thread; default: the one that stopped'),
    frame_id: whole('Frame; default: the newest'),
    scope_id: whole('variables_reference of a scope'),
    variable_ref: whole('variables_reference of a variable'),
    pid: whole('attach: process to attach to', { minimum: 1 }),
    port: whole('attach: port of a debug server', { minimum: 1, maximum: 65_535 }),
    host: text('attach: host of the port; default 127.0.0.1'),
    levels: whole('stack_trace: how many frames; default 20', { minimum: 1, maximum: 1000 }),
    memory_reference: text('Address or memory reference'),
    instruction_reference: text('Instruction breakpoints, disassemble: address'),
    instruction_count: whole('disassemble: how many instructions', { minimum: 1, maximum: 1000 }),
    instruction_offset: whole('disassemble: start so many instructions later'),
    count: whole('read_memory: bytes; variables: how many', { minimum: 0, maximum: 1_048_576 }),
    data: text('write_memory: bytes as base64'),
    data_id: text('Data breakpoints: id from data_breakpoint_info'),
    access_type: Type.Optional(
      Type.Unsafe<'read' | 'write' | 'readWrite'>({ type: 'string', enum: ['read', 'write', 'readWrite'] }),
    ),
    command: text('custom_request: DAP request'),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'custom_request: its arguments' }),
    ),
    offset: whole('Bytes after the reference; variables: first one to show'),
    resolve_symbols: flag('disassemble: show symbols'),
    allow_partial: flag('write_memory: write less when not all can be written'),
    start_module: whole('modules: first one', { minimum: 0 }),
    module_count: whole('modules: how many', { minimum: 0 }),
    timeout: Type.Optional(Type.Number({ description: 'Seconds to wait, 5 to 300' })),
  },
  { additionalProperties: false },
);

/** Input whose schema has been checked. */
export type Input = Readonly<Record<string, unknown>>;

/** A text; undefined when it is absent or blank. */
export function textIn(input: Input, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number; undefined when it is absent. */
export function numberIn(input: Input, key: string): number | undefined {
  const value = input[key];
  return typeof value === 'number' ? value : undefined;
}

/** A text that the action cannot do without. */
export function requiredText(input: Input, key: string): string {
  return textIn(input, key) ?? missing(input, key);
}

/** A number that the action cannot do without. */
export function requiredNumber(input: Input, key: string): number {
  return numberIn(input, key) ?? missing(input, key);
}

/** Says what an action needs. */
export function missing(input: Input, fields: string): never {
  throw errors.create('DEBUG_MISSING_INPUT', { action: String(input['action']), fields });
}

const [LEAST_SECONDS, MOST_SECONDS] = [5, 300];

/** How long a call may wait, in milliseconds. */
export function timeoutOf(input: Input, standardSeconds: number): number {
  const seconds = numberIn(input, 'timeout') ?? standardSeconds;
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, seconds)) * 1000;
}
