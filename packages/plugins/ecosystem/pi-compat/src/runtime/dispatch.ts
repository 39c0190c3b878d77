/** Runs the handlers of one extension for one event, and joins their answers as pi does. */
import { plain } from './plain.ts';
import type { Callback } from './registrations.ts';

type Fields = Record<string, unknown>;

/** One event for one extension. */
export interface Dispatch {
  readonly name: string;
  readonly event: Fields;
  readonly handlers: readonly Callback[];
  readonly context: unknown;
  /** Told about handlers that failed; the others still run. */
  fault(fault: unknown): void;
}

/** The joined answer; nothing when no handler wants anything. */
export async function dispatch(call: Dispatch): Promise<unknown> {
  return plain(
    await (RULES[call.name] ?? (call.name.startsWith('session_before_') ? lastUnlessCancelled : notifyAll))(call),
  );
}

const RULES: Readonly<Record<string, (call: Dispatch) => Promise<unknown>>> = {
  tool_call: toolCall,
  tool_result: toolResult,
  context: changeContext,
  context_with_system: changeContext,
  before_agent_start: beforeStart,
  input: changeInput,
  user_bash: firstResult,
  user_python: firstResult,
  'session.compacting': mergeAll,
  session_stop: firstAnswer,
  agent_before_settle: firstAnswer,
  resources_discover: notifyAll,
};

/** Any block ends it, and so does a fault: whoever guards a tool must be heard. What handlers change in the input is told. */
async function toolCall({ event, handlers, context }: Dispatch): Promise<unknown> {
  const before = JSON.stringify(event['input']);
  for (const handler of handlers) {
    const answer = fieldsOf(await handler(event, context));
    if (answer['block'] === true)
      return { block: true, ...(answer['reason'] !== undefined && { reason: String(answer['reason']) }) };
    if (answer['input'] !== undefined) event['input'] = answer['input'];
  }
  return JSON.stringify(event['input']) === before ? undefined : { input: event['input'] };
}

/** Each handler sees what the ones before made of the result. */
async function toolResult({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  let changed: Fields | undefined;
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    const fields = Object.fromEntries(
      ['content', 'details', 'isError'].flatMap((key) => (answer[key] === undefined ? [] : [[key, answer[key]]])),
    );
    if (Object.keys(fields).length === 0) continue;
    Object.assign(event, fields);
    changed = { ...changed, ...fields };
  }
  return changed;
}

/** What stays as it was is named by its number: long conversations must not cross twice. */
async function changeContext({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  const before = event['messages'] as unknown[];
  const texts = before.map((message) => JSON.stringify(message));
  const known = new Map(texts.map((text, index) => [text, index]));
  for (const handler of handlers) {
    const { messages } = await attempt(handler, [event, context], fault);
    if (Array.isArray(messages)) event['messages'] = messages;
  }
  const after = (event['messages'] as unknown[]).map((message) => JSON.stringify(message));
  if (after.length === texts.length && after.every((text, index) => text === texts[index])) return undefined;
  return { messages: after.map((text, index) => known.get(text) ?? (event['messages'] as unknown[])[index]) };
}

/** All messages are kept, and each handler sees the system prompt that the one before left. */
async function beforeStart({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  const messages: unknown[] = [];
  let systemPrompt: string | undefined;
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    if (typeof answer['message'] === 'object' && answer['message'] !== null) messages.push(answer['message']);
    const prompt = answer['systemPrompt'];
    const text = Array.isArray(prompt) ? prompt.join('\n\n') : typeof prompt === 'string' ? prompt : undefined;
    const append = answer['systemPromptAppend'];
    if (text !== undefined) systemPrompt = text;
    if (typeof append === 'string') systemPrompt = `${systemPrompt ?? String(event['systemPrompt'])}\n\n${append}`;
    if (systemPrompt !== undefined) event['systemPrompt'] = systemPrompt;
  }
  return { messages, ...(systemPrompt !== undefined && { systemPrompt }) };
}

/** pi says `action`, oh-my-pi says `handled`, `text` and `images`. */
async function changeInput({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  let changed = false;
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    const { action, handled, text, images } = answer;
    if (action === 'handled' || handled === true) return { handled: true };
    if (action === 'continue') continue;
    if (typeof text === 'string') event['text'] = text;
    if (Array.isArray(images)) event['images'] = images;
    changed ||= typeof text === 'string' || Array.isArray(images);
  }
  return changed ? { text: event['text'], images: event['images'] } : undefined;
}

async function firstResult({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    if (answer['result'] !== undefined) return { result: answer['result'] };
    const operations = answer['operations'] as { exec?: Callback } | undefined;
    if (typeof operations?.exec === 'function') return { result: await runOperations(operations.exec, event) };
  }
  return undefined;
}

/** pi lets an extension bring only the part that runs the command; what it prints is gathered here. */
async function runOperations(exec: Callback, event: Fields): Promise<Fields> {
  let output = '';
  const onData = (data: unknown) => void (output += Buffer.isBuffer(data) ? data.toString('utf8') : String(data));
  const { exitCode } = fieldsOf(await exec(event['command'], event['cwd'], { onData }));
  return { output, exitCode: typeof exitCode === 'number' ? exitCode : undefined, cancelled: false, truncated: false };
}

async function firstAnswer({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    if (Object.keys(answer).length > 0) return answer;
  }
  return undefined;
}

async function mergeAll({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  let merged: Fields = {};
  for (const handler of handlers) merged = { ...merged, ...(await attempt(handler, [event, context], fault)) };
  return merged;
}

async function lastUnlessCancelled({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  let last: Fields | undefined;
  for (const handler of handlers) {
    const answer = await attempt(handler, [event, context], fault);
    if (Object.keys(answer).length > 0) last = answer;
    if (answer['cancel'] === true) break;
  }
  return last;
}

async function notifyAll({ event, handlers, context, fault }: Dispatch): Promise<unknown> {
  for (const handler of handlers) await attempt(handler, [event, context], fault);
  return undefined;
}

async function attempt(handler: Callback, args: unknown[], fault: (reason: unknown) => void): Promise<Fields> {
  try {
    return fieldsOf(await handler(...args));
  } catch (reason) {
    fault(reason);
    return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
