/**
 * Conversations of Claude Code: `projects/<folder>/<id>.jsonl`, a tree by `uuid` and `parentUuid`. One answer is several lines,
 * one for each block, and results of calls that ran at the same time hang on different ones of them.
 */
import { basename, join } from 'node:path';
import type { Answer, Conversation, Result, Said } from '../conversation.ts';
import {
  argumentsOf,
  dataText,
  imagePart,
  recordIn,
  recordsIn,
  type Row,
  textIn,
  textPart,
  timeOf,
  usageOf,
} from '../parts.ts';
import { Pieces } from '../pieces.ts';
import { type Agent, filesBelow, foundIn, type Reader } from './agent.ts';

/** Claude Code. */
export const claude: Agent = {
  id: 'claude',
  async find({ home, variables }) {
    const root = join(variables['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects');
    // Older versions kept the conversations of helpers beside the others.
    const files = await filesBelow(root, 1, (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'));
    return foundIn('claude', files, (name) => basename(name, '.jsonl'));
  },
  recognizes: (head) => /"parentUuid":(?:null|")/.test(head) || head.startsWith('{"type":"queue-operation"'),
  reader: () => new ClaudeReader(),
};

/** Where a line led to: the piece that the next one follows. */
interface Place {
  readonly key: string | null;
}

const NOTHING_TO_SAY = /^<local-command-caveat>|^\[Image: (?:source|original)/;

class ClaudeReader implements Reader {
  readonly #pieces = new Pieces();
  readonly #places = new Map<string, Place>();
  readonly #answers = new Map<string, { answer: Answer; request: string }>();
  /** Facts of a summary by the line that announces it. */
  readonly #boundaries = new Map<string, Row>();
  #title: string | undefined;
  #cwd: string | undefined;
  #leaf: string | null = null;

  finish(findings: readonly string[]): Conversation {
    return this.#pieces.finish({
      ...(this.#title !== undefined && { title: this.#title }),
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      leaf: this.#leaf,
      findings,
    });
  }

  row(row: Row): void {
    const type = textIn(row, 'type');
    this.#title = textIn(row, 'customTitle') ?? this.#title ?? textIn(row, 'aiTitle');
    if (type === 'summary') this.#title ??= textIn(row, 'summary');
    const uuid = textIn(row, 'uuid');
    // Older versions copied what was said so far when a conversation was taken up again.
    if (uuid === undefined || row['isSidechain'] === true || this.#places.has(uuid)) return;
    this.#cwd ??= textIn(row, 'cwd');
    const parent = this.#parentOf(row);
    const key = this.#piece(type, row, uuid, parent);
    this.#places.set(uuid, { key });
    if (type === 'user' || type === 'assistant') this.#leaf = key;
  }

  #parentOf(row: Row): string | null {
    const uuid = textIn(row, 'parentUuid') ?? textIn(row, 'logicalParentUuid');
    if (uuid === undefined) return null;
    const place = this.#places.get(uuid);
    if (place) return place.key;
    this.#pieces.note('a line follows one that is missing', 'lines follow ones that are missing');
    return this.#pieces.last;
  }

  /** The piece that a line belongs to; that of its parent when it says nothing. */
  #piece(type: string | undefined, row: Row, uuid: string, parent: string | null): string | null {
    if (type === 'assistant') return this.#answer(row, parent);
    if (type === 'user') return this.#said(row, parent);
    if (type === 'attachment') return this.#queued(row, parent);
    if (textIn(row, 'subtype') === 'compact_boundary') this.#boundaries.set(uuid, recordIn(row, 'compactMetadata'));
    return parent;
  }

  #answer(row: Row, parent: string | null): string | null {
    const message = recordIn(row, 'message');
    const model = textIn(message, 'model') ?? 'unknown';
    // What the program said in the model's place: failures, and stand-ins for an answer.
    if (model === '<synthetic>' || row['isApiErrorMessage'] === true) return parent;
    const request = [textIn(message, 'id'), textIn(row, 'requestId') ?? textIn(row, 'requestRef')].join(' ');
    const begun = parent === null ? undefined : this.#answers.get(parent);
    const answer =
      begun?.request === request
        ? begun.answer
        : this.#pieces.addAnswer(
            { api: 'anthropic-messages', provider: 'anthropic', model },
            parent,
            timeOf(row['timestamp']),
          );
    this.#answers.set(answer.key, { answer, request });
    for (const block of recordsIn(message['content'])) this.#block(answer, block);
    const usage = recordIn(message, 'usage');
    answer.usage = usageOf({
      input: usage['input_tokens'],
      output: usage['output_tokens'],
      cacheRead: usage['cache_read_input_tokens'],
      cacheWrite: usage['cache_creation_input_tokens'],
    });
    if (message['stop_reason'] === 'max_tokens') answer.stopReason = 'length';
    return answer.key;
  }

  #block(answer: Answer, block: Row): void {
    const type = textIn(block, 'type') ?? '';
    if (type === 'text') answer.content.push(...(textPart(block['text']) as { type: 'text'; text: string }[]));
    else if (type === 'thinking') {
      const thinking = textIn(block, 'thinking') ?? '';
      // Without its signature, which belongs to another account: it is shown and never sent.
      if (thinking !== '') answer.content.push({ type: 'thinking', thinking });
    } else if (type === 'tool_use' || type === 'server_tool_use') {
      this.#pieces.addCall(answer, {
        id: textIn(block, 'id') ?? '',
        name: textIn(block, 'name') ?? '',
        arguments: argumentsOf(block['input']),
      });
    } else if (type.endsWith('_tool_result')) {
      const result = { content: textPart(dataText(block['content'])), isError: false };
      this.#pieces.addResult(textIn(block, 'tool_use_id') ?? '', result);
    }
  }

  #said(row: Row, parent: string | null): string | null {
    const { content } = recordIn(row, 'message');
    const at = timeOf(row['timestamp']);
    if (row['isCompactSummary'] === true) return this.#summary(row, dataText(saidText(content)), parent, at);
    for (const block of recordsIn(content)) {
      if (block['type'] !== 'tool_result') continue;
      this.#pieces.addResult(textIn(block, 'tool_use_id') ?? '', resultOf(block));
    }
    const said = saidIn(content);
    if (said.length === 0) return parent;
    const isNote = row['isMeta'] === true || row['promptSource'] === 'system';
    if (NOTHING_TO_SAY.test(saidText(content))) return parent;
    return this.#pieces.addSaid(said, parent, at, { isNote });
  }

  #summary(row: Row, summary: string, parent: string | null, at: number): string {
    const facts = this.#boundaries.get(textIn(row, 'parentUuid') ?? '') ?? {};
    const head = textIn(recordIn(facts, 'preservedSegment'), 'headUuid');
    const firstKept = head === undefined ? undefined : this.#places.get(head)?.key;
    const tokens = facts['preTokens'];
    return this.#pieces.add(
      {
        kind: 'compaction',
        summary,
        ...(firstKept && { firstKept }),
        tokensBefore: typeof tokens === 'number' ? tokens : 0,
      },
      parent ?? this.#pieces.last,
      at,
    );
  }

  /** What a person typed while the model worked. */
  #queued(row: Row, parent: string | null): string | null {
    const attachment = recordIn(row, 'attachment');
    if (attachment['type'] !== 'queued_command' || (attachment['commandMode'] ?? 'prompt') !== 'prompt') return parent;
    const said = saidIn(attachment['prompt']);
    return said.length === 0 ? parent : this.#pieces.addSaid(said, parent, timeOf(row['timestamp']));
  }
}

function saidIn(content: unknown): Said[] {
  if (typeof content === 'string') return textPart(content);
  return recordsIn(content).flatMap((block): Said[] => {
    switch (block['type']) {
      case 'tool_result':
        return [];
      case 'text':
        return textPart(block['text']);
      case 'image': {
        const source = recordIn(block, 'source');
        return [imagePart(source['data'], source['media_type'])];
      }
      default:
        return textPart(`[${String(block['type'])}]`);
    }
  });
}

function saidText(content: unknown): string {
  return saidIn(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

function resultOf(block: Row): Result {
  return { content: saidIn(block['content']), isError: block['is_error'] === true };
}
