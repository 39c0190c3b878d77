/** What a parser has learned of a process so far, and what that comes to when the process has ended. */
import { cutText, plainLine } from '@tenon/wording';
import type { ParserContext } from '../api.ts';
import type { WorkerEvent, WorkerExit, WorkerOutcome, WorkerQuestion, WorkerTotals, WorkerUsage } from '../events.ts';
import { endFailure, type EndRules } from './ending.ts';
import { type Failure, type FailureSigns, failureOf, messageText } from './faults.ts';
import { Tail } from './lines.ts';
import { checkStructured, structuredAnswer } from './structured.ts';
import { addUsage, costSince, isNoUsage, NO_USAGE, usageSince } from './usage.ts';

/** Longer answers are cut: they go into a row of the store. Counted in UTF-16 units. */
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_OUTPUT = 16_000;
const MAX_TAIL = 64_000;

const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,199}$/;

/** The state of a parser. */
export class Reading {
  readonly context: ParserContext;
  /** What it wrote to standard error, without banners. */
  readonly errorTail = new Tail(MAX_TAIL);
  /** What it wrote to standard output beside its events. */
  readonly noiseTail = new Tail(MAX_TAIL);
  /** True when the CLI has said that it has finished. */
  isFinished = false;
  /** The final answer as data, where the CLI gives it apart from the text. */
  structured?: { readonly value: unknown };
  /** What it could ask nobody. */
  readonly questions: WorkerQuestion[] = [];
  #events: WorkerEvent[] = [];
  #session: string | undefined;
  #answer = '';
  #failure: Failure | undefined;
  #retry: Failure | undefined;
  #usage: WorkerUsage = NO_USAGE;
  #cost: number | undefined;
  #sums: { usage?: WorkerUsage; cost?: number } = {};

  constructor(context: ParserContext) {
    this.context = context;
  }

  get now(): Date {
    return this.context.now?.() ?? new Date();
  }

  get sessionId(): string | undefined {
    return this.#session;
  }

  get answer(): string {
    return this.#answer;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get usage(): WorkerUsage {
    return this.#usage;
  }

  emit(event: WorkerEvent): void {
    this.#events.push(event);
  }

  /** The events since the last call. */
  takeEvents(): readonly WorkerEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The CLI's own session. Told once. It becomes a word of a command line, so one that could be a flag is none. */
  session(id: string | undefined, model?: string): void {
    if (id === undefined || id === this.#session || !SESSION_ID.test(id)) return;
    this.#session = id;
    this.emit({ type: 'session', id, ...(model !== undefined && { model }) });
  }

  text(text: string, delta = false): void {
    if (text === '') return;
    this.#retry = undefined;
    this.emit({ type: 'text', text, ...(delta && { delta }) });
  }

  thinking(text: string, delta = false): void {
    if (text !== '') this.emit({ type: 'thinking', text, ...(delta && { delta }) });
  }

  toolStart(id: string, name: string, input?: unknown): void {
    this.#retry = undefined;
    this.emit({ type: 'tool-start', id, name: plainLine(name), ...(input !== undefined && { input }) });
  }

  toolEnd(id: string, end: { name?: string | undefined; isError: boolean; output?: string | undefined }): void {
    const { name, isError, output = '' } = end;
    this.emit({
      type: 'tool-end',
      id,
      ...(name !== undefined && { name: plainLine(name) }),
      isError,
      ...(output !== '' && { output: cutText(output, MAX_OUTPUT) }),
    });
  }

  warning(message: string): void {
    this.emit({ type: 'warning', message: messageText(message) });
  }

  /** Replaces the final answer. */
  answerIs(text: string): void {
    this.#answer = cutText(text, MAX_ANSWER);
  }

  /** Adds to the final answer. */
  answerGoesOn(text: string): void {
    if (this.#answer.length <= MAX_ANSWER) this.answerIs(this.#answer + text);
  }

  /** What one model call used. */
  used(usage: WorkerUsage, cost?: number): void {
    this.#usage = addUsage(this.#usage, usage);
    if (cost !== undefined) this.spent(cost);
    if (!isNoUsage(usage)) this.emit({ type: 'usage', usage });
  }

  /** US dollars of this process alone; where the CLI says them, sums are not needed. */
  spent(cost: number): void {
    this.#cost = (this.#cost ?? 0) + cost;
  }

  /** What the whole process used, when the CLI says it at the end: replaces what was counted on the way. */
  usedInAll(usage: WorkerUsage): void {
    this.#usage = usage;
  }

  /** Sums over all processes of the session, which some CLIs report. */
  sumsAre(sums: { readonly usage?: WorkerUsage; readonly cost?: number }): void {
    this.#sums = { ...this.#sums, ...sums };
  }

  /** The CLI tries again by itself. */
  retry(signs: Omit<FailureSigns, 'now'>, attempt?: number, fallback?: Failure['fault']): void {
    const found = this.classify(signs);
    this.#retry = found.fault === 'other' && fallback !== undefined ? { ...found, fault: fallback } : found;
    const { fault, message } = this.#retry;
    this.emit({ type: 'retry', fault, message, ...(attempt !== undefined && { attempt }) });
  }

  /** The failure behind the retry that the CLI is in. */
  get pendingRetry(): Failure | undefined {
    return this.#retry;
  }

  classify(signs: Omit<FailureSigns, 'now'>): Failure {
    return failureOf({ hasSession: this.#session !== undefined, ...signs, now: this.now });
  }

  /** The run has failed; told at once. A failure of a known kind is not replaced by one of none. */
  fail(failure: Failure): void {
    if (!this.#failure || this.#failure.fault === 'other' || failure.fault !== 'other') this.#failure = failure;
    this.emit({ type: 'error', ...failure });
  }

  /** The CLI has gone on after what looked like the end. */
  goesOn(): void {
    this.#failure = undefined;
    this.isFinished = false;
  }

  /** The last that it wrote beside its events. */
  lastWords(): string {
    return this.errorTail.text.trim() || this.noiseTail.text.trim();
  }

  /** What the process came to. */
  conclude(exit: WorkerExit, rules: EndRules = {}): WorkerOutcome {
    if (rules.endsWithoutEvent === true && exit.code === 0) this.isFinished = true;
    let failure = endFailure(this, exit, rules);
    let structured: { readonly value: unknown } | undefined;
    if (!failure && this.context.schema !== undefined) {
      const answer = this.structured
        ? checkStructured(this.structured.value, this.context.schema)
        : structuredAnswer(this.#answer, this.context.schema);
      if ('value' in answer) structured = answer;
      else
        failure = { fault: 'schema', message: `The answer does not fit the schema: ${messageText(answer.problem)}.` };
    }
    if (failure && failure !== this.#failure) this.emit({ type: 'error', ...failure });
    const totals = this.#totals();
    return {
      isDone: !failure && this.isFinished,
      ...(this.#session !== undefined && { session: this.#session }),
      text: this.#answer,
      ...(structured && { structured: structured.value }),
      ...totals,
      ...(failure && { error: failure }),
      ...(this.questions.length > 0 && { questions: this.questions }),
      events: this.takeEvents(),
    };
  }

  #totals(): { usage: WorkerUsage; cost?: number; totals: WorkerTotals } {
    const { before } = this.context;
    const usage = this.#sums.usage ? usageSince(this.#sums.usage, before?.usage) : this.#usage;
    const cost = this.#cost ?? (this.#sums.cost === undefined ? undefined : costSince(this.#sums.cost, before?.cost));
    const totalCost =
      this.#sums.cost ??
      (cost === undefined && before?.cost === undefined ? undefined : (before?.cost ?? 0) + (cost ?? 0));
    return {
      usage,
      ...(cost !== undefined && { cost }),
      totals: {
        usage: this.#sums.usage ?? addUsage(before?.usage ?? NO_USAGE, usage),
        ...(totalCost !== undefined && { cost: totalCost }),
      },
    };
  }
}
