/**
 * Conversations of pi and oh-my-pi: `sessions/<folder>/<time>_<id>.jsonl`, a tree by `id` and `parentId`, of the versions from
 * which Tenon's own format comes. Images of oh-my-pi may be in files beside them.
 */
import { dirname, join } from 'node:path';
import type { AgentId, Call, Conversation, Said } from '../conversation.ts';
import { readBytes } from '../lines.ts';
import { argumentsOf, imagePart, recordIn, recordsIn, type Row, textIn, textPart, timeOf, usageOf } from '../parts.ts';
import { Pieces } from '../pieces.ts';
import { type Agent, filesBelow, foundIn, type Places, type Reader } from './agent.ts';

const NAME = /_([0-9A-Za-z-]+)\.jsonl$/;
const REFERENCE = /^blob:sha256:([0-9a-f]{64})$/;

/** pi. */
export const pi: Agent = agentOf(
  'pi',
  ({ home, variables }) => variables['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'),
);

/** oh-my-pi. */
export const omp: Agent = agentOf('omp', ({ home }) => join(home, '.omp', 'agent'));

function agentOf(id: AgentId, folder: (places: Places) => string): Agent {
  return {
    id,
    async find(places) {
      const files = await filesBelow(join(folder(places), 'sessions'), 1, (name) => NAME.test(name));
      return foundIn(id, files, (file) => NAME.exec(file)?.[1]);
    },
    recognizes: (head, file) =>
      /^\{"type":"(?:session|title)",/.test(head) &&
      (id === 'omp') === (head.startsWith('{"type":"title"') || file.includes('/.omp/')),
    reader: ({ files: [file = ''] }) => new PiReader(join(dirname(file), '..', '..', 'blobs')),
  };
}

class PiReader implements Reader {
  readonly #blobs: string;
  readonly #pieces = new Pieces();
  readonly #places = new Map<string, string | null>();
  readonly #images = new Map<string, string>();
  #title: string | undefined;
  #cwd: string | undefined;
  #leaf: string | null = null;
  #count = 0;

  constructor(blobs: string) {
    this.#blobs = blobs;
  }

  async row(row: Row): Promise<void> {
    await this.#loadImages(row);
    this.#add(row);
  }

  finish(findings: readonly string[]): Conversation {
    return this.#pieces.finish({
      ...(this.#title && { title: this.#title }),
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      leaf: this.#leaf,
      findings,
    });
  }

  #add(row: Row): void {
    const type = textIn(row, 'type');
    if (type === 'session' || type === 'title' || type === 'session_info') {
      this.#title = textIn(row, 'title') ?? textIn(row, 'name') ?? this.#title;
      this.#cwd ??= textIn(row, 'cwd');
      return;
    }
    // The first version had neither ids nor a tree: each entry follows the one before it.
    const id = textIn(row, 'id') ?? `line-${this.#count}`;
    this.#count++;
    const parent = this.#parentOf(row);
    this.#leaf = this.#piece(type, row, parent);
    this.#places.set(id, this.#leaf);
  }

  #parentOf(row: Row): string | null {
    if (row['parentId'] === null) return null;
    const place = this.#places.get(textIn(row, 'parentId') ?? '');
    if (place !== undefined) return place;
    if (row['parentId'] !== undefined)
      this.#pieces.note('an entry follows one that is missing', 'entries follow ones that are missing');
    return this.#leaf;
  }

  #piece(type: string | undefined, row: Row, parent: string | null): string | null {
    const at = timeOf(row['timestamp']);
    if (type === 'message') return this.#message(recordIn(row, 'message'), parent, at);
    if (type === 'custom_message') return this.#said(row['content'], parent, at, row['display'] !== true);
    const summary = textIn(row, 'summary') ?? '';
    if (type === 'branch_summary') return this.#pieces.add({ kind: 'branch-summary', summary }, parent, at);
    if (type !== 'compaction') return parent;
    const index = row['firstKeptEntryIndex'];
    const kept = this.#places.get(
      textIn(row, 'firstKeptEntryId') ?? (typeof index === 'number' ? `line-${index - 1}` : ''),
    );
    const tokens = row['tokensBefore'];
    const tokensBefore = typeof tokens === 'number' ? tokens : 0;
    return this.#pieces.add(
      { kind: 'compaction', summary, ...(kept && { firstKept: kept }), tokensBefore },
      parent,
      at,
    );
  }

  #message(message: Row, parent: string | null, at: number): string | null {
    switch (message['role']) {
      case 'user':
        return this.#said(message['content'], parent, at, false);
      case 'custom':
      case 'hookMessage':
        return this.#said(message['content'], parent, at, message['display'] !== true);
      case 'assistant':
        return this.#answer(message, parent, at);
      case 'toolResult': {
        const result = { content: this.#saidIn(message['content']), isError: message['isError'] === true };
        this.#pieces.addResult(textIn(message, 'toolCallId') ?? '', result);
        return parent;
      }
      case 'bashExecution': {
        const exitCode = message['exitCode'];
        const body = {
          kind: 'command' as const,
          command: textIn(message, 'command') ?? '',
          output: textIn(message, 'output') ?? '',
          ...(typeof exitCode === 'number' && { exitCode }),
          isHidden: message['excludeFromContext'] === true,
        };
        return this.#pieces.add(body, parent, at);
      }
      case 'fileMention': {
        const files = recordsIn(message['files']).map(
          (file) => `${textIn(file, 'path') ?? ''}:\n${textIn(file, 'content') ?? ''}`,
        );
        return this.#said(files.join('\n\n'), parent, at, true);
      }
      default:
        return parent; // The system prompt of the other agent, and what only later versions know.
    }
  }

  #said(content: unknown, parent: string | null, at: number, isNote: boolean): string | null {
    const said = this.#saidIn(content);
    return said.length === 0 ? parent : this.#pieces.addSaid(said, parent, at, { isNote });
  }

  #answer(message: Row, parent: string | null, at: number): string {
    const text = (key: string) => textIn(message, key) ?? 'unknown';
    const answer = this.#pieces.addAnswer(
      { api: text('api'), provider: text('provider'), model: text('model') },
      parent,
      at,
    );
    for (const block of recordsIn(message['content'])) {
      const thinking = textIn(block, 'thinking');
      if (block['type'] === 'text')
        answer.content.push(...textPart(block['text']).filter((part) => part.type === 'text'));
      else if (block['type'] === 'thinking' && thinking) answer.content.push({ type: 'thinking', thinking });
      else if (block['type'] === 'toolCall') this.#pieces.addCall(answer, callOf(block));
    }
    const { input, output, cacheRead, cacheWrite } = recordIn(message, 'usage');
    answer.usage = usageOf({ input, output, cacheRead, cacheWrite });
    const stop = message['stopReason'];
    if (stop === 'length' || stop === 'error' || stop === 'aborted') answer.stopReason = stop;
    return answer.key;
  }

  #saidIn(content: unknown): Said[] {
    if (typeof content === 'string') return textPart(content);
    return recordsIn(content).flatMap((part): Said[] => {
      if (part['type'] !== 'image') return textPart(part['text']);
      const data = textIn(part, 'data') ?? '';
      return [imagePart(this.#images.get(data) ?? data, part['mimeType'])];
    });
  }

  async #loadImages(row: Row): Promise<void> {
    for (const part of recordsIn(recordIn(row, 'message')['content'])) {
      const reference = textIn(part, 'data') ?? '';
      const hash = REFERENCE.exec(reference)?.[1];
      if (hash === undefined || this.#images.has(reference)) continue;
      const bytes = await readBytes(join(this.#blobs, hash)).catch(() => undefined); // It is gone; a note says so.
      if (bytes) this.#images.set(reference, bytes.toString('base64'));
      else this.#pieces.note('an image is missing', 'images are missing');
    }
  }
}

function callOf(block: Row): Omit<Call, 'type'> {
  return {
    id: textIn(block, 'id') ?? '',
    name: textIn(block, 'name') ?? '',
    arguments: argumentsOf(block['arguments']),
  };
}
