import type { Tool, ToolResult } from '@tenon/tools/api';
import type { AnswerOf, RequestFrame } from './frames.ts';
import { Pending } from './pending.ts';
import type { HostTool } from './shapes.ts';

type Updates = (partial: ToolResult) => Promise<void>;

/** Tools that the host carries out: calls go out as frames, results come back as frames. */
export class HostTools {
  readonly #pending = new Pending<ToolResult>('host');
  readonly #updates = new Map<string, Updates>();
  readonly #send: (frame: RequestFrame) => void;

  constructor(send: (frame: RequestFrame) => void) {
    this.#send = send;
  }

  /** The tools as the agent uses them. */
  toolsFor(definitions: readonly HostTool[]): Record<string, Tool> {
    return Object.fromEntries(
      definitions.map(({ name, description, parameters }) => [
        name,
        { description, parameters, execute: (input, call) => this.#call(name, input, call) } satisfies Tool,
      ]),
    );
  }

  async #call(
    toolName: string,
    input: Readonly<Record<string, unknown>>,
    call: Parameters<Tool['execute']>[1],
  ): Promise<ToolResult> {
    let requestId = '';
    try {
      return await this.#pending.ask(
        (id) => {
          requestId = id;
          this.#updates.set(id, (partial) => call.update(partial));
          this.#send({ type: 'host_tool_call', id, toolCallId: call.id, toolName, arguments: { ...input } });
        },
        {
          signal: call.signal,
          onAbort: (targetId) => this.#send({ type: 'host_tool_cancel', id: this.#pending.nextId(), targetId }),
        },
      );
    } finally {
      this.#updates.delete(requestId);
    }
  }

  /** Progress of a call; one that is over is passed over. */
  update({ id, partialResult }: AnswerOf<'host_tool_update'>): void {
    void this.#updates.get(id)?.(partialResult as ToolResult);
  }

  /** The end of a call. */
  result({ id, result, isError }: AnswerOf<'host_tool_result'>): void {
    this.#pending.answer(id, { ...result, ...((isError || result.isError) && { isError: true }) } as ToolResult);
  }

  /** A result that cannot be read still ends its call. */
  broken(id: string, problem: string): void {
    this.#pending.answer(id, { content: [{ type: 'text', text: problem }], isError: true });
  }

  /** The host is gone. */
  close(reason: Error): void {
    this.#pending.close(reason);
  }
}
