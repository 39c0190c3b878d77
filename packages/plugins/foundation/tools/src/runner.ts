import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type KernelAccess, type Logger, messageOf, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import {
  type Tool,
  toolCall,
  type ToolCallEvent,
  type ToolData,
  toolEnd,
  toolInput,
  type ToolInputEvent,
  type ToolResult,
  toolResult,
  type ToolRunner,
  tools,
  type ToolScope,
  type TouchCall,
  type Touches,
} from './api.ts';
import { checkInput, repairWarning } from './input-check.ts';
import { fingerprintOf } from './fingerprint.ts';
import { failureText } from './tool-output.ts';
import { ANYTHING, touchesOf } from './touches.ts';

/** What running tools needs of the kernel. */
export type RunnerKernel = Pick<KernelAccess, 'read' | 'run'> & { readonly log: Logger };

/** Makes the service that runs tools. Every expected failure is a result that tells the model or person what to do next. */
export function createToolRunner(kernel: RunnerKernel): ToolRunner {
  return {
    async run(name, input, options = {}) {
      const { signal = new AbortController().signal, onUpdate, callId = randomUUID() } = options;
      signal.throwIfAborted();
      const found = options.tool ?? (await findTool(kernel, name));
      if ('content' in found) return found;
      const tool = (options.model && found.forModel?.(options.model)) ?? found;
      const entry = options.tool ? undefined : kernel.read(tools).get(name);
      const data: Partial<ToolData> = entry?.data ?? {};
      const fingerprint = entry && fingerprintOf(tool, entry);
      const risk = options.tool ? options.risk : data.risk;
      const origin: ToolCallEvent['origin'] = options.tool ? 'program' : data.origin?.kind;
      const checked = await checkInput(tool, name, input, risk);
      if ('problem' in checked) return failure(checked.problem);
      const call: TouchCall = { signal, ...(options.scope && { scope: options.scope }) };
      const declaring = declare(tool, name, checked.input, call);
      const first = declaring instanceof Promise ? await declaring : declaring;
      const original = {
        tool: name,
        callId,
        input: checked.input,
        touches: 'refusal' in first ? ANYTHING : first.touches,
        ...(risk !== undefined && { risk }),
        ...(origin !== undefined && { origin }),
        ...(fingerprint !== undefined && { fingerprint }),
        ...(options.scope && { scope: { session: options.scope.session, cwd: options.scope.cwd } }),
      };
      const changed = await changeInput(kernel, tool, original, signal);
      if ('problem' in changed) return failure(changed.problem);
      const declared = changed.event === original ? first : await declare(tool, name, changed.event.input, call);
      if ('refusal' in declared) return declared.refusal;
      const event = { ...changed.event, touches: declared.touches };
      const repairs = [...checked.repairs, ...changed.repairs];
      const withRepairs = (result: ToolResult) =>
        repairs.length > 0 ? withNote(result, repairWarning(repairs)) : result;
      // Copied, so that a handler of the gate cannot change what the tool gets after it was checked.
      const verdict = await kernel.run(toolCall, structuredClone(event), signal);
      if (!verdict.allowed) {
        const text = `The call of "${name}" was refused by ${verdict.by}: ${verdict.reason}`;
        const refused = { by: verdict.by, reason: verdict.reason, touches: event.touches };
        return withRepairs({ ...failure(text), details: { refused } });
      }
      try {
        const outcome = await execute(kernel, tool, event, { signal, onUpdate, scope: options.scope });
        signal.throwIfAborted();
        const { result } = await kernel.run(toolResult, { ...event, result: withRepairs(outcome) }, signal);
        return isResult(result) ? result : withRepairs(outcome);
      } finally {
        // Also for a call that was cancelled: what it did until then is done.
        await kernel.run(toolEnd, event);
      }
    },
  };
}

type Event = ToolCallEvent & { readonly input: Record<string, unknown> };

/** Lets handlers change the input; what they make of it is checked like what the model wrote. */
async function changeInput(
  kernel: RunnerKernel,
  tool: Tool,
  original: Event,
  signal: AbortSignal,
): Promise<{ readonly event: Event; readonly repairs: readonly string[] } | { readonly problem: string }> {
  let changed: Partial<ToolInputEvent> | null;
  try {
    changed = await kernel.run(toolInput, structuredClone(original), signal);
  } catch (fault) {
    if (signal.aborted) throw fault;
    return {
      problem: `The call of "${original.tool}" was refused, because its input could not be made ready: ${explain(fault)}`,
    };
  }
  // Everything but the input is as it was: a handler must not make a call look like another one.
  const { input, repairs, problem } = changed ?? {};
  if (typeof problem === 'string') return { problem };
  if (isDeepStrictEqual(input, original.input)) return { event: original, repairs: [] };
  const checked = await checkInput(tool, original.tool, input, original.risk);
  if ('problem' in checked) return { problem: `A plugin has changed the input of the call. ${checked.problem}` };
  return { event: { ...original, input: checked.input }, repairs: [...texts(repairs), ...checked.repairs] };
}

/** Handlers of packs may send anything. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

type Declared = { readonly touches: Touches } | { readonly refusal: ToolResult };

/** A call whose tool cannot say what it touches cannot be judged, so it does not run. Costs no promise where the tool answers at once. */
function declare(tool: Tool, name: string, input: Event['input'], call: TouchCall): Declared | Promise<Declared> {
  const refuse = (fault: unknown): Declared => {
    if (call.signal.aborted) throw fault;
    if (fault instanceof TenonError) {
      return { refusal: { ...failure(explain(fault)), details: { error: { code: fault.code } } } };
    }
    const why = `it cannot be said what it would touch: ${explain(fault)}`;
    return { refusal: failure(`The call of "${name}" was refused, because ${why}`) };
  };
  try {
    const declared = touchesOf(tool, input, call);
    return declared instanceof Promise ? declared.then((touches) => ({ touches }), refuse) : { touches: declared };
  } catch (fault) {
    return refuse(fault);
  }
}

async function findTool(kernel: RunnerKernel, name: string): Promise<Tool | ToolResult> {
  const registry = kernel.read(tools);
  if (!registry.get(name)) {
    const names = registry.list().map(({ key }) => key);
    const listing = names.length > 0 ? ` The tools are: ${names.join(', ')}.` : ' No tool is installed.';
    return failure(`There is no tool "${name}".${didYouMean(name, names)}${listing}`);
  }
  try {
    return await registry.resolve(name);
  } catch (fault) {
    return failure(`The tool "${name}" could not be started: ${explain(fault)}`);
  }
}

interface ExecuteOptions {
  readonly signal: AbortSignal;
  readonly onUpdate: ((partial: ToolResult) => void | Promise<void>) | undefined;
  readonly scope: ToolScope | undefined;
}

async function execute(
  kernel: RunnerKernel,
  tool: Tool,
  { tool: name, callId, input, touches }: Event,
  { signal, onUpdate, scope }: ExecuteOptions,
): Promise<ToolResult> {
  let isOver = false;
  const update = async (partial: ToolResult) => {
    // A late update would overwrite the result on a screen.
    if (!isOver) await onUpdate?.(partial);
  };
  try {
    const result = await tool.execute(input, { id: callId, signal, touches, update, ...(scope && { scope }) });
    return isResult(result) ? result : failure(`The tool "${name}" gave no result that can be shown; it is defective.`);
  } catch (fault) {
    if (signal.aborted) throw fault;
    kernel.log.warn(`tool "${name}" failed`, { tool: name, callId, error: fault });
    return failure(explain(fault));
  } finally {
    isOver = true;
  }
}

function isResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<ToolResult>).content);
}

function withNote(result: ToolResult, text: string): ToolResult {
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function explain(fault: unknown): string {
  return fault instanceof TenonError ? failureText(fault) : messageOf(fault);
}
