/** The agent's events as blocks: finished rows go to the screen in order, the rest is drawn live. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent } from '@tenon/agent/api';
import type { AssistantMessage, StreamEvent } from '@tenon/models/api';
import type { AgentMessage, CustomMessage } from '@tenon/sessions/api';
import type { ThoughtDrawing } from '@tenon/pi-compat/api';
import type { Component } from '@tenon/screen';
import type { ToolResult } from '@tenon/tools/api';
import { countText, plainText } from '@tenon/wording';
import { AnswerBlock, ThoughtsBlock, type ThoughtsShown } from './answer-blocks.ts';
import { type Block, type DrawStyle, StillBlock } from './block.ts';
import { DrawnBlock, type DrawnRows } from './drawn-block.ts';
import { contentText, handedOver, noticeRows, otherRows, userRows } from './message-rows.ts';
import { elapsedText } from '../cards/rows.ts';
import { screenAdvice } from './screen-advice.ts';
import { ToolBlock, type UnfoldKey } from './tool-block.ts';
import type { ToolRenderer, ToolView } from '@tenon/screen-slots/api';

/** What the transcript needs of the screen around it. */
export interface TranscriptHost {
  /** How to draw at the moment. */
  style(): DrawStyle;
  renderer(tool: string): ToolRenderer;
  /** The key that notes on folded cards name; `ctrl+o` unless given. */
  readonly unfoldKey?: UnfoldKey;
  newAnswer(): AnswerBlock;
  readonly thoughts: ThoughtsShown;
  /** Rows that an extension draws for a message of its own; absent or undefined when none does. */
  drawMessage?(message: CustomMessage, width: number): DrawnRows | undefined;
  /** Rows that an extension draws for a call that has ended. */
  drawCall?(
    id: string,
    view: Pick<ToolView, 'name' | 'input'> & { readonly result: ToolResult },
    width: number,
  ): DrawnRows | undefined;
  /** Rows that extensions draw below a thought that is over; absent or undefined when none does. */
  drawThought?(thought: ThoughtDrawing, width: number): DrawnRows | undefined;
  /** The rows of images that a result has; absent where none are shown. */
  images?(result: ToolResult): readonly string[];
  /** The height of the screen; where it is known, long notices do not wait behind a call that runs. */
  height?(): number;
  /** Takes rows that are final. */
  append(rows: readonly string[]): void;
  /** `isPart`: nothing but a text of the answer has grown. */
  requestFrame(isPart?: boolean): void;
}

/** The live part of the conversation. */
export class Transcript implements Component {
  readonly #host: TranscriptHost;
  #blocks: Block[] = [];
  #willSettle = false;
  #saidFailure = false;
  readonly #calls = new Map<string, ToolBlock>();
  readonly #notices = new WeakSet<Block>();
  /** The document that was shown last, which the answer of `/handoff` has, too. */
  #handedOver = '';
  /** Blocks of the answer that streams, by the index of its content. */
  #parts = new Map<number, Block>();

  constructor(host: TranscriptHost) {
    this.#host = host;
  }

  render(width: number): string[] {
    const style = { ...this.#host.style(), width };
    return this.#blocks.flatMap((block) => [...block.rows(style)]);
  }

  /** Whether calls are shown that have not ended. */
  get hasOpenCalls(): boolean {
    return this.#blocks.some((block) => block instanceof ToolBlock && !block.isFinished);
  }

  add(block: Block): void {
    this.#blocks.push(block);
    this.settle();
  }

  /** Rows that were made elsewhere. */
  print(rows: readonly string[]): void {
    this.add(new StillBlock(() => rows));
  }

  /** Forgets what is live: another session comes. What was finished stays where it is. */
  clear(): void {
    for (const block of this.#calls.values()) block.giveUp('The session was left.');
    this.#calls.clear();
    this.#parts = new Map();
    this.hurry();
    this.#blocks = [];
  }

  /** Shows what waits for a better look as it is: nobody will see it later. */
  hurry(): void {
    for (const block of [...this.#blocks]) block.hurry();
    this.settle();
  }

  /** The colours have changed. */
  invalidate(): void {
    this.#host.requestFrame();
  }

  notice(text: string, kind: 'info' | 'warning' | 'error'): void {
    const block = new StillBlock((style) => noticeRows(text, kind, style));
    this.#notices.add(block);
    this.#blocks.push(block);
    this.#freeNotices();
    this.settle();
  }

  /** Live rows that do not fit are cut at their top: notices that would not fit go in front of the call that they wait behind. */
  #freeNotices(): void {
    const height = this.#host.height?.();
    const at = this.#blocks.findIndex((block) => block instanceof ToolBlock && !block.isFinished);
    if (height === undefined || at < 0) return;
    const style = this.#host.style();
    const live = this.#blocks.reduce((sum, block) => sum + block.rows(style).length, 0);
    if (live <= height / 2) return;
    const [before, behind] = [this.#blocks.slice(0, at), this.#blocks.slice(at)];
    const isNotice = (block: Block) => this.#notices.has(block);
    this.#blocks = [...before, ...behind.filter(isNotice), ...behind.filter((block) => !isNotice(block))];
  }

  /** Moves what is final to the screen's scrollback. */
  settle(isPart = false): void {
    const style = this.#host.style();
    const rows: string[] = [];
    for (;;) {
      const [first] = this.#blocks;
      if (!first) break;
      rows.push(...first.takeFinished(style));
      if (!first.isFinished) break;
      rows.push(...first.rows(style));
      this.#blocks.shift();
    }
    if (rows.length > 0) this.#host.append(rows);
    this.#host.requestFrame(isPart);
  }

  /** A message of a session that is shown again. */
  replay(message: AgentMessage): void {
    this.#onMessage(message, true);
    if (message.role !== 'assistant') return;
    message.content.forEach((part, index) => {
      if (part.type === 'toolCall') this.#callPart(part.id, part.name, part.arguments);
      else this.#wholePart(part, index);
    });
    this.#endAnswer(message);
  }

  /** Ends what a session that is shown again left open. */
  endReplay(): void {
    for (const block of this.#calls.values()) block.giveUp('There is no result in the session.');
    this.#calls.clear();
    this.settle();
  }

  /** Moves what is final later, together: an answer comes in many small pieces. */
  #settleSoon(): void {
    if (this.#willSettle) return;
    this.#willSettle = true;
    setImmediate(() => this.settleDue());
    // Behind that: a frame that may come at once is drawn in the same turn of the loop.
    this.#host.requestFrame(true);
  }

  /** Moves what was to be moved soon. A frame may come before: closed blocks that are live then fill the screen, and a lower one leaves them behind. */
  settleDue(): void {
    if (!this.#willSettle) return;
    this.#willSettle = false;
    this.settle(true);
  }

  /** What the agent tells. */
  on(event: AgentEvent): void {
    switch (event.type) {
      case 'agent_start':
        this.#saidFailure = false;
        break;
      case 'message_start':
        if (event.message.role === 'assistant') this.#parts = new Map();
        else if (event.message.role !== 'toolResult') this.#onMessage(event.message, false);
        break;
      case 'message_update':
        this.#onStream(event.assistantMessageEvent);
        this.#settleSoon();
        return;
      case 'message_end':
        if (event.message.role === 'assistant') this.#endAnswer(event.message);
        break;
      case 'tool_execution_start':
        this.#callPart(event.toolCallId, event.toolName, event.args).set({
          state: 'running',
          input: inputOf(event.args),
        });
        break;
      case 'tool_execution_update':
        this.#calls.get(event.toolCallId)?.set({ result: event.partialResult });
        break;
      case 'tool_execution_end':
        this.#endCall(event.toolCallId, event.toolName, { ...event.result, isError: event.isError });
        break;
      case 'agent_end':
        for (const block of this.#calls.values()) block.giveUp('Stopped.');
        this.#calls.clear();
        // An answer that failed has said so already.
        if (event.error !== undefined && !this.#saidFailure) this.notice(screenAdvice(event.error), 'error');
        break;
      default:
        this.#onNews(event);
    }
    this.settle();
  }

  /**
   * A call waits for the user, or goes on. Questions do not say which call they are about: it is the one of the tool with the same
   * input, or the only one of the tool when something has changed the input on its way.
   */
  setWaiting(tool: string, input: unknown, isWaiting: boolean): void {
    const [from, to] = isWaiting ? (['running', 'waiting'] as const) : (['waiting', 'running'] as const);
    const open = [...this.#calls.values()].filter(({ name, state }) => name === tool && state === from);
    const same = open.find((block) => isDeepStrictEqual(block.input, input));
    (same ?? (open.length === 1 ? open[0] : undefined))?.set({ state: to });
    this.#host.requestFrame();
  }

  #onMessage(message: AgentMessage, isReplay: boolean): void {
    if (message.role === 'user') {
      const text = contentText(message.content);
      this.add(new StillBlock((style) => userRows(text, style, this.#host.unfoldKey?.(true))));
    } else if (message.role === 'toolResult') {
      if (isReplay) this.#endCall(message.toolCallId, message.toolName, message);
    } else if (message.role !== 'assistant') {
      this.#handedOver = handedOver(message) ?? this.#handedOver;
      const own = (style: DrawStyle) => otherRows(message, style);
      const isShown = message.role === 'custom' && message.display;
      const drawn = isShown ? this.#host.drawMessage?.(message, this.#host.style().width) : undefined;
      this.add(drawn ? new DrawnBlock(drawn, own, () => this.settle()) : new StillBlock(own));
    }
  }

  #onStream(event: StreamEvent): void {
    if (event.type === 'text_delta' || event.type === 'thinking_delta') {
      this.#streamPart(event.contentIndex, event.type === 'text_delta').push(event.delta);
    } else if (event.type === 'text_end' || event.type === 'thinking_end') {
      this.#endPart(event.contentIndex);
    } else if (event.type === 'toolcall_start' || event.type === 'toolcall_delta') {
      const part = event.partial.content[event.contentIndex];
      if (part?.type === 'toolCall') this.#callPart(part.id, part.name, part.arguments);
    } else if (event.type === 'toolcall_end') {
      this.#callPart(event.toolCall.id, event.toolCall.name, event.toolCall.arguments);
    }
  }

  #streamPart(index: number, isText: boolean): AnswerBlock | ThoughtsBlock {
    const before = this.#parts.get(index);
    if (before instanceof AnswerBlock || before instanceof ThoughtsBlock) return before;
    const block = isText ? this.#host.newAnswer() : new ThoughtsBlock(this.#host.thoughts);
    this.#parts.set(index, block);
    this.#blocks.push(block);
    return block;
  }

  #wholePart(part: AssistantMessage['content'][number], index: number): void {
    if (part.type === 'toolCall') return;
    const block = this.#streamPart(index, part.type === 'text');
    block.push(part.type === 'text' ? part.text : part.thinking);
    this.#endPart(index);
  }

  /** Ends a text or a thought; below a thought comes what extensions have to say about it. */
  #endPart(index: number): void {
    const block = this.#parts.get(index);
    if (block instanceof AnswerBlock) block.end();
    if (!(block instanceof ThoughtsBlock) || block.isFinished) return;
    block.end();
    if (!block.isShown) return;
    const thoughts = [...this.#parts].filter(([at, part]) => at < index && part instanceof ThoughtsBlock);
    const thought = { text: block.text, contentIndex: index, thinkingIndex: thoughts.length };
    const drawn = this.#host.drawThought?.(thought, this.#host.style().width);
    if (!drawn) return;
    const none = () => [];
    const below = new DrawnBlock(drawn, none, () => this.settle());
    // Right behind the thought, also when an answer after it has begun.
    this.#blocks.splice(this.#blocks.indexOf(block) + 1, 0, below);
  }

  #callPart(id: string, name: string, input: unknown): ToolBlock {
    const before = this.#calls.get(id);
    if (before) {
      before.set({ input: inputOf(input) });
      return before;
    }
    const view = { name, input: inputOf(input), state: 'writing' } as const;
    const block = new ToolBlock(this.#host.renderer(name), view, this.#host.unfoldKey);
    this.#calls.set(id, block);
    this.#blocks.push(block);
    return block;
  }

  #endCall(id: string, name: string, result: Parameters<ToolBlock['set']>[0]['result'] & object): void {
    const block = this.#calls.get(id) ?? this.#callPart(id, name, {});
    block.set({ state: result.isError ? 'failed' : 'done', result });
    this.#calls.delete(id);
    const at = this.#blocks.indexOf(block);
    const drawn = this.#host.drawCall?.(id, { name, input: block.input, result }, this.#host.style().width);
    if (drawn) {
      const own = (style: DrawStyle) => block.rows(style);
      this.#blocks.splice(at, 1, new DrawnBlock(drawn, own, () => this.settle()));
    }
    const images = this.#host.images?.(result) ?? [];
    // Right behind the call, also when calls after it have begun.
    if (images.length > 0) this.#blocks.splice(at + 1, 0, new StillBlock(() => images));
  }

  #endAnswer(message: AssistantMessage): void {
    for (const index of this.#parts.keys()) this.#endPart(index);
    this.#parts = new Map();
    if (message.stopReason === 'aborted') this.#cutOff('Stopped.', 'warning');
    this.#saidFailure = message.stopReason === 'error' || message.stopReason === 'aborted';
    if (message.stopReason === 'error') this.#cutOff(failureText(message), 'error');
    if (message.stopReason === 'length')
      this.notice('The answer reached the limit of what the model may write at once.', 'warning');
    this.settle();
  }

  /** An answer that ended early: its calls were not made. */
  #cutOff(text: string, kind: 'warning' | 'error'): void {
    for (const [id, block] of this.#calls) {
      block.giveUp('The answer was cut off, so this was not done.');
      this.#calls.delete(id);
    }
    this.notice(text, kind);
  }

  /** Without the document that stands right above. */
  #withoutShown(text: string): string {
    const document = plainText(this.#handedOver);
    return document !== '' && text.endsWith(document) ? text.slice(0, -document.length).trimEnd() : text;
  }

  #onNews(event: AgentEvent): void {
    if (event.type === 'notice') this.notice(this.#withoutShown(event.text), event.level);
    if (event.type === 'auto_retry_start') this.notice(retryText(event), 'warning');
    if (event.type === 'auto_compaction_start')
      this.notice(
        event.reason === 'overflow'
          ? 'The conversation is too long for the model and is being summarized.'
          : 'The conversation has grown long and is being summarized.',
        'info',
      );
    if (event.type === 'auto_compaction_end' && event.tokensAfter !== undefined)
      this.notice(
        `The conversation was summarized: about ${countText(event.tokensAfter)} tokens are left of ${countText(event.tokensBefore ?? 0)}.`,
        'info',
      );
    if (event.type === 'auto_compaction_end' && event.errorMessage !== undefined)
      this.notice(event.errorMessage, 'warning');
    if (event.type === 'loop_suspected')
      this.notice(
        `${event.toolName} was called ${event.repeats} times with the same input; the model was told.`,
        'warning',
      );
    if (event.type === 'ttsr_triggered') this.notice(`A rule cut in: ${event.rules.join(', ')}.`, 'info');
  }
}

type Retry = Extract<AgentEvent, { type: 'auto_retry_start' }>;

function retryText({ attempt, maxAttempts, delayMs, fallback, reason }: Retry): string {
  if (fallback !== undefined) return `${fallback} answers instead: ${reason}`;
  const when = delayMs === 0 ? '' : ` in ${elapsedText(Math.ceil(delayMs / 1000) * 1000)}`;
  return `Asking the model again${when} (attempt ${attempt} of ${maxAttempts}): ${reason}`;
}

function failureText({ errorMessage = 'The model gave no answer.', errorNext }: AssistantMessage): string {
  return errorNext === undefined ? errorMessage : `${errorMessage}\n${screenAdvice(errorNext)}`;
}

function inputOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}
