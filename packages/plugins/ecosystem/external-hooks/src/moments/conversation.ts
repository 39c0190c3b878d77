/** Hooks around what is said: prompts, requests to the model, the end of a run. */
import type { AgentStop, HookScope, RequestParts, RunStart, UserInput } from '@tenon/agent/api';
import type { ModelMessage } from '@tenon/models/api';
import type { AgentMessage, CustomMessage } from '@tenon/sessions/api';
import { dialects } from '../dialects/index.ts';
import type { HookEngine } from '../engine.ts';
import { foreignNames } from '../foreign-call.ts';
import type { ModelFacts } from '../occasion.ts';
import { prompts } from '../prompts/index.ts';
import type { SessionState } from '../session-state.ts';

const ID = 'external-hooks';
const MAX_CONTEXT = 30_000;

/** `input`: hooks see the prompt, and may block it. */
export async function prompted(
  engine: HookEngine,
  typed: UserInput,
  signal: AbortSignal,
): Promise<UserInput | undefined> {
  const { session, cwd, text: prompt } = typed;
  if (session === undefined || cwd === undefined || typed.blocked !== undefined) return undefined;
  await engine.refresh(session, cwd);
  const state = engine.state(session, cwd);
  state.prompt = prompt;
  state.continues = 0;
  if (!engine.has(state, 'prompt')) return undefined;
  const { decision, reason, stop, contexts } = await engine.tell({ moment: 'prompt', prompt }, session, cwd, signal);
  if (decision === 'deny') return { ...typed, blocked: reason ?? 'a hook refused it and did not say why' };
  if (stop !== undefined) return { ...typed, blocked: stop === '' ? 'a hook stopped it' : stop };
  state.pending.push(...contexts);
  return undefined;
}

/** `agent.before-start`: what hooks have to say comes after the prompt. */
export function started(engine: HookEngine, start: RunStart): RunStart | undefined {
  const message = takePending(engine.known(start.session));
  return message && { ...start, inject: [...start.inject, message] };
}

/** `context`: what hooks said meanwhile becomes a part of the conversation before the model is asked. */
export async function asked(
  engine: HookEngine,
  request: HookScope & { readonly messages: readonly AgentMessage[] },
  signal: AbortSignal,
): Promise<typeof request | undefined> {
  const { session, cwd } = request;
  const state = engine.known(session);
  if (!state || session === undefined || cwd === undefined) return undefined;
  await state.afterCompact;
  const calls = state.batch.splice(0);
  if (calls.length > 0) {
    const answer = await engine.tell({ moment: 'tool-batch', calls }, session, cwd, signal);
    state.pending.push(...answer.contexts);
    const stop = answer.stop ?? (answer.decision === 'deny' ? (answer.reason ?? '') : undefined);
    if (stop !== undefined) await engine.stop(session, stop);
  }
  const message = takePending(state);
  if (!message) return undefined;
  const agent = await engine.agent(session);
  if (agent) {
    const { customType, content, display } = message;
    agent.emit({ type: 'message_start', message });
    await agent.session.append('custom_message', { customType, content, display, attribution: 'agent' });
    agent.reload();
    agent.emit({ type: 'message_end', message });
  }
  return { ...request, messages: [...request.messages, message] };
}

function takePending(state: SessionState | undefined): CustomMessage | undefined {
  const texts = state?.pending.splice(0) ?? [];
  if (texts.length === 0) return undefined;
  const all = texts.join('\n\n');
  const text = all.length > MAX_CONTEXT ? `${all.slice(0, MAX_CONTEXT)}… (cut)` : all;
  const content = prompts.context(text);
  return {
    role: 'custom',
    customType: 'hook-context',
    content,
    display: true,
    attribution: 'agent',
    timestamp: Date.now(),
  };
}

/** `agent.stop`: hooks may make the agent go on. */
export async function stopping(
  engine: HookEngine,
  { session, cwd, text, continues }: AgentStop,
  signal: AbortSignal,
): Promise<{ readonly continue: string; readonly by: string } | undefined> {
  if (session === undefined || cwd === undefined) return undefined;
  // The end of a subagent is another occasion, told by whoever started it.
  if ((await engine.agent(session))?.parent) return undefined;
  const state = await engine.ready(session, cwd);
  state.continues = continues;
  if (!engine.has(state, 'stop')) return undefined;
  const answer = await engine.tell({ moment: 'stop', text, continues, prompt: state.prompt }, session, cwd, signal);
  if (answer.stop !== undefined) {
    if (answer.stop !== '') await engine.notice(session, 'info', answer.stop);
    return undefined;
  }
  const goesOn = answer.decision === 'deny' ? [answer.reason ?? 'A hook wants you to go on.'] : [];
  const words = [...goesOn, ...answer.contexts].join('\n\n');
  return words === '' ? undefined : { continue: words, by: ID };
}

/** `model.request`: hooks see what the model is asked, and may leave tools out. */
export async function requesting(
  engine: HookEngine,
  request: RequestParts,
  signal: AbortSignal,
): Promise<RequestParts | undefined> {
  const { session } = request;
  const state = engine.known(session);
  if (!state || session === undefined) return undefined;
  if (!engine.has(state, 'before-model', 'tool-selection')) return undefined;
  const facts = modelFacts(request);
  if (engine.has(state, 'before-model')) {
    const answer = await engine.tell({ moment: 'before-model', ...facts }, session, state.cwd, signal);
    const stop = answer.stop ?? (answer.decision === 'deny' ? (answer.reason ?? '') : undefined);
    if (stop !== undefined) await engine.stop(session, stop);
  }
  if (!engine.has(state, 'tool-selection')) return undefined;
  const { runs } = await engine.tell({ moment: 'tool-selection', ...facts }, session, state.cwd, signal);
  const lists = runs.flatMap(({ reading }) => (reading.tools ? [reading.tools] : []));
  if (lists.length === 0) return undefined;
  // No tools at all wins; otherwise what any of them allows is allowed.
  const allowed = lists.some((names) => names.length === 0) ? [] : lists.flat();
  const isAllowed = (tool: string) => foreignNames(dialects.gemini.tools, tool).some((name) => allowed.includes(name));
  return { ...request, tools: request.tools.filter(({ name }) => isAllowed(name)) };
}

function modelFacts({ systemPrompt, messages, tools }: RequestParts): ModelFacts {
  return {
    messages: [{ role: 'system', content: systemPrompt }, ...messages.map(plainMessage)],
    tools: tools.map(({ name }) => foreignNames(dialects.gemini.tools, name)[0] ?? name),
  };
}

function plainMessage(message: ModelMessage): ModelFacts['messages'][number] {
  const { content } = message;
  const text =
    typeof content === 'string'
      ? content
      : content
          .map((block) => (block.type === 'text' ? block.text : ''))
          .filter(Boolean)
          .join('\n');
  return { role: message.role === 'assistant' ? 'model' : 'user', content: text };
}
