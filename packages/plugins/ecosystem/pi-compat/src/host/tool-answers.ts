/** What an extension is told about tools, and the calls that its own tools make. */
import type { ToolCall, ToolData, ToolResult } from '@tenon/tools/api';
import type { NestedOutcome, SessionScope } from '../protocol.ts';
import type { Asker } from './asker.ts';

type Fields = Readonly<Record<string, unknown>>;

/** All tools, as pi has them. */
export function toolsOf({ world }: Asker): Fields[] {
  return world.tools.list().map(({ key, data, value, source }) => ({
    name: key,
    description: value?.description ?? String(data['summary'] ?? ''),
    parameters: value?.parameters ?? { type: 'object' },
    sourceInfo: { path: `<${source.plugin}:${key}>`, source: 'builtin', scope: 'user', origin: 'top-level' },
  }));
}

/** The tools that a running tool may call: those that the session's model may use, and those of the same extension. */
export function callableTools(asker: Asker, place: SessionScope, callId: string): Fields[] {
  const call = asker.calls.find(asker, place, callId);
  return call ? toolsOf(asker).filter(({ name }) => isCallable(asker, String(name), call)) : [];
}

/** Lets a running tool call another one, as the model would. */
export function executeTool(
  asker: Asker,
  place: SessionScope,
  callId: string,
  wanted: { readonly name: string; readonly args: unknown; readonly signal: unknown; readonly onUpdate: unknown },
): Promise<NestedOutcome> {
  const { name, args, signal, onUpdate } = wanted;
  return asker.calls.execute(
    place,
    callId,
    {
      name,
      args,
      ...(signal instanceof AbortSignal && { signal }),
      ...(typeof onUpdate === 'function' && { onUpdate: onUpdate as (partial: ToolResult) => unknown }),
    },
    {
      owner: asker,
      runner: () => asker.world.runner(),
      isCallable: (tool, call) => isCallable(asker, tool, call),
      tell: (event, about) => asker.tellAll(event, about, place),
    },
  );
}

function isCallable({ name: extension, shape, world }: Asker, name: string, { scope }: ToolCall): boolean {
  if (scope?.toolbox?.active().includes(name) === true) return true;
  // Its own tools are its own code. A tool of the same name that somebody else has is not meant.
  const { origin } = (world.tools.get(name)?.data ?? {}) as Partial<ToolData>;
  return origin?.kind === 'extension' && origin.name === extension && shape.tools.some((tool) => tool.name === name);
}
