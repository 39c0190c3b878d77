import { randomUUID } from 'node:crypto';
import {
  checkSchema,
  didYouMean,
  type KernelAccess,
  loadSchemaCompiler,
  type Logger,
  messageOf,
  problemText,
  TenonError,
} from '@tenon/kernel';
import { type Tool, toolCall, type ToolResult, toolResult, type ToolRunner, tools, type ToolScope } from './api.ts';

/** What running tools needs of the kernel. */
export type RunnerKernel = Pick<KernelAccess, 'read' | 'run'> & { readonly log: Logger };

/** Makes the service that runs tools. Every expected failure is a result that tells the model or person what to do next. */
export function createToolRunner(kernel: RunnerKernel): ToolRunner {
  return {
    async run(name, input, options = {}) {
      const { signal = new AbortController().signal, onUpdate, callId = randomUUID() } = options;
      signal.throwIfAborted();
      const tool = options.tool ?? (await findTool(kernel, name));
      if ('content' in tool) return tool;
      const problem = await inputProblem(tool, name, input);
      if (problem !== undefined) return failure(problem);
      // Copied, so that a handler of the gate cannot change what the tool gets after it was checked.
      const event = { tool: name, callId, input: structuredClone(input) as Record<string, unknown> };
      const verdict = await kernel.run(toolCall, structuredClone(event), signal);
      if (!verdict.allowed) {
        const text = `The call of "${name}" was refused by ${verdict.by}: ${verdict.reason}`;
        return { ...failure(text), details: { refused: { by: verdict.by, reason: verdict.reason } } };
      }
      const result = await execute(kernel, tool, event, { signal, onUpdate, scope: options.scope });
      signal.throwIfAborted();
      return (await kernel.run(toolResult, { ...event, result }, signal)).result;
    },
  };
}

async function findTool(kernel: RunnerKernel, name: string): Promise<Tool | ToolResult> {
  const registry = kernel.read(tools);
  if (!registry.get(name)) {
    const names = registry.list().map(({ key }) => key);
    const known = names.length > 0 ? ` The tools are: ${names.join(', ')}.` : ' No tool is installed.';
    return failure(`There is no tool "${name}".${didYouMean(name, names)}${known}`);
  }
  try {
    return await registry.resolve(name);
  } catch (fault) {
    return failure(`The tool "${name}" could not be started: ${explain(fault)}`);
  }
}

async function inputProblem({ parameters }: Tool, name: string, input: unknown): Promise<string | undefined> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return `The input of "${name}" must be a JSON object.`;
  }
  await loadSchemaCompiler();
  let problems;
  try {
    problems = checkSchema(parameters, input);
  } catch (fault) {
    return `The tool "${name}" cannot be used: its parameters are not a valid JSON Schema (${messageOf(fault)}).`;
  }
  if (problems.length === 0) return undefined;
  return `The input of "${name}" is invalid: ${problemText(problems)}. Correct it and call the tool again.`;
}

interface ExecuteOptions {
  readonly signal: AbortSignal;
  readonly onUpdate: ((partial: ToolResult) => void | Promise<void>) | undefined;
  readonly scope: ToolScope | undefined;
}

async function execute(
  kernel: RunnerKernel,
  tool: Tool,
  { tool: name, callId, input }: { tool: string; callId: string; input: Record<string, unknown> },
  { signal, onUpdate, scope }: ExecuteOptions,
): Promise<ToolResult> {
  let isOver = false;
  const update = async (partial: ToolResult) => {
    // A late update would overwrite the result on a screen.
    if (!isOver) await onUpdate?.(partial);
  };
  try {
    const result = await tool.execute(input, { id: callId, signal, update, ...(scope && { scope }) });
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

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function explain(fault: unknown): string {
  return fault instanceof TenonError && fault.next ? `${fault.message} ${fault.next}` : messageOf(fault);
}
