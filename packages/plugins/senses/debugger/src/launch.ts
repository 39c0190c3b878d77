/** Finds out how a program is started or attached to; the same for approval and for the call itself. */
import { findInPath } from '@tenon/host';
import { resolvePath } from '@tenon/tools/api';
import { chooseForAttach, chooseForLaunch, pythons } from './adapters/choose.ts';
import { fillWords, type KnownAdapter } from './adapters/definition.ts';
import { programKind } from './adapters/program-kind.ts';
import type { OpenRequest } from './debugger.ts';
import { type Input, missing, numberIn, requiredText, textIn } from './input.ts';
import type { BreakpointKind, BreakpointRecord } from './session/breakpoints.ts';

/** What a plan needs. */
export interface PlanPlace {
  readonly owner: string;
  readonly cwd: string;
  readonly adapters: readonly KnownAdapter[];
}

/** A session that is to be opened, with the command that it amounts to. */
export interface Plan extends OpenRequest {
  /** What would run without a debugger. */
  readonly runs: readonly string[];
}

/** The breakpoint that an input asks for; undefined when it names none. */
export function breakpointIn(input: Input, cwd: string): readonly [BreakpointKind, BreakpointRecord] | undefined {
  const [condition, hitCondition, logMessage] = ['condition', 'hit_condition', 'log_message'].map((key) =>
    textIn(input, key),
  );
  const common = {
    ...(condition !== undefined && { condition }),
    ...(hitCondition !== undefined && { hitCondition }),
    ...(logMessage !== undefined && { logMessage }),
  };
  const name = textIn(input, 'function');
  if (name !== undefined) return ['function', { function: name, ...common }];
  const [file, line] = [textIn(input, 'file'), numberIn(input, 'line')];
  if (file === undefined || line === undefined) return undefined;
  return ['source', { file: resolvePath(cwd, file), line, ...common }];
}

/** Plans a launch. */
export async function planLaunch(input: Input, { owner, cwd: workspace, adapters }: PlanPlace): Promise<Plan> {
  const cwd = resolvePath(workspace, textIn(input, 'cwd') ?? '.');
  const program = resolvePath(cwd, requiredText(input, 'program'));
  const place = { cwd, env: process.env };
  const wanted = textIn(input, 'adapter');
  const { adapter, form, commands } = chooseForLaunch(adapters, wanted, await programKind(program), place);
  const args = Array.isArray(input['args']) ? input['args'].map(String) : [];
  const breakpoint = breakpointIn(input, cwd);
  const asked = input['stop_on_entry'];
  const stopOnEntry = typeof asked === 'boolean' ? asked : breakpoint === undefined;
  const first = pythons(place)[0];
  // By its name where a shell would find the same one, so that approval judges it as it judges the shell's.
  const python = first === undefined || first === findInPath('python3', process.env, cwd) ? 'python3' : first;
  return {
    owner,
    adapter,
    commands,
    program,
    cwd,
    workspace,
    request: 'launch',
    template: form.arguments,
    fillings: { program, args, stopOnEntry },
    breakpoints: breakpoint === undefined ? [] : [breakpoint],
    runs: fillWords(form.runs, { program, args, python }),
  };
}

/** Plans an attach. */
export function planAttach(input: Input, { owner, cwd: workspace, adapters }: PlanPlace): Plan {
  const cwd = resolvePath(workspace, textIn(input, 'cwd') ?? '.');
  const [pid, port] = [numberIn(input, 'pid'), numberIn(input, 'port')];
  if (pid === undefined && port === undefined) missing(input, 'pid or port');
  const by = port === undefined ? 'pid' : 'port';
  const host = textIn(input, 'host') ?? '127.0.0.1';
  const { adapter, commands } = chooseForAttach(adapters, textIn(input, 'adapter'), by, { cwd, env: process.env });
  const breakpoint = breakpointIn(input, cwd);
  return {
    owner,
    adapter,
    commands,
    program: by === 'pid' ? `process ${pid}` : `${host}:${port}`,
    cwd,
    workspace,
    request: 'attach',
    template: adapter.attach?.[by] ?? {},
    fillings: { pid, port, host },
    breakpoints: breakpoint === undefined ? [] : [breakpoint],
    runs: [],
  };
}
