/**
 * Conversations of Codex: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`. Going back begins another file of the same id,
 * which says up to which line of the former ones it goes on.
 */
import { join } from 'node:path';
import type { Answer, Conversation, Found, Result, Said } from '../conversation.ts';
import {
  argumentsOf,
  dataText,
  imageFromUrl,
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

const NAME = /rollout-[\dT-]+?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:_[0-9a-f-]+)?\.jsonl$/;

/** Codex. */
export const codex: Agent = {
  id: 'codex',
  async find({ home, variables }) {
    const root = join(variables['CODEX_HOME'] || join(home, '.codex'), 'sessions');
    const files = await filesBelow(root, 3, (name) => NAME.test(name));
    const each = await foundIn('codex', files, (file) => NAME.exec(file)?.[1], {
      // Helpers have files of their own.
      isOther: (head) => /"source":\{"subagent"/.test(head),
    });
    return joined(each);
  },
  recognizes: (head) => /"type":"session_meta"/.test(head.slice(0, 400)),
  reader: () => new CodexReader(),
};

/** One conversation for all files of an id. */
function joined(each: readonly Found[]): Found[] {
  const byId = new Map<string, Found>();
  for (const found of each.toSorted((a, b) => (a.files[0] ?? '').localeCompare(b.files[0] ?? ''))) {
    const known = byId.get(found.id);
    byId.set(
      found.id,
      known
        ? {
            ...known,
            files: [...known.files, ...found.files],
            modifiedMs: Math.max(known.modifiedMs, found.modifiedMs),
            bytes: known.bytes + found.bytes,
          }
        : found,
    );
  }
  return [...byId.values()];
}

const DROPPED =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS)>|# AGENTS\.md instructions)/;

class CodexReader implements Reader {
  readonly #pieces = new Pieces();
  /** Numbers of lines, and the piece that the conversation stood at behind each. */
  #ordinals: { ordinal: number; key: string | null }[] = [];
  /** Prompts of the present branch and what each follows, to go back by turns. */
  #turns: { parent: string | null }[] = [];
  #at: string | null = null;
  #answer: Answer | undefined;
  #counted: Answer | undefined;
  #cwd: string | undefined;
  #provider = 'openai';
  #model = 'unknown';

  finish(findings: readonly string[]): Conversation {
    return this.#pieces.finish({
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      leaf: this.#at,
      findings,
    });
  }

  row(row: Row): void {
    const payload = recordIn(row, 'payload');
    const at = timeOf(row['timestamp']);
    switch (row['type']) {
      case 'session_meta':
        this.#begin(payload);
        break;
      case 'turn_context':
        this.#model = textIn(payload, 'model') ?? this.#model;
        break;
      case 'response_item':
        this.#item(payload, at);
        break;
      case 'compacted':
        this.#compacted(payload, at);
        break;
      case 'token_usage_record':
        this.#count(recordIn(payload, 'usage'));
        break;
      case 'event_msg':
        this.#event(payload);
    }
    const { ordinal } = row;
    if (typeof ordinal === 'number') this.#ordinals.push({ ordinal, key: this.#at });
  }

  /** The first one is the conversation's own; those of a copy name where it comes from. */
  #begin(meta: Row): void {
    this.#answer = undefined;
    this.#cwd ??= textIn(meta, 'cwd');
    this.#provider = textIn(meta, 'model_provider') ?? this.#provider;
    const base = recordIn(meta, 'history_base');
    const end = base['end_ordinal_exclusive'];
    if (typeof end === 'number') {
      this.#ordinals = this.#ordinals.filter(({ ordinal }) => ordinal < end);
      if (this.#ordinals.length === 0)
        this.#pieces.note('a part of it is in a file that is missing', 'parts of it are in files that are missing');
      this.#at = this.#ordinals.at(-1)?.key ?? null;
    } else if (this.#pieces.list.length > 0 && this.#ordinals.length > 0) {
      // Back to the beginning.
      this.#ordinals = [];
      this.#at = null;
    }
  }

  #event(payload: Row): void {
    const type = textIn(payload, 'type');
    if (type === 'token_count') this.#count(recordIn(recordIn(payload, 'info'), 'last_token_usage'));
    const { num_turns: turns } = payload;
    if (type !== 'thread_rolled_back' || typeof turns !== 'number' || turns < 1) return;
    const back = this.#turns.splice(Math.max(0, this.#turns.length - turns))[0];
    if (back) this.#at = back.parent;
    this.#answer = undefined;
  }

  #item(item: Row, at: number): void {
    const type = textIn(item, 'type') ?? '';
    if (type === 'message') return this.#message(item, at);
    if (type === 'reasoning') return this.#thought(item, at);
    if (type.endsWith('_output')) {
      this.#answer = undefined;
      return this.#pieces.addResult(textIn(item, 'call_id') ?? '', resultOf(item['output']));
    }
    if (!type.endsWith('_call')) return;
    const answer = this.#open(at);
    const id =
      textIn(item, 'call_id') ?? textIn(item, 'id') ?? `call-${this.#pieces.list.length}-${answer.content.length}`;
    const name = textIn(item, 'name') ?? type.replace(/_call$/, '');
    this.#pieces.addCall(answer, {
      id,
      name,
      arguments: argumentsOf(item['arguments'] ?? item['input'] ?? item['action']),
    });
    if (type === 'web_search_call')
      this.#pieces.addResult(id, {
        content: textPart('The provider searched; Codex does not keep what it found.'),
        isError: false,
      });
  }

  #open(at: number): Answer {
    if (this.#answer) return this.#answer;
    const origin = { api: 'openai-responses', provider: this.#provider, model: this.#model };
    this.#answer = this.#pieces.addAnswer(origin, this.#at, at);
    this.#at = this.#answer.key;
    return this.#answer;
  }

  #message(item: Row, at: number): void {
    const said = saidIn(item['content']);
    if (said.length === 0) return;
    if (item['role'] === 'assistant') {
      const texts = said.filter((part) => part.type === 'text');
      this.#open(at).content.push(...texts);
      return;
    }
    this.#answer = undefined;
    const [first] = said;
    if (item['role'] !== 'user' || (first?.type === 'text' && DROPPED.test(first.text))) return;
    const before = this.#at;
    this.#at = this.#pieces.addSaid(said, before, at);
    if (this.#pieces.list.at(-1)?.kind === 'user') this.#turns.push({ parent: before });
  }

  #thought(item: Row, at: number): void {
    const texts = [...recordsIn(item['summary']), ...recordsIn(item['content'])];
    const thinking = texts.flatMap((part) => textIn(part, 'text') ?? []).join('\n\n');
    // What is encrypted belongs to the account that got it.
    if (thinking !== '') this.#open(at).content.push({ type: 'thinking', thinking });
  }

  /** Codex keeps the prompts beside the summary, and our summaries stand alone. */
  #compacted(payload: Row, at: number): void {
    const summary = textIn(payload, 'message') ?? '';
    this.#answer = undefined;
    // A summary that only the provider can read: the conversation stays as it was.
    if (summary === '')
      return this.#pieces.note(
        'a summary is encrypted, so all that was said before stays',
        'summaries are encrypted, so all that was said before stays',
      );
    const prompts = recordsIn(payload['replacement_history']).flatMap((item) => {
      const texts =
        item['role'] === 'user'
          ? saidIn(item['content']).flatMap((part) => (part.type === 'text' ? [part.text] : []))
          : [];
      const text = texts.join('\n');
      return text === '' || text === summary || DROPPED.test(text) ? [] : [`> ${text.replaceAll('\n', '\n> ')}`];
    });
    const whole = prompts.length === 0 ? summary : `${summary}\n\nWhat the user had said:\n\n${prompts.join('\n\n')}`;
    this.#at = this.#pieces.add({ kind: 'compaction', summary: whole, tokensBefore: 0 }, this.#at, at);
  }

  #count(usage: Row): void {
    const answer = this.#pieces.list.findLast((piece) => piece.kind === 'answer');
    if (!answer || answer === this.#counted) return;
    const [input, cached] = [usage['input_tokens'], usage['cached_input_tokens']];
    if (typeof input !== 'number') return;
    const cacheRead = typeof cached === 'number' ? cached : 0;
    answer.usage = usageOf({ input: input - cacheRead, output: usage['output_tokens'], cacheRead });
    this.#counted = answer;
  }
}

function saidIn(content: unknown): Said[] {
  return recordsIn(content).flatMap((part): Said[] => {
    if (part['type'] === 'input_image') return [imageFromUrl(part['image_url'])];
    const text = textIn(part, 'text') ?? '';
    // These stand around an image.
    return /^<image(?: name=[^\n]*)?>$|^<\/image>$/.test(text) ? [] : textPart(text);
  });
}

/** Text, a list of parts, or in older versions an object with text and exit code, mostly as JSON. */
function resultOf(output: unknown): Result {
  if (Array.isArray(output)) return { content: saidIn(output), isError: false };
  const old = argumentsOf(output);
  const text = textIn(old, 'output') ?? textIn(old, 'content');
  if (text === undefined) return { content: textPart(dataText(output ?? '')), isError: false };
  const code = recordIn(old, 'metadata')['exit_code'];
  return { content: textPart(text), isError: old['success'] === false || (typeof code === 'number' && code !== 0) };
}
