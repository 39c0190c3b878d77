/** Collects the pieces of a conversation while its lines are read. */
import type { Answer, Body, Call, Conversation, Piece, Result, Said } from './conversation.ts';
import { isProgramText } from './parts.ts';

/** Who answered, and over which protocol. */
export type Origin = Pick<Answer, 'api' | 'provider' | 'model'>;

/** The pieces so far. */
export class Pieces {
  readonly list: Piece[] = [];
  readonly #calls = new Map<string, Call>();
  readonly #findings = new Map<string, number>();
  /** The newest piece. */
  last: string | null = null;

  /** Adds a piece and gives its key. */
  add(body: Body, parent: string | null, atMs: number, key = `piece-${this.list.length}`): string {
    this.list.push({ ...body, key, parent, atMs });
    this.last = key;
    return key;
  }

  /** Adds what was said to the model: by a person, or by the program in a person's place. */
  addSaid(content: readonly Said[], parent: string | null, atMs: number, options: { isNote?: boolean } = {}): string {
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const text = texts.join('\n');
    const isNote = texts.length === content.length && (options.isNote === true || isProgramText(text));
    return this.add(isNote ? { kind: 'note', text } : { kind: 'user', content }, parent, atMs);
  }

  /** An answer without content yet. */
  addAnswer(origin: Origin, parent: string | null, atMs: number): Answer {
    const answer: Answer = { kind: 'answer', content: [], ...origin, key: `piece-${this.list.length}`, parent, atMs };
    this.list.push(answer);
    this.last = answer.key;
    return answer;
  }

  /** Adds a call to an answer. */
  addCall(answer: Answer, call: Omit<Call, 'type'>): void {
    const made: Call = { type: 'toolCall', ...call };
    answer.content.push(made);
    this.#calls.set(call.id, made);
  }

  /** Gives the newest call of this id its result; the first result counts. */
  addResult(callId: string, result: Result): void {
    const call = this.#calls.get(callId);
    if (!call) this.note('a result of a tool has no call', 'results of tools have no call');
    else call.result ??= result;
  }

  /** Counts something that could not be read. */
  note(one: string, several: string): void {
    const key = `${one}\n${several}`;
    this.#findings.set(key, (this.#findings.get(key) ?? 0) + 1);
  }

  /** The whole conversation. */
  finish(facts: Omit<Conversation, 'pieces'>): Conversation {
    const pieces = this.list.filter((piece) => piece.kind !== 'answer' || piece.content.length > 0);
    const kept = new Set(pieces.map(({ key }) => key));
    const parents = new Map(this.list.map(({ key, parent }) => [key, parent]));
    const known = (key: string | null): string | null => {
      let at = key;
      while (at !== null && !kept.has(at)) at = parents.get(at) ?? null;
      return at;
    };
    const counted = [...this.#findings].map(([text, count]) => {
      const [one = '', several = ''] = text.split('\n');
      return count === 1 ? one : `${count} ${several}`;
    });
    return {
      ...facts,
      pieces: pieces.map((piece) => ({ ...piece, parent: known(piece.parent) })),
      leaf: known(facts.leaf),
      findings: [...facts.findings, ...counted],
    };
  }
}
