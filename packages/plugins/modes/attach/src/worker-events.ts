/** What a worker does, as the events that the transcript understands: a run then looks like a session. */
import type { AgentEvent } from '@tenon/agent/api';
import type { AgentMessage } from '@tenon/sessions/api';
import type { WorkerEvent } from '@tenon/workers/api';

type Assistant = Extract<AgentMessage, { role: 'assistant' }>;
type Kind = 'text' | 'thinking';

/** Turns the events of a worker into those of an agent. */
export class WorkerEvents {
  readonly #emit: (event: AgentEvent) => void;
  readonly #tools = new Map<string, string>();
  #open: Kind | undefined;

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  /** Takes an event; gives a line for people where the transcript has nothing for it. */
  take(event: WorkerEvent): { readonly text: string; readonly kind: 'warning' | 'error' } | undefined {
    switch (event.type) {
      case 'text':
      case 'thinking':
        this.#grow(event.type, event.text, event.delta === true);
        return undefined;
      case 'tool-start':
        this.end();
        this.#tools.set(event.id, event.name);
        this.#emit({
          type: 'tool_execution_start',
          toolCallId: event.id,
          toolName: event.name,
          args: event.input ?? {},
        });
        return undefined;
      case 'tool-end':
        this.#emit({
          type: 'tool_execution_end',
          toolCallId: event.id,
          toolName: event.name ?? this.#tools.get(event.id) ?? 'tool',
          result: { content: [{ type: 'text', text: event.output ?? '' }] },
          isError: event.isError,
        });
        this.#tools.delete(event.id);
        return undefined;
      case 'retry':
        return { text: `The worker tries again: ${event.message}`, kind: 'warning' };
      case 'error':
        this.end();
        return { text: event.message, kind: 'error' };
      default:
        return undefined;
    }
  }

  /** Ends a text that goes on. */
  end(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#emit({ type: 'message_end', message: EMPTY });
  }

  /** The session of the worker is over: what it had begun will not end any more. */
  endAll(): void {
    this.end();
    this.#tools.clear();
    this.#emit({ type: 'agent_end', messages: [] });
  }

  #grow(kind: Kind, text: string, isDelta: boolean): void {
    if (this.#open !== kind || !isDelta) this.end();
    if (this.#open === undefined) this.#emit({ type: 'message_start', message: EMPTY });
    this.#open = kind;
    const type = kind === 'text' ? 'text_delta' : 'thinking_delta';
    const grown = { type, contentIndex: 0, delta: text, partial: EMPTY } as const;
    this.#emit({ type: 'message_update', message: EMPTY, assistantMessageEvent: grown });
    if (!isDelta) this.end();
  }
}

/** The transcript asks only how an answer ended. */
const EMPTY = { role: 'assistant', content: [], stopReason: 'stop' } as unknown as Assistant;
