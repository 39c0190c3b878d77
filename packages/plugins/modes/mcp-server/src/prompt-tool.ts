/** The tool `prompt`: lets Tenon's agent work in a session, and tells what it does meanwhile. */
import type { AgentEvent, AgentFactory, AgentSession } from '@tenon/agent/api';
import { messageOf, Type } from '@tenon/kernel';
import { type AssistantMessage, failureText } from '@tenon/models/api';
import type { SessionStore } from '@tenon/sessions/api';
import type { ToolResult } from '@tenon/tools/api';
import { errors } from './errors.ts';
import type { ExtraTool } from './offered-tools.ts';
import { isSessionId } from './session-resources.ts';

/** What running the agent needs. */
export interface PromptHost {
  readonly cwd: string;
  agents(): Promise<AgentFactory>;
  store(): Promise<SessionStore>;
  /** The session works for whoever works in `parent`: that is who decides about its calls. */
  adopt(session: string, parent: string): () => void;
}

/** Makes the tool. */
export function promptTool(host: PromptHost): ExtraTool {
  return {
    data: { summary: 'Let the Tenon agent work on a task', risk: 'read' },
    tool: {
      description:
        'Gives the Tenon coding agent a task in this folder and waits for its answer. A new session begins unless `session` names one to go on with; the result names it.',
      parameters: Type.Object(
        {
          prompt: Type.String({ minLength: 1, description: 'The task' }),
          session: Type.Optional(Type.String({ description: 'Id of a session to go on with' })),
          model: Type.Optional(Type.String({ description: 'provider/id or a part of it' })),
        },
        { additionalProperties: false },
      ),
      // Calls of the agent are judged one by one.
      touches: () => ({}),
      async execute(input, { signal, update, scope }) {
        const { prompt, session: id, model } = input as { prompt: string; session?: string; model?: string };
        const store = await host.store();
        const session = await open(store, host.cwd, id);
        const { agent } = await (
          await host.agents()
        ).create({ session, cwd: host.cwd, ...(model !== undefined && { model }) });
        const release = scope ? host.adopt(session.id, scope.session) : () => undefined;
        try {
          return await run(agent, prompt, signal, (text) => update({ content: [{ type: 'text', text }] }));
        } finally {
          release();
          await agent.dispose();
        }
      },
    },
  };
}

async function open(store: SessionStore, cwd: string, id: string | undefined) {
  if (id === undefined) return store.create({ cwd });
  if (!isSessionId(id)) throw errors.create('MCP_SERVE_SESSION_UNKNOWN', { session: id });
  return store.open(id).catch((fault: unknown) => {
    throw errors.create('MCP_SERVE_SESSION_UNKNOWN', { session: id }, fault);
  });
}

async function run(
  agent: AgentSession,
  prompt: string,
  signal: AbortSignal,
  tell: (text: string) => Promise<void>,
): Promise<ToolResult> {
  let last: AssistantMessage | undefined;
  const stop = () => void agent.abort();
  signal.addEventListener('abort', stop, { once: true });
  const unsubscribe = agent.subscribe((event) => {
    if (event.type === 'turn_end') last = event.message;
    const text = progressOf(event);
    if (text !== undefined) void tell(text).catch(() => undefined); // nobody listens any more
  });
  const session = agent.session.id;
  try {
    signal.throwIfAborted();
    await agent.prompt(prompt);
    signal.throwIfAborted();
  } catch (fault) {
    signal.throwIfAborted();
    return failed(messageOf(fault), session);
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', stop);
  }
  if (last?.stopReason === 'error') return failed(failureText(last), session);
  const text = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') ?? '';
  const { totalTokens, cost } = agent.usage();
  return { content: [{ type: 'text', text }], details: { session, tokens: totalTokens, cost: cost.total } };
}

function failed(text: string, session: string): ToolResult {
  return { content: [{ type: 'text', text: `${text} (session ${session})` }], isError: true };
}

/** What is worth telling while the agent works. */
function progressOf(event: AgentEvent): string | undefined {
  if (event.type === 'tool_execution_start') return `${event.toolName} ${JSON.stringify(event.args)}`.slice(0, 200);
  if (event.type !== 'turn_end') return undefined;
  const [line = ''] = event.message.content.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : []));
  return line === '' ? undefined : line.slice(0, 200);
}
