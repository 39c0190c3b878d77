/** What makes two requests the same: everything a model would answer differently to, and nothing that changes by itself. */
import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import type { ModelMessage, ModelRequest } from '@tenon/models/api';

/** Hashes of a request and of its parts, so that a difference can be named. */
export interface Fingerprint {
  readonly all: string;
  readonly system: string;
  readonly messages: readonly string[];
  readonly tools: string;
}

/** Takes the fingerprint of a request. Secrets must be masked already: they differ from machine to machine. */
export function fingerprintOf(
  request: Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools' | 'toolChoice'>,
  cwd: string,
): Fingerprint {
  const steady = (text: string) => steadyText(text, cwd);
  const names = new Map<string, string>();
  const system = hash(steady(request.systemPrompt));
  const messages = request.messages.map((message) => hash(steadyJson(essence(message, names), steady)));
  const tools = hash(
    steadyJson(
      [...request.tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
      steady,
    ),
  );
  return {
    all: hash(JSON.stringify([system, messages, tools, request.toolChoice ?? 'auto'])),
    system,
    messages,
    tools,
  };
}

/** What a message says, without times, costs, signatures and the ids that providers make up. */
function essence(message: ModelMessage, names: Map<string, string>): unknown {
  const idOf = (id: string) => {
    if (!names.has(id)) names.set(id, `call-${names.size}`);
    return names.get(id);
  };
  if (message.role === 'user') return { role: 'user', content: parts(message.content) };
  if (message.role === 'toolResult') {
    const { toolName, content, isError } = message;
    return { role: 'toolResult', call: idOf(message.toolCallId), toolName, content: parts(content), isError };
  }
  return {
    role: 'assistant',
    content: message.content.flatMap((block): unknown[] => {
      if (block.type === 'thinking') return [];
      if (block.type === 'text') return [{ text: block.text }];
      return [{ call: idOf(block.id), name: block.name, arguments: block.arguments }];
    }),
  };
}

function parts(content: string | readonly { readonly type: string }[]): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** JSON with sorted keys and steady texts. */
function steadyJson(value: unknown, steady: (text: string) => string): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return steady(item);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Folders, dates and random ids differ between two runs of the same conversation. */
function steadyText(text: string, cwd: string): string {
  return text
    .replaceAll(cwd, '<folder>')
    .replaceAll(homedir(), '<home>')
    .replace(new RegExp(`${tmpdir().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}/[^/\\s"'\`]+`, 'g'), '<temp>')
    .replace(/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, '<date>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Says in words what differs between a request and the recorded one that is most like it. */
export function differenceTo(request: Fingerprint, recorded: readonly Fingerprint[]): string {
  if (recorded.length === 0) return 'the cassette is empty';
  const common = ({ messages }: Fingerprint) => {
    const at = messages.findIndex((part, index) => part !== request.messages[index]);
    return at < 0 ? messages.length : at;
  };
  const [nearest] = [...recorded].sort(
    (a, b) =>
      common(b) - common(a) ||
      Math.abs(a.messages.length - request.messages.length) - Math.abs(b.messages.length - request.messages.length),
  );
  if (!nearest) return 'the cassette is empty';
  const same = Math.min(common(nearest), request.messages.length);
  if (same < request.messages.length) return `message ${same + 1} of ${request.messages.length} is another one`;
  if (nearest.messages.length !== request.messages.length)
    return `the recorded conversation has ${nearest.messages.length} messages here, not ${request.messages.length}`;
  if (nearest.system !== request.system) return 'the system prompt is another one';
  return nearest.tools === request.tools ? 'the tool choice is another one' : 'the tools are others';
}
