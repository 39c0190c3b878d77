/**
 * Conversations of Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, a log of changes to a list of messages, or one object in
 * `session-*.json` of older versions. The project's folder is in `.project_root`, or its hash is the folder's name.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Answer, Conversation, Said } from '../conversation.ts';
import { readHead } from '../lines.ts';
import {
  argumentsOf,
  dataText,
  imagePart,
  isRecord,
  recordIn,
  recordsIn,
  type Row,
  textIn,
  textPart,
  timeOf,
  usageOf,
} from '../parts.ts';
import { Pieces } from '../pieces.ts';
import { type Agent, filesBelow, foundIn, jsonTextIn, type Reader } from './agent.ts';

/** Gemini CLI. */
export const gemini: Agent = {
  id: 'gemini',
  async find({ home, variables }) {
    const root = join(variables['GEMINI_CLI_HOME'] || home, '.gemini', 'tmp');
    const files = await filesBelow(root, 2, (name) => /^session-.*\.jsonl?$/.test(name));
    return foundIn('gemini', files, (_file, head) => jsonTextIn(head, 'sessionId'), {
      isOther: (head) => jsonTextIn(head, 'kind') === 'subagent',
      cwdOf: async (file, head) => (await projectRoot(file)) ?? hashOf(head),
    });
  },
  recognizes: (head) => /"sessionId":/.test(head) && /"projectHash":/.test(head),
  reader: ({ cwd }) => new GeminiReader(cwd),
};

async function projectRoot(file: string): Promise<string | undefined> {
  const root = await readHead(join(dirname(file), '..', '.project_root')).catch(() => undefined); // Older versions have none.
  return root?.trim() || undefined;
}

/** What stands for a folder whose path is not known. */
function hashOf(head: string): string | undefined {
  const hash = jsonTextIn(head, 'projectHash');
  return hash === undefined ? undefined : `sha256:${hash}`;
}

/** Whether a conversation was in this folder, of which perhaps only the hash is known. */
export function isHashOf(cwd: string, folder: string): boolean {
  return cwd === `sha256:${createHash('sha256').update(folder).digest('hex')}`;
}

class GeminiReader implements Reader {
  readonly #cwd: string | undefined;
  #messages = new Map<string, Row>();
  #title: string | undefined;

  constructor(cwd: string | undefined) {
    this.#cwd = cwd;
  }

  finish(findings: readonly string[]): Conversation {
    const pieces = new Pieces();
    for (const message of this.#messages.values()) add(pieces, message);
    return pieces.finish({
      ...(this.#title !== undefined && { title: this.#title }),
      ...(this.#cwd !== undefined && !this.#cwd.startsWith('sha256:') && { cwd: this.#cwd }),
      leaf: pieces.last,
      findings,
    });
  }

  row(row: Row): void {
    const set = recordIn(row, '$set');
    this.#title = textIn(set, 'summary') ?? textIn(row, 'summary') ?? this.#title;
    const rewind = row['$rewindTo'];
    if (rewind !== undefined) return this.#rewind(String(rewind));
    // The whole list anew: after a summary, or when the conversation was taken up again.
    const list = set['messages'] ?? row['messages'];
    if (Array.isArray(list)) {
      this.#messages = new Map();
      for (const message of recordsIn(list)) this.#keep(message);
    } else if (typeof row['type'] === 'string') this.#keep(row);
  }

  #keep(message: Row): void {
    this.#messages.set(textIn(message, 'id') ?? `message-${this.#messages.size}`, message);
  }

  #rewind(id: string): void {
    const ids = [...this.#messages.keys()];
    for (const gone of ids.slice(Math.max(0, ids.indexOf(id)))) this.#messages.delete(gone);
  }
}

function add(pieces: Pieces, message: Row): void {
  const at = timeOf(message['timestamp']);
  const parts = partsOf(message['content']);
  for (const part of parts) addResult(pieces, part);
  if (message['type'] === 'gemini') return addAnswer(pieces, message, parts, at);
  const said = parts.flatMap(saidOf);
  const [first] = said;
  if (message['type'] !== 'user' || !first) return;
  if (first.type === 'text' && first.text.startsWith('<session_context>')) return;
  pieces.addSaid(said, pieces.last, at);
}

function addAnswer(pieces: Pieces, message: Row, parts: readonly Row[], at: number): void {
  const model = textIn(message, 'model') ?? 'unknown';
  const answer = pieces.addAnswer({ api: 'google-generative-ai', provider: 'google', model }, pieces.last, at);
  const thoughts = recordsIn(message['thoughts']).map((thought) => [
    textIn(thought, 'subject'),
    textIn(thought, 'description'),
  ]);
  addThought(answer, thoughts.flat().filter(Boolean).join('\n'));
  addThought(
    answer,
    parts.flatMap((part) => (part['thought'] === true ? (textIn(part, 'text') ?? []) : [])).join('\n'),
  );
  for (const part of parts) {
    if (part['thought'] === true) continue;
    answer.content.push(...saidOf(part).filter((piece) => piece.type === 'text'));
    const call = recordIn(part, 'functionCall');
    if (isRecord(part['functionCall'])) addCall(pieces, answer, call, call['args']);
  }
  for (const call of recordsIn(message['toolCalls'])) {
    addCall(pieces, answer, call, call['args']);
    const isError = call['status'] === 'error' || call['status'] === 'cancelled';
    for (const part of partsOf(call['result'])) addResult(pieces, part, isError);
  }
  const tokens = recordIn(message, 'tokens');
  const cached = typeof tokens['cached'] === 'number' ? tokens['cached'] : 0;
  if (typeof tokens['input'] === 'number')
    answer.usage = usageOf({ input: tokens['input'] - cached, output: tokens['output'], cacheRead: cached });
}

function addThought(answer: Answer, thinking: string): void {
  if (thinking !== '') answer.content.push({ type: 'thinking', thinking });
}

function addCall(pieces: Pieces, answer: Answer, call: Row, input: unknown): void {
  const id = textIn(call, 'id') ?? `call-${answer.key}-${answer.content.length}`;
  pieces.addCall(answer, { id, name: textIn(call, 'name') ?? '', arguments: argumentsOf(input) });
}

function addResult(pieces: Pieces, part: Row, isError = false): void {
  const answered = recordIn(part, 'functionResponse');
  const id = textIn(answered, 'id');
  if (id === undefined) return;
  const response = recordIn(answered, 'response');
  const text = textIn(response, 'output') ?? textIn(response, 'error') ?? dataText(response);
  pieces.addResult(id, { content: textPart(text), isError: isError || 'error' in response });
}

function partsOf(content: unknown): readonly Row[] {
  if (typeof content === 'string') return [{ text: content }];
  if (isRecord(content)) return [content];
  return Array.isArray(content)
    ? content.flatMap((part: unknown) => (typeof part === 'string' ? [{ text: part }] : isRecord(part) ? [part] : []))
    : [];
}

function saidOf(part: Row): Said[] {
  const { data, mimeType } = recordIn(part, 'inlineData');
  return isRecord(part['inlineData']) ? [imagePart(data, mimeType)] : textPart(part['text']);
}
